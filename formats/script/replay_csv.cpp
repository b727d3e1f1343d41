#include "formats/script/scripts.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <utility>

#include "formats/file_types.h"
#include "formats/io/scan.h"
#include "formats/script/script_parts.h"
#include "formats/volume/places.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/units.h"

namespace vox {
namespace {

struct Row {
  Word name;
  std::vector<Word> cells;  // the cells behind the name, without empty ones at the end
};

Row split(const Word& line) {
  std::vector<Word> cells = cells_of(line);
  Row row = {cells[0], {cells.begin() + 1, cells.end()}};
  while (!row.cells.empty() && row.cells.back().text.empty()) row.cells.pop_back();
  return row;
}

struct Ball {
  Vec3d center;
  double radius;
};

edit::EditPlace in_units(Vec3d place) {
  auto units = [](double v) { return std::llround(v * static_cast<double>(edit::kEditUnits)); };
  return {units(place.x), units(place.y), units(place.z)};
}

// Returns the voxels that a cube around the place touches.
VoxelBox cube_around(const Ball& ball) {
  auto low = [&](double v) { return static_cast<int32_t>(std::floor(v - ball.radius)); };
  auto high = [&](double v) { return static_cast<int32_t>(std::ceil(v + ball.radius)); };
  Vec3d c = ball.center;
  return {{low(c.x), low(c.y), low(c.z)}, {high(c.x), high(c.y), high(c.z)}};
}

edit::Shape shape_of(const VoxelBox& box) {
  auto units = [](Int3 v) { return edit::EditPlace{v.x, v.y, v.z} * edit::kEditUnits; };
  return {.kind = edit::ShapeKind::Box, .a = units(box.min), .b = units(box.max)};
}

// Returns the copy that moves source + offset, turned, to dest + turned offset for all voxels of the target
// box.
edit::CopyEdit copy_to(const VoxelBox& target, Int3 source, Int3 dest, const edit::Turn& turn) {
  edit::CopyEdit copy;
  for (uint32_t k = 0; k < 3; ++k) {
    const uint32_t axis = turn.axis[k];
    const int32_t first = target.min[k] - dest[k], last = target.max[k] - 1 - dest[k];
    copy.source.min[axis] = source[axis] + (turn.flip[k] ? -last : first);
    copy.source.max[axis] = source[axis] + (turn.flip[k] ? -first : last) + 1;
  }
  copy.turn = turn;
  copy.to = target.min;
  copy.skip_empty = copy.keep_filled = true;
  return copy;
}

class ReplayParser {
 public:
  ReplayParser(std::string text, const std::filesystem::path& path, const ReplayOptions& options,
               const edit::OnScriptError& on_error)
      : options_(options), builder_(std::move(text), path, on_error) {}

  edit::Script parse() {
    builder_.read_lines([&](LineReader& line) {
      if (auto row = line.rest(); row && row->text[0] != '#') read_row(line, split(*row));
    });
    if (left_out_ > 0)
      log_warning("{}: {} rows that paint are left out: the scene has no materials",
                  builder_.script().path.string(), left_out_);
    return builder_.finish();
  }

 private:
  using Reader = void (ReplayParser::*)(const LineReader&, const Row&);
  struct Named {
    std::string_view name;
    Reader read;
  };

  void read_row(const LineReader& line, const Row& row) {
    using Self = ReplayParser;
    static constexpr Named kRows[] = {
        {"EndFrame", &Self::read_end_frame}, {"SetLocation", &Self::ignore},
        {"SetRotation", &Self::ignore},      {"SetToolParameters", &Self::ignore},
        {"EditSphere", &Self::read_sphere},  {"EditCube", &Self::read_cube},
        {"EditCopy", &Self::read_copy},      {"EditFill", &Self::read_fill},
        {"EditPaint", &Self::read_paint},    {"Undo", &Self::read_undo},
        {"Redo", &Self::read_redo},
    };
    for (const Named& named : kRows)
      if (named.name == row.name.text) return (this->*named.read)(line, row);
    std::vector<std::string_view> names;
    for (const Named& named : kRows) names.push_back(named.name);
    line.fail(row.name, fmt::format("{} is not a row of a recording", in_quotes(row.name.text)),
              did_you_mean(row.name.text, names));
  }

  void ignore(const LineReader&, const Row&) {}
  void read_end_frame(const LineReader&, const Row&) { ++frame_; }

  void read_sphere(const LineReader& line, const Row& row) {
    need_cells(line, row, 5);
    paint(line, row, sphere(ball(line, row)),
          read_flag(line, row.cells[4]) ? edit::PaintMode::Add : edit::PaintMode::Remove);
  }

