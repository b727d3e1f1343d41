// The reader of OBJ (Wavefront, "Advanced Visualizer Manual", appendix B1).

#include "formats/mesh/obj.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "formats/io/read_file.h"
#include "formats/io/scan.h"
#include "formats/mesh/mesh.h"
#include "libvox/base/error.h"
#include "libvox/base/loops.h"

namespace vox {
namespace {

ObjText read_text(const std::filesystem::path& path) {
  const TextFile file(path);
  ObjText obj = parse_obj(file.text(), path);
  obj.materials_id = materials_id(file.text());
  return obj;
}

}  // namespace

scene::Scene read_obj(const std::filesystem::path& path, const MeshOptions& options) {
  ObjText obj = read_text(path);
  cut_concave_polygons(obj.scene, obj.polygons);
  add_obj_materials(obj, path, options);
  if (options.objects == MeshObjects::Apart)
    split_by_object(obj.scene, obj.objects.empty() ? obj.parts : obj.objects);
  return std::move(obj.scene);
}

namespace {

constexpr size_t kPieceBytes = 1 << 20;

// The exception for an error in a piece. It becomes an Error when the number of its line is known.
struct BadLine {
  const char* line;
  std::string problem;
};

struct Counts {
  uint64_t positions = 0, texcoords = 0, faces = 0;
};

// A part of the text, and the geometry in it.
struct Piece {
  std::string_view text;
  Counts counts, before;  // in this piece, and in all pieces before it
  std::vector<scene::Triangle> triangles;
  std::vector<ObjectRun> groups, objects,
      parts;  // these and the polygons count from the piece's first triangle
  std::vector<Polygon> polygons;
  std::vector<scene::Rgba8> colors;  // one for each position of the piece; empty if none has a color
  std::vector<std::string> libraries;
  std::optional<BadLine> bad;
};

// Returns the start of the keyword's arguments, or null if the line at p starts with another word.
const char* after_keyword(const char* p, std::string_view keyword) {
  for (char c : keyword)
    if (*p++ != c) return nullptr;
  const char* arguments = skip_blanks(p);
  return arguments == p ? nullptr : arguments;
}

Counts count_lines(std::string_view text) {
  Counts counts;
  for_each_line(text, [&](const char* p) {
    if (after_keyword(p, "v")) {
      ++counts.positions;
    } else if (after_keyword(p, "f")) {
      ++counts.faces;
    } else if (after_keyword(p, "vt")) {
      ++counts.texcoords;
    }
    return p;
  });
  return counts;
}

// Parses one piece. Vertices are written to their places in the scene, everything else to the piece.
class PieceReader {
 public:
  PieceReader(Piece& piece, scene::Scene& scene)
      : piece_(piece), scene_(scene), positions_(piece.before.positions), texcoords_(piece.before.texcoords) {
    piece_.triangles.reserve(piece.counts.faces);
  }

  void read() {
    for_each_line(piece_.text, [&](const char* line) {
      read_line(line);
      return p_;
    });
  }

 private:
  struct Corner {
    uint32_t position = scene::kNone, texcoord = scene::kNone;
  };

  void read_line(const char* line) {
    line_ = p_ = line;
    if (at_keyword("v")) {
      read_position();
    } else if (at_keyword("f")) {
      read_face();
    } else if (at_keyword("vt")) {
      read_texcoord();
    } else if (at_keyword("usemtl")) {
      piece_.groups.push_back({piece_.triangles.size(), rest_of_line(p_)});
    } else if (at_keyword("o")) {
      piece_.objects.push_back({piece_.triangles.size(), rest_of_line(p_)});
    } else if (at_keyword("g")) {
      piece_.parts.push_back({piece_.triangles.size(), rest_of_line(p_)});
    } else if (at_keyword("mtllib")) {
      piece_.libraries.push_back(rest_of_line(p_));
    }
  }

  bool at_keyword(std::string_view keyword) {
    const char* arguments = after_keyword(p_, keyword);
    if (arguments) p_ = arguments;
    return arguments != nullptr;
  }

  bool at_end() const { return is_line_end(*p_) || *p_ == '#'; }

  void read_position() {
    double x = read_number(), y = read_number(), z = read_number();
    scene_.positions[positions_] = {x, y, z};
    if (!at_end()) read_color();
    ++positions_;
  }

