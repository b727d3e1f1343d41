// The readers of two plain formats, OFF and STL.
//
// OFF is read as text (Geomview's manual, "OFF: Object File Format"). Vertices may have texture
// coordinates (ST), colors (C) or normals (N); of these, colors are used. Every vertex and every face has a
// line of its own.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <string_view>
#include <utility>

#include "formats/io/read_file.h"
#include "formats/io/scan.h"
#include "formats/mesh/mesh.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/loops.h"
#include "libvox/base/units.h"
#include "libvox/scene/oklab.h"

namespace vox {
namespace {

// Red, green, blue and alpha as written in the file. Only the whole file tells if the range ends at 255 or at
// 1.
using WrittenColor = std::array<double, 4>;
constexpr double kOpaque = -1;  // stands for a missing alpha

// The values of a vertex besides x, y and z, according to the file's first word.
struct Layout {
  bool texcoords = false, colors = false, normals = false;
};

class OffReader {
 public:
  OffReader(std::string_view text, const std::filesystem::path& path)
      : text_(text), path_(path), p_(text.data()), end_(p_ + text.size()) {}

  scene::Scene read() {
    skip_to_text();
    read_keyword();
    read_counts();
    read_lines(vertex_count_, "vertices", [&] { read_vertex(); });
    read_lines(face_count_, "faces", [&] { read_face(); });
    if (skip_to_text())
      log_warning("{}:{}: everything after the last face is ignored", path_.string(), line_number(text_, p_));
    make_colors();
    cut_concave_polygons(scene_, polygons_);
    return std::move(scene_);
  }

 private:
  // Goes to the first word at or after the current place, on this line or a later one. Returns false at the
  // end of the file.
  bool skip_to_text() {
    while (p_ < end_) {
      if (!at_end()) return true;
      skip_line();
    }
    return false;
  }

  void skip_line() {
    while (!is_line_end(*p_)) ++p_;
    if (p_ < end_) p_ = skip_line_end(p_);
  }

  bool at_end() {
    p_ = skip_blanks(p_);
    return is_line_end(*p_) || *p_ == '#';
  }

  void read_lines(uint64_t count, const char* what, auto&& read_line) {
    for (uint64_t i = 0; i < count; ++i) {
      if (!skip_to_text())
        throw Error(
            fmt::format("the file ends after {} of {} {}", format_count(i), format_count(count), what))
            .at(path_.string())
            .hint("is it truncated?");
      read_line();
      skip_line();
    }
  }

  std::string word() const { return std::string(p_, word_end(p_)); }

  double read_number() {
    p_ = skip_blanks(p_);
    const Number number = scan_number(p_);
    if (!number.end) fail(fmt::format("expected a number instead of '{}'", word()));
    p_ = number.end;
    return number.value;
  }

  uint64_t read_count(const char* what) {
    p_ = skip_blanks(p_);
    const char* last = word_end(p_);
    const auto value = parsed_number<uint64_t>({p_, last});
    if (!value) fail(fmt::format("expected {} instead of '{}'", what, word()));
    p_ = last;
    return *value;
  }

  [[noreturn]] void fail(const std::string& problem) const {
    throw Error(problem).at(fmt::format("{}:{}", path_.string(), line_number(text_, p_)));
  }

  // Reads [ST][C][N][4][n]OFF, which may be missing; [4] and [n] mean a number of dimensions other than
  // three. In some collections the keyword is joined with the first count, as in "OFF8 6 0".
  void read_keyword() {
    const std::string_view start = std::string_view(p_, static_cast<size_t>(end_ - p_)).substr(0, 8);
    const size_t at = start.find("OFF");
    if (at == start.npos && !start.empty() && is_digit(start[0])) return;
    if (at == start.npos) fail("not an OFF mesh: does not start with OFF, COFF, NOFF or STOFF");
    std::string_view prefix = start.substr(0, at);
    auto take = [&](std::string_view part) {
      const bool found = prefix.starts_with(part);
      if (found) prefix.remove_prefix(part.size());
      return found;
    };
    layout_.texcoords = take("ST");
    layout_.colors = take("C");
    layout_.normals = take("N");
    if (!prefix.empty())
      fail(fmt::format("{}OFF is not supported, only vertices with three coordinates", start.substr(0, at)));
    p_ += at + 3;
    if (!at_end() && word() == "BINARY") fail("binary OFF is not supported, only OFF as text");
    skip_to_text();
  }