  void read_cube(const LineReader& line, const Row& row) {
    need_cells(line, row, 5);
    edit::PaintMode mode = read_flag(line, row.cells[4]) ? edit::PaintMode::Add : edit::PaintMode::Remove;
    paint(line, row, shape_of(cube_around(ball(line, row))), mode);
  }

  void read_paint(const LineReader& line, const Row& row) {
    need_cells(line, row, 4);
    edit::Shape shape = sphere(ball(line, row));
    if (options_.materials) {
      paint(line, row, shape, edit::PaintMode::Paint);
    } else {
      ++left_out_;
    }
  }

  void read_fill(const LineReader& line, const Row& row) {
    need_cells(line, row, 4);
    Ball around = ball(line, row);
    Int3 min = cube_around(around).min;
    auto reach = static_cast<int32_t>(std::ceil(around.radius));
    VoxelBox box = cube_at(min, 2 * static_cast<uint32_t>(reach));
    edit::FillEdit fill{
        .seed = min + Int3{reach, reach, reach}, .material = options_.material, .shape = shape_of(box)};
    add(line, row, edit::Edit(fill));
  }

  void read_copy(const LineReader& line, const Row& row) {
    if (row.cells.size() != 10 && row.cells.size() != 21)
      line.fail(row.name, fmt::format("{} cells follow 'EditCopy', expected 10 or 21", row.cells.size()));
    edit::Turn turn = row.cells.size() == 21 ? read_turn(line, row) : edit::Turn();
    Vec3d at = place(line, row, 0), source = rounded(place(line, row, 3)),
          dest = rounded(place(line, row, 6));
    Vec3d offset = at - source;
    Vec3d to = {};
    for (uint32_t k = 0; k < 3; ++k) to[k] = turn.flip[k] ? -offset[turn.axis[k]] : offset[turn.axis[k]];
    Ball target = {dest + to, length(line, row.cells[9])};
    check_range(line, row.name, target.center);
    add(line, row,
        edit::Edit(copy_to(cube_around(target), vec_of<int32_t>(source), vec_of<int32_t>(dest), turn)));
  }

  void read_undo(const LineReader& line, const Row& row) { add(line, row, edit::Undo{}); }
  void read_redo(const LineReader& line, const Row& row) { add(line, row, edit::Redo{}); }

  // Reads the rotation that the matrix describes and converts it to the scene's axes.
  edit::Turn read_turn(const LineReader& line, const Row& row) const {
    if (read_flag(line, row.cells[19]))
      line.fail(row.cells[19], "the copy is twisted, which an edit cannot do");
    edit::Turn turn;
    for (size_t k = 0; k < 3; ++k) {
      size_t ones = 0, zeros = 0;
      for (size_t j = 0; j < 3; ++j) {
        constexpr double kNear = 1e-4;
        const Word& cell = row.cells[10 + 3 * size_t{options_.swizzle[k]} + options_.swizzle[j]];
        double entry = read_number(line, cell);
        zeros += std::abs(entry) < kNear ? 1 : 0;
        if (std::abs(std::abs(entry) - 1) >= kNear) continue;
        ++ones;
        turn.axis[k] = static_cast<uint8_t>(j);
        turn.flip[k] = entry < 0;
      }
      if (ones != 1 || zeros != 2) fail_turn(line, row);
    }
    if ((1u << turn.axis[0] | 1u << turn.axis[1] | 1u << turn.axis[2]) != 7) fail_turn(line, row);
    return turn;
  }

  [[noreturn]] static void fail_turn(const LineReader& line, const Row& row) {
    line.fail(row.cells[10],
              "the copy is scaled, or rotated by other than right angles, which an edit cannot do");
  }

  void paint(const LineReader& line, const Row& row, const edit::Shape& shape, edit::PaintMode mode) {
    uint8_t material = mode == edit::PaintMode::Remove ? uint8_t{0} : options_.material;
    add(line, row, edit::Edit(edit::PaintEdit{.shape = shape, .mode = mode, .material = material}));
  }

  void add(const LineReader& line, const Row& row, edit::Action action) {
    builder_.add(line, row.name, std::move(action), frame_);
  }

  // --- cells ---

  static void need_cells(const LineReader& line, const Row& row, size_t count) {
    if (row.cells.size() != count)
      line.fail(row.name,
                fmt::format("{} cells follow '{}', expected {}", row.cells.size(), row.name.text, count));
  }

  static bool read_flag(const LineReader& line, const Word& cell) {
    if (cell.text == "true" || cell.text == "TRUE") return true;
    if (cell.text == "false" || cell.text == "FALSE") return false;
    line.fail(cell, fmt::format("expected true or false, not {}", in_quotes(cell.text)));
  }