  // Reads the numbers after x y z: a weight (of curves, ignored), or r g b in 0..1 with or without a weight.
  void read_color() {
    double values[4] = {};
    size_t count = 0;
    while (count < 4 && !at_end()) values[count++] = read_number();
    if (count < 3) return;
    const double* rgb = values + (count - 3);
    auto byte = [](double value) {
      return static_cast<uint8_t>(value >= 1 ? 255 : value > 0 ? value * 255 + 0.5 : 0);
    };
    if (piece_.colors.empty()) piece_.colors.resize(piece_.counts.positions, kWhite);
    piece_.colors[positions_ - piece_.before.positions] = {byte(rgb[0]), byte(rgb[1]), byte(rgb[2]), 255};
  }

  void read_texcoord() {
    double u = read_number();
    double v = at_end() ? 0 : read_number();
    scene_.texcoords[texcoords_++] = {static_cast<float>(u), static_cast<float>(1 - v)};
  }

  double read_number() {
    Number number = scan_number(p_);
    if (!number.end) fail(fmt::format("expected a number instead of '{}'", word()));
    p_ = skip_blanks(number.end);
    return number.value;
  }

  void read_face() {
    Corner first, previous;
    uint32_t corners = 0;
    for (; !at_end(); ++corners) {
      Corner corner = read_corner();
      if (corners == 0) first = corner;
      if (corners >= 2) add_triangle(first, previous, corner);
      previous = corner;
    }
    if (corners > 3) piece_.polygons.push_back({piece_.triangles.size() - (corners - 2), corners});
  }

  // Reads v, v/vt, v//vn or v/vt/vn; normals are ignored.
  Corner read_corner() {
    const char* start = p_;
    Corner corner;
    corner.position = read_index("v", positions_, scene_.positions.size());
    if (*p_ == '/') {
      ++p_;
      if (is_digit(*p_) || *p_ == '-')
        corner.texcoord = read_index("vt", texcoords_, scene_.texcoords.size());
      if (*p_ == '/') skip_normal();
    }
    const char* next = skip_blanks(p_);
    if (next == p_ && !at_end()) {
      p_ = start;
      fail(fmt::format("expected a corner such as 1, 1/2, 1//3 or 1/2/3 instead of '{}'", word()));
    }
    p_ = next;
    return corner;
  }

  void skip_normal() {
    ++p_;
    if (*p_ == '-') ++p_;
    while (is_digit(*p_)) ++p_;
  }

  // Indices count from 1; negative ones count back from the latest vertex. Some files refer to vertices that
  // are defined later.
  uint32_t read_index(const char* what, uint64_t latest, uint64_t all) {
    constexpr uint64_t kBeyondAnyIndex = uint64_t{1} << 50;
    const char* start = p_;
    bool negative = *p_ == '-';
    if (negative) ++p_;
    const char* digits = p_;
    uint64_t value = 0;
    for (; is_digit(*p_); ++p_)
      if (value < kBeyondAnyIndex) value = value * 10 + static_cast<uint64_t>(*p_ - '0');
    uint64_t bound = negative ? latest : all;
    if (p_ == digits || value == 0 || value > bound) {
      bool number = p_ != digits;
      p_ = start;
      if (!number) fail(fmt::format("expected an index instead of '{}'", word()));
      if (value == 0) fail(fmt::format("'{}' refers to {} 0, but indices count from 1", word(), what));
      fail(fmt::format("'{}' refers to a {} that does not exist: {} {} defined{}", word(), what, bound,
                       bound == 1 ? "is" : "are", negative ? " before it" : ""));
    }
    return static_cast<uint32_t>(negative ? latest - value : value - 1);
  }

  void add_triangle(const Corner& a, const Corner& b, const Corner& c) {
    scene::Triangle triangle = {
        {a.position, b.position, c.position}, {scene::kNone, scene::kNone, scene::kNone}, scene::kNone};
    if (a.texcoord != scene::kNone && b.texcoord != scene::kNone && c.texcoord != scene::kNone)
      triangle.texcoord = {a.texcoord, b.texcoord, c.texcoord};
    piece_.triangles.push_back(triangle);
  }

  std::string word() const { return std::string(p_, word_end(p_)); }