  // Compares the counts with the file's size, so that memory can be reserved for them: a vertex takes at
  // least three digits and three blanks, a face a digit and a blank. The third count, that of the edges, is
  // ignored and may be missing.
  void read_counts() {
    vertex_count_ = read_count("the number of vertices");
    face_count_ = read_count("the number of faces");
    const uint64_t left = static_cast<uint64_t>(end_ - p_) + 1;
    if (vertex_count_ > left / 6 || face_count_ > left / 2 || 6 * vertex_count_ + 2 * face_count_ > left)
      throw Error(fmt::format("{} vertices and {} faces cannot fit into the file",
                              format_count(vertex_count_), format_count(face_count_)))
          .at(path_.string())
          .hint("is it damaged or truncated?");
    if (vertex_count_ >= scene::kNone) fail("more vertices than 32-bit indices can address");
    if (!at_end()) read_count("the number of edges");
    if (!at_end()) fail(fmt::format("expected the end of the line after the counts instead of '{}'", word()));
    skip_line();
    scene_.positions.reserve(vertex_count_);
    scene_.triangles.reserve(face_count_);
    scene_.materials.emplace_back().name = "default";
  }

  void read_vertex() {
    const double x = read_number(), y = read_number(), z = read_number();
    scene_.positions.push_back({x, y, z});
    if (layout_.normals)
      for (int i = 0; i < 3; ++i) read_number();
    std::array<double, 7> rest = {};
    size_t count = read_rest(rest);
    const size_t texcoords = layout_.texcoords ? 2 : 0;
    const bool fits = layout_.colors ? count == 3 + texcoords || count == 4 + texcoords : count == texcoords;
    if (!fits)
      fail(fmt::format("a vertex has {} numbers beyond its coordinates{}", count,
                       layout_.normals ? " and normal" : "; only COFF, NOFF and STOFF have such"));
    if (layout_.colors) colors_.push_back(written_color(rest, count - texcoords));
  }

  // Reads the numbers up to the end of the line and returns how many there are.
  size_t read_rest(std::span<double> numbers) {
    size_t count = 0;
    for (; !at_end(); ++count) {
      const char* start = p_;
      const double value = read_number();
      if (count == numbers.size()) fail("too many numbers in this line");
      numbers[count] = value;
      has_points_ |= std::find(start, p_, '.') != p_;
    }
    return count;
  }

  WrittenColor written_color(std::span<const double> numbers, size_t count) {
    WrittenColor color = {numbers[0], numbers[1], numbers[2], count == 4 ? numbers[3] : kOpaque};
    for (double value : color) most_ = std::max(most_, value);
    return color;
  }

  // Reads a face and adds a fan of triangles. Faces with two corners or fewer are edges and points.
  void read_face() {
    const uint64_t corners = read_count("the number of corners of a face");
    const uint64_t first_triangle = scene_.triangles.size();
    std::array<uint32_t, 3> fan = {};
    for (uint64_t i = 0; i < corners; ++i) {
      const uint64_t vertex = read_count("a corner");
      if (vertex >= vertex_count_)
        fail(fmt::format("the face refers to vertex {}, but {} are defined", vertex, vertex_count_));
      fan[std::min<uint64_t>(i, 2)] = static_cast<uint32_t>(vertex);
      if (i < 2) continue;
      scene_.triangles.push_back({fan, {scene::kNone, scene::kNone, scene::kNone}, 0});
      fan[1] = fan[2];
    }
    if (corners > 3) polygons_.push_back({first_triangle, static_cast<uint32_t>(corners)});
    const uint32_t material = read_face_material();
    for (uint64_t i = first_triangle; i < scene_.triangles.size(); ++i)
      scene_.triangles[i].material = material;
  }

