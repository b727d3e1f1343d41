#include "formats/script/scripts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "formats/file_types.h"
#include "formats/io/scan.h"
#include "formats/script/script_parts.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/units.h"

namespace vox {
namespace {

constexpr size_t kMaxCells = 22;  // the cells of EditCopy

struct Row {
  Word name;
  std::array<Word, kMaxCells> cells;  // the cells behind the name
  size_t count = 0;
};

Word trimmed(const char* begin, const char* end) {
  while (begin < end && is_blank(*begin)) ++begin;
  while (begin < end && is_blank(end[-1])) --end;
  return {begin, {begin, end}};
}

// Splits a line into cells. Cells beyond kMaxCells are counted but not kept.
Row split(const Word& line) {
  Row row;
  const char* p = line.at;
  const char* end = p + line.text.size();
  for (size_t cell = 0; p <= end; ++cell) {
    const char* comma = std::find(p, end, ',');
    Word word = trimmed(p, comma);
    if (cell == 0) row.name = word;
    if (cell > 0 && !word.text.empty()) row.count = cell;
    if (cell > 0 && cell <= kMaxCells) row.cells[cell - 1] = word;
    p = comma + 1;
  }
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

std::array<int32_t, 3> components(Int3 v) {
  return {v.x, v.y, v.z};
}

// Returns the copy that moves source + offset, turned, to dest + turned offset for all voxels of the target
// box.
edit::CopyEdit copy_to(const VoxelBox& target, Int3 source, Int3 dest, const edit::Turn& turn) {
  auto from = components(source), to = components(dest), low = components(target.min),
       high = components(target.max);
  std::array<int32_t, 3> min = {}, max = {};
  for (size_t k = 0; k < 3; ++k) {
    size_t axis = turn.axis[k];
    int32_t first = low[k] - to[k], last = high[k] - 1 - to[k];
    min[axis] = from[axis] + (turn.flip[k] ? -last : first);
    max[axis] = from[axis] + (turn.flip[k] ? -first : last) + 1;
  }
  edit::CopyEdit copy;
  copy.source = {{min[0], min[1], min[2]}, {max[0], max[1], max[2]}};
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
    if (row.count != 10 && row.count != 21)
      line.fail(row.name, fmt::format("{} cells follow 'EditCopy', expected 10 or 21", row.count));
    edit::Turn turn = row.count == 21 ? read_turn(line, row) : edit::Turn();
    Vec3d at = place(line, row, 0), source = rounded(place(line, row, 3)),
          dest = rounded(place(line, row, 6));
    Vec3d offset = at - source;
    const double from[3] = {offset.x, offset.y, offset.z};
    double to[3];
    for (size_t k = 0; k < 3; ++k) to[k] = turn.flip[k] ? -from[turn.axis[k]] : from[turn.axis[k]];
    Ball target = {dest + Vec3d{to[0], to[1], to[2]}, length(line, row.cells[9])};
    check_range(line, row.name, target.center);
    add(line, row, edit::Edit(copy_to(cube_around(target), whole(source), whole(dest), turn)));
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
    if (row.count != count)
      line.fail(row.name, fmt::format("{} cells follow '{}', expected {}", row.count, row.name.text, count));
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
  static Int3 whole(Vec3d v) {
    return {static_cast<int32_t>(v.x), static_cast<int32_t>(v.y), static_cast<int32_t>(v.z)};
  }

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
  std::array<double, 3> shift = {};
  std::string_view rest = text;
  for (size_t k = 0; k < 3; ++k) {
    size_t comma = rest.find(',');
    auto value = parse_decimal(rest.substr(0, comma));
    if ((comma == std::string_view::npos) != (k == 2) || !value || !std::isfinite(*value))
      throw UsageError(fmt::format("the shift is '{}', expected x,y,z such as 10,0,-5", text)).about("shift");
    shift[k] = *value;
    if (k < 2) rest.remove_prefix(comma + 1);
  }
  return {shift[0], shift[1], shift[2]};
}

}  // namespace vox