  [[noreturn]] void fail(std::string problem) const { throw BadLine{line_, std::move(problem)}; }

  static constexpr scene::Rgba8 kWhite = {255, 255, 255, 255};
  Piece& piece_;
  scene::Scene& scene_;
  uint64_t positions_, texcoords_;  // how many are defined before this line, in the whole file
  const char* line_ = nullptr;
  const char* p_ = nullptr;
};

// Returns the first line end at or after `from` that is not escaped by a backslash; the text's size if there
// is none.
size_t find_line_end(std::string_view text, size_t from) {
  for (size_t i = from; i < text.size(); ++i) {
    if (text[i] != '\n' && text[i] != '\r') continue;
    size_t start = text[i] == '\n' && i > 0 && text[i - 1] == '\r' ? i - 1 : i;
    if (start == 0 || text[start - 1] != '\\') return i;
  }
  return text.size();
}

std::vector<Piece> cut(std::string_view text) {
  std::vector<Piece> pieces;
  for (size_t start = 0; start < text.size();) {
    size_t end = find_line_end(text, std::min(start + kPieceBytes, text.size()));
    if (end < text.size()) end = static_cast<size_t>(skip_line_end(text.data() + end) - text.data());
    pieces.emplace_back().text = text.substr(start, end - start);
    start = end;
  }
  return pieces;
}

void for_each_piece(std::vector<Piece>& pieces, auto f) {
  parallel_for(size_t{0}, pieces.size(), [&](size_t i) { f(pieces[i]); });
}

Counts count(std::vector<Piece>& pieces, const std::filesystem::path& path) {
  for_each_piece(pieces, [](Piece& piece) { piece.counts = count_lines(piece.text); });
  Counts all;
  for (Piece& piece : pieces) {
    piece.before = all;
    all.positions += piece.counts.positions;
    all.texcoords += piece.counts.texcoords;
    all.faces += piece.counts.faces;
  }
  if (all.positions == 0 && all.faces == 0)
    throw Error("not an OBJ mesh: no line starts with 'v' or 'f'").at(path.string());
  if (all.positions >= scene::kNone || all.texcoords >= scene::kNone)
    throw Error("more vertices than 32-bit indices can address").at(path.string());
  return all;
}

void append(ObjText& all, Piece& piece) {
  uint64_t first = all.scene.triangles.size();
  all.scene.triangles.insert(all.scene.triangles.end(), piece.triangles.begin(), piece.triangles.end());
  const auto append_groups = [&](std::vector<ObjectRun>& to, std::vector<ObjectRun>& from) {
    for (ObjectRun& group : from) to.push_back({first + group.first_triangle, std::move(group.name)});
  };
  append_groups(all.groups, piece.groups);
  append_groups(all.objects, piece.objects);
  append_groups(all.parts, piece.parts);
  for (const Polygon& polygon : piece.polygons)
    all.polygons.push_back({first + polygon.first_triangle, polygon.corners});
  if (!piece.colors.empty()) {
    if (all.scene.colors.empty()) all.scene.colors.resize(all.scene.positions.size(), {255, 255, 255, 255});
    std::copy(piece.colors.begin(), piece.colors.end(),
              all.scene.colors.begin() + static_cast<ptrdiff_t>(piece.before.positions));
  }
  std::move(piece.libraries.begin(), piece.libraries.end(), std::back_inserter(all.libraries));
  piece = {};
}

}  // namespace

ObjText parse_obj(std::string_view text, const std::filesystem::path& path) {
  std::vector<Piece> pieces = cut(text);
  Counts counts = count(pieces, path);
  ObjText all;
  all.scene.positions.resize(counts.positions);
  all.scene.texcoords.resize(counts.texcoords);
  for_each_piece(pieces, [&](Piece& piece) {
    try {
      PieceReader(piece, all.scene).read();
    } catch (BadLine& bad) {
      piece.bad = std::move(bad);
    }
  });
  uint64_t triangles = 0;
  for (const Piece& piece : pieces) {
    if (piece.bad)
      throw Error(piece.bad->problem)
          .at(fmt::format("{}:{}", path.string(), line_number(text, piece.bad->line)));
    triangles += piece.triangles.size();
  }
  all.scene.triangles.reserve(triangles);
  for (Piece& piece : pieces) append(all, piece);
  return all;
}

}  // namespace vox