  // Returns the material for a face's color; if the vertices have colors, it is always 0. A single number
  // refers to a color map that is not in the file.
  uint32_t read_face_material() {
    std::array<double, 4> numbers = {};
    const size_t count = read_rest(numbers);
    if (count == 2) fail("a face has a color of two numbers");
    if (count < 3 || layout_.colors) return 0;
    const auto next = static_cast<uint32_t>(materials_.size() + 1);  // the default material is 0
    return materials_.try_emplace(written_color(numbers, count), next).first->second;
  }

  // Colors with a decimal point range to 1, unless some values are larger; all others range to 255.
  scene::Rgba8 rgba_of(const WrittenColor& color) const {
    const double scale = has_points_ && most_ <= 1 ? 255 : 1;
    auto byte = [&](double value) {
      return static_cast<uint8_t>(value * scale >= 255 ? 255 : value > 0 ? value * scale + 0.5 : 0);
    };
    return {byte(color[0]), byte(color[1]), byte(color[2]),
            color[3] == kOpaque ? uint8_t{255} : byte(color[3])};
  }

  void make_colors() {
    for (const WrittenColor& color : colors_) scene_.colors.push_back(rgba_of(color));
    if (!scene_.colors.empty()) scene_.materials[0].base_color = {1, 1, 1, 1};
    scene_.materials.resize(1 + materials_.size());
    for (const auto& [color, index] : materials_) {
      const scene::Rgba8 rgba = rgba_of(color);
      scene::Material& material = scene_.materials[index];
      material.name = fmt::format("#{:02x}{:02x}{:02x}", rgba.r, rgba.g, rgba.b);
      const Vec3d linear = scene::srgb_to_linear(scene::Rgb8{rgba.r, rgba.g, rgba.b});
      material.base_color = {static_cast<float>(linear.x), static_cast<float>(linear.y),
                             static_cast<float>(linear.z), static_cast<float>(rgba.a) / 255};
      if (rgba.a < 255) material.alpha_cutoff = 0.5f;
    }
  }

  std::string_view text_;
  const std::filesystem::path& path_;
  const char *p_, *end_;
  Layout layout_;
  uint64_t vertex_count_ = 0, face_count_ = 0;
  scene::Scene scene_;
  std::vector<Polygon> polygons_;
  std::vector<WrittenColor> colors_;            // colors of the vertices
  std::map<WrittenColor, uint32_t> materials_;  // the material for each color of faces
  bool has_points_ = false;
  double most_ = 0;
};

}  // namespace

scene::Scene read_off(const std::filesystem::path& path, const MeshOptions&) {
  const TextFile file(path);
  return OffReader(file.text(), path).read();
}

// STL is read as binary and as text. Each triangle has corners of its own, because STL does not say which
// corners are shared.

namespace {

constexpr size_t kHeaderBytes = 84;    // 80 bytes of any text, then the number of triangles
constexpr size_t kTriangleBytes = 50;  // normal, three corners (floats), 16 bits of attributes
constexpr size_t kNormalBytes = 12;

bool is_utf16(std::string_view text) {
  return text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff");
}

bool starts_with_solid(std::string_view text) {
  size_t start = text.find_first_not_of(" \t\r\n");
  return start != text.npos && text.substr(start).starts_with("solid");
}

// Adds triangles for all positions: triangle i has the corners 3i, 3i + 1 and 3i + 2.
void add_triangles(scene::Scene& scene) {
  size_t count = scene.positions.size() / 3;
  scene.triangles.resize(count);
  parallel_for(size_t{0}, count, [&](size_t i) {
    uint32_t first = static_cast<uint32_t>(3 * i);
    scene.triangles[i] = {{first, first + 1, first + 2}, {scene::kNone, scene::kNone, scene::kNone}, 0};
  });
  scene.materials.emplace_back().name = "default";
}

scene::Scene read_binary(std::span<const std::byte> file, uint64_t count) {
  scene::Scene scene;
  scene.positions.resize(3 * count);
  parallel_for(uint64_t{0}, count, [&](uint64_t i) {
    const std::byte* corner = file.data() + kHeaderBytes + i * kTriangleBytes + kNormalBytes;
    for (uint64_t k = 0; k < 3; ++k, corner += 12)
      scene.positions[3 * i + k] = {value_at<float>(corner), value_at<float>(corner + 4),
                                    value_at<float>(corner + 8)};
  });
  add_triangles(scene);
  return scene;
}

// Reads STL as text. Only `vertex` with its numbers and `endloop` are used; all other words are skipped.
class TextReader {
 public:
  TextReader(std::string_view text, const std::filesystem::path& path) : text_(text), path_(path) {}