  static double read_number(const LineReader& line, const Word& cell) {
    auto value = parse_decimal(cell.text);
    if (!value) line.fail(cell, fmt::format("{} is no number", in_quotes(cell.text)));
    return *value;
  }

  double scaled(double value) const { return value * options_.scale.numerator / options_.scale.denominator; }

  Vec3d place(const LineReader& line, const Row& row, size_t first) const {
    auto component = [&](size_t k) {
      return scaled(read_number(line, row.cells[first + options_.swizzle[k]]));
    };
    Vec3d at = Vec3d{component(0), component(1), component(2)} + options_.shift;
    check_range(line, row.cells[first], at);
    return at;
  }

  static void check_range(const LineReader& line, const Word& word, Vec3d at) {
    // Places stay within an edit's range even with the largest radius around them.
    constexpr auto kMost = static_cast<double>(edit::kMaxEditPlace - edit::kMaxEditRadius - 1);
    if (!(std::abs(at.x) <= kMost && std::abs(at.y) <= kMost && std::abs(at.z) <= kMost))
      line.fail(word, fmt::format("lies beyond ±{} voxels", format_count(static_cast<uint64_t>(kMost))));
  }

  double length(const LineReader& line, const Word& cell) const {
    double radius = scaled(read_number(line, cell));
    if (!(radius >= 0 && radius <= static_cast<double>(edit::kMaxEditRadius)))
      line.fail(cell, fmt::format("{} is no radius from 0 to {} voxels", in_quotes(cell.text),
                                  format_count(edit::kMaxEditRadius)));
    return radius;
  }

  Ball ball(const LineReader& line, const Row& row) const {
    return {place(line, row, 0), length(line, row.cells[3])};
  }

  static edit::Shape sphere(const Ball& ball) {
    return {.kind = edit::ShapeKind::Sphere,
            .a = in_units(ball.center),
            .radius = std::llround(ball.radius * static_cast<double>(edit::kEditUnits))};
  }

  static Vec3d rounded(Vec3d v) { return {std::round(v.x), std::round(v.y), std::round(v.z)}; }

  const ReplayOptions& options_;
  ScriptBuilder builder_;
  uint32_t frame_ = 1;
  uint64_t left_out_ = 0;
};

}  // namespace

bool is_replay_path(const std::filesystem::path& path) {
  return has_role(path, FileRole::Recording);
}

edit::Script parse_replay_csv(std::string text, const std::filesystem::path& path,
                              const ReplayOptions& options, const edit::OnScriptError& on_error) {
  return ReplayParser(std::move(text), path, options, on_error).parse();
}

edit::Script read_replay_csv(const std::filesystem::path& path, const ReplayOptions& options,
                             const edit::OnScriptError& on_error) {
  return parse_replay_csv(read_script_text(path), path, options, on_error);
}

ReplayScale parse_replay_scale(std::string_view text) {
  size_t slash = text.find('/');
  auto numerator = parse_decimal(text.substr(0, slash));
  auto denominator = slash == std::string_view::npos ? 1.0 : parse_decimal(text.substr(slash + 1));
  auto positive = [](std::optional<double> v) { return v && *v > 0 && std::isfinite(*v); };
  if (!positive(numerator) || !positive(denominator))
    throw UsageError(
        fmt::format("the scale is '{}', expected a number above 0 or a fraction, such as 4, 0.5 or 1/3",
                    text))
        .about("scale");
  return {*numerator, *denominator};
}

std::array<uint8_t, 3> parse_replay_swizzle(std::string_view text) {
  std::array<uint8_t, 3> axes = {};
  uint32_t seen = 0;
  for (size_t k = 0; k < 3 && text.size() == 3; ++k) {
    if (text[k] < 'x' || text[k] > 'z') break;
    axes[k] = static_cast<uint8_t>(text[k] - 'x');
    seen |= 1u << axes[k];
  }
  if (seen != 7)
    throw UsageError(
        fmt::format("the order of axes is '{}', expected x, y and z in some order, such as xzy", text))
        .about("swizzle");
  return axes;
}

Vec3d parse_replay_shift(std::string_view text) {
  const auto parts = split_at_commas<3>(text);
  Vec3d shift = {};
  for (uint32_t axis = 0; axis < 3; ++axis) {
    const auto value = parts ? parse_decimal((*parts)[axis]) : std::nullopt;
    if (!value || !std::isfinite(*value))
      throw UsageError(fmt::format("the shift is '{}', expected x,y,z such as 10,0,-5", text)).about("shift");
    shift[axis] = *value;
  }
  return shift;
}

}  // namespace vox