  scene::Scene read() {
    const char* end = text_.data() + text_.size();
    for (const char* line = text_.data(); line < end; ++line_number_) {
      const char* word = skip_blanks(line);
      std::string_view keyword(word, word_end(word));
      if (keyword == "vertex") {
        read_corner(keyword.end());
      } else if (keyword == "endloop") {
        close_loop();
      }
      line = next_line(word);
    }
    if (!loop_.empty()) fail("the file ends inside a loop");
    if (scene_.positions.empty())
      throw Error("not an STL mesh: starts with 'solid', but has no 'vertex'").at(path_.string());
    add_triangles(scene_);
    return std::move(scene_);
  }

 private:
  void read_corner(const char* p) {
    double xyz[3];
    for (double& value : xyz) {
      Number number = scan_number(skip_blanks(p));
      if (!number.end) fail("'vertex' needs three numbers");
      value = number.value;
      p = number.end;
    }
    loop_.push_back({xyz[0], xyz[1], xyz[2]});
  }

  void close_loop() {
    if (loop_.size() != 3) fail(fmt::format("a loop of {} corners, expected 3", loop_.size()));
    if (scene_.positions.size() + 3 >= scene::kNone) fail("more triangles than 32-bit indices can address");
    scene_.positions.insert(scene_.positions.end(), loop_.begin(), loop_.end());
    loop_.clear();
  }

  [[noreturn]] void fail(const std::string& problem) const {
    throw Error(problem).at(fmt::format("{}:{}", path_.string(), line_number_));
  }

  std::string_view text_;
  const std::filesystem::path& path_;
  uint64_t line_number_ = 1;
  std::vector<Vec3d> loop_;
  scene::Scene scene_;
};

}  // namespace

// The size decides if a file is binary, because binary files may start with "solid", too.
scene::Scene read_stl(const std::filesystem::path& path, const MeshOptions&) {
  MappedFile file(path);
  uint64_t size = file.bytes().size(), count = 0;
  if (size >= kHeaderBytes) count = value_at<uint32_t>(file.bytes().data() + kHeaderBytes - 4);
  uint64_t expected = kHeaderBytes + count * kTriangleBytes;
  if (size != expected && is_utf16(file.text())) return TextReader(TextFile(path).text(), path).read();
  bool text = size != expected && starts_with_solid(file.text());
  if (text) return TextReader(file.text(), path).read();
  if (size < expected || size < kHeaderBytes)
    throw Error(
        fmt::format("a binary STL of {} triangles has {} bytes, this file has {}", count, expected, size))
        .at(path.string())
        .hint("is the file truncated?");
  if (size > expected)
    log_warning("{}: {} bytes after the last triangle are ignored", path.string(), size - expected);
  if (3 * count >= scene::kNone)
    throw Error("more triangles than 32-bit indices can address").at(path.string());
  return read_binary(file.bytes(), count);
}

}  // namespace vox
