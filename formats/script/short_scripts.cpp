// The readers of short scripts: strokes, cameras along a path, and rules that assign materials to names.
#include "formats/script/scripts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "formats/io/scan.h"
#include "formats/script/script_parts.h"
#include "libvox/base/error.h"
#include "libvox/base/geometry.h"
#include "libvox/base/units.h"

namespace vox {
namespace {

using painting::Stroke;
using painting::StrokeSpace;

constexpr double kMostLength = 1e100;  // small enough that its square is finite

// Reads the arguments of one stroke, in any order.
class StrokeReader {
 public:
  explicit StrokeReader(LineReader& line) : line_(line) {}

  Stroke read() {
    while (const auto name = line_.next()) read_argument(*name);
    stroke_.line = line_.number();
    need(color_, "color #rrggbb");
    need(radius_, "radius LENGTH");
    if (stroke_.points.empty()) missing("a place: from x,y,z and to x,y,z; at x,y,z; or uv u,v");
    if (from_ && !to_) missing("to x,y,z");
    return std::move(stroke_);
  }

 private:
  using Value = std::optional<Word>;  // the argument's name, if it is given

  void read_argument(const Word& name) {
    if (name.text == "color") return read_color(name);
    if (name.text == "radius") return read_radius(name);
    if (name.text == "edge") return read_edge(name);
    if (name.text == "from" || name.text == "through" || name.text == "to" || name.text == "at")
      return read_place(name);
    if (name.text == "uv") return read_uv(name);
    static constexpr std::string_view kNames[] = {"color",   "radius", "edge", "from",
                                                  "through", "to",     "at",   "uv"};
    line_.fail(name, fmt::format("{} is no argument of a stroke", in_quotes(name.text)),
               did_you_mean(name.text, kNames));
  }

  // Stores an argument, which may be given only once.
  void take(Value& value, const Word& name) const {
    if (value) line_.fail(name, fmt::format("'{}' is given twice", name.text));
    value = name;
  }
  void need(const Value& value, std::string_view what) const {
    if (!value) missing(what);
  }
  [[noreturn]] void missing(std::string_view what) const {
    line_.fail_at_end(fmt::format("the stroke lacks {}", what));
  }

  void read_color(const Word& name) {
    take(color_, name);
    const Word word = line_.need_with_marks("a color #rrggbb");
    const std::optional<scene::Rgb8> color = parse_hex_color(word.text);
    if (!color) line_.fail(word, fmt::format("{} is no color, expected #rrggbb", in_quotes(word.text)));
    stroke_.color = *color;
  }

  void read_radius(const Word& name) {
    take(radius_, name);
    const Word word = line_.need("the radius");
    stroke_.radius = number(word, word.text);
    if (!(stroke_.radius > 0))
      line_.fail(word, fmt::format("the radius is {}, expected more than 0", in_quotes(word.text)));
  }

  void read_edge(const Word& name) {
    take(edge_, name);
    const Word word = line_.need("a share from 0 to 1");
    stroke_.edge = number(word, word.text);
    if (!(stroke_.edge >= 0 && stroke_.edge <= 1))
      line_.fail(word, fmt::format("the edge is {}, expected a share of the radius from 0 to 1",
                                   in_quotes(word.text)));
  }

  void read_place(const Word& name) {
    const bool begins = name.text == "from" || name.text == "at";
    if (begins && !stroke_.points.empty()) line_.fail(name, "the stroke has begun already");
    if (!begins && !from_) line_.fail(name, fmt::format("expected 'from' before '{}'", name.text));
    if (!begins && to_) line_.fail(name, "the stroke has ended already");
    if (name.text == "from") from_ = name;
    if (name.text == "to") to_ = name;
    const auto [x, y, z] = numbers<3>("x,y,z");
    stroke_.points.push_back({x, y, z});
  }

  void read_uv(const Word& name) {
    if (!stroke_.points.empty()) line_.fail(name, "the stroke has begun already");
    const auto [u, v] = numbers<2>("u,v");
    stroke_.space = StrokeSpace::Texture;
    stroke_.points.push_back({u, v, 0});
  }

  template <size_t kCount>
  std::array<double, kCount> numbers(std::string_view what) const {
    const Word word = line_.need(what);
    const auto parts = split_at_commas<kCount>(word.text);
    if (!parts)
      line_.fail(word, fmt::format("{} is no {}: expected {} numbers with commas and no blanks between them",
                                   in_quotes(word.text), what, kCount));
    std::array<double, kCount> values;
    for (size_t i = 0; i < kCount; ++i) values[i] = number(word, (*parts)[i]);
    return values;
  }

  double number(const Word& word, std::string_view text) const {
    const auto value = parse_decimal(text);
    if (!value) line_.fail({text.data(), text}, fmt::format("{} is no number", in_quotes(text)));
    if (!(std::abs(*value) <= kMostLength))
      line_.fail(word, fmt::format("{} is too large, expected at most {:g}", in_quotes(text), kMostLength));
    return *value;
  }

  LineReader& line_;
  Stroke stroke_;
  Value color_, radius_, edge_, from_, to_;
};

}  // namespace

painting::Strokes parse_stroke_script(const std::string& text, const std::filesystem::path& path) {
  check_is_text(text, path);
  painting::Strokes strokes;
  uint64_t points = 0;
  for_each_line(text, path, [&](LineReader& line) {
    const auto word = line.next();
    if (!word) return;
    if (word->text != "stroke")
      line.fail(*word, fmt::format("{} is no command, expected stroke", in_quotes(word->text)));
    strokes.push_back(StrokeReader(line).read());
    points += strokes.back().points.size();
    if (strokes.size() > kMaxStrokes || points > kMaxStrokePoints)
      line.fail(*word, fmt::format("expected at most {} strokes with {} places", format_count(kMaxStrokes),
                                   format_count(kMaxStrokePoints)));
  });
  if (strokes.empty()) throw Error("has no strokes").at(path.string());
  return strokes;
}

painting::Strokes read_stroke_script(const std::filesystem::path& path) {
  return parse_stroke_script(read_script_text(path), path);
}

std::string stroke_script_help() {
  return R"(PAINTING: a script of strokes is text with one stroke a line; # begins a comment. A later stroke is
painted over an earlier one. Arguments come in any order; [ ] may be left out.

  stroke color #rrggbb radius LENGTH [edge SHARE] from x,y,z [through x,y,z ...] to x,y,z
  stroke color #rrggbb radius LENGTH [edge SHARE] at x,y,z
  stroke color #rrggbb radius LENGTH [edge SHARE] uv u,v

Places and lengths are in scene units with y up: a stroke paints every part of the surface that is closer to its line
than its radius. With uv they are texture coordinates from 0 to 1, v down from the texture's upper edge, of every
material. In the outer SHARE of the radius (0.5) the paint thins out to nothing; 0 is a hard edge.
)";
}

namespace {

constexpr std::array<std::string_view, 11> kColumns = {
    "eye_x", "eye_y", "eye_z", "target_x", "target_y", "target_z", "fov", "time", "up_x", "up_y", "up_z"};
constexpr size_t kNeeded = 6, kFov = 6, kTime = 7, kUp = 8, kBehindUp = 11;
constexpr double kFarthest = 1e15, kMostSeconds = 1e9;

class CameraReader {
 public:
  explicit CameraReader(const std::filesystem::path& path) : path_(path) {}

  render::CameraPath read() {
    const std::string text = read_script_text(path_);
    for_each_line(text, path_, [&](LineReader& line) {
      if (!line.peek()) return;  // only blanks and a comment
      const Word rest = *line.rest();
      const std::vector<Word> cells = cells_of({rest.at, rest.text.substr(0, rest.text.find('#'))});
      columns_.empty() ? read_names(line, cells) : read_row(line, cells);
    });
    if (way_.empty()) throw Error("has no row with a camera").at(path_.string());
    return std::move(way_);
  }

 private:
  void read_names(const LineReader& line, const std::vector<Word>& cells) {
    for (const Word& cell : cells) {
      const auto* const found = std::ranges::find(kColumns, cell.text);
      if (found == kColumns.end())
        line.fail(cell, fmt::format("{} is not a column of a camera path", in_quotes(cell.text)),
                  fmt::format("the first line names some of: {}", fmt::join(kColumns, ",")));
      const auto column = static_cast<size_t>(found - kColumns.begin());
      if (has(column)) line.fail(cell, fmt::format("the column {} occurs twice", cell.text));
      columns_.push_back(column);
    }
    expect(line, 0, kNeeded);
    for (size_t column = kUp; column < kBehindUp; ++column)
      if (has(column)) expect(line, kUp, kBehindUp);
    way_.timed = has(kTime);
  }

  void read_row(const LineReader& line, const std::vector<Word>& cells) {
    if (cells.size() != columns_.size())
      line.fail(cells.front(), fmt::format("{} cells, expected {}", cells.size(), columns_.size()));
    std::array<double, kColumns.size()> values = {};
    for (size_t i = 0; i < cells.size(); ++i) values[columns_[i]] = value(line, cells[i], columns_[i]);
    render::CameraKey key = {.eye = {values[0], values[1], values[2]},
                             .target = {values[3], values[4], values[5]},
                             .time = values[kTime]};
    if (has(kFov)) key.fov = values[kFov];
    if (has(kUp)) {
      key.up = {values[kUp], values[kUp + 1], values[kUp + 2]};
      if (!(length(*key.up) > render::kShortestUp))
        line.fail(cells.front(), "up is about 0,0,0, which is no direction");
    }
    if (key.eye == key.target) line.fail(cells.front(), "the eye is where its target is");
    if (way_.timed && !way_.empty() && !(key.time > way_.keys.back().time))
      line.fail(cells.front(), fmt::format("the time {} is not after the one before", key.time));
    way_.keys.push_back(key);
  }

  static double value(const LineReader& line, const Word& cell, size_t column) {
    const auto number = parse_decimal(cell.text);
    if (!number) line.fail(cell, fmt::format("{} is no number", in_quotes(cell.text)));
    const double low = column == kFov ? render::kMinFov : column == kTime ? 0 : -kFarthest;
    const double high = column == kFov ? render::kMaxFov : column == kTime ? kMostSeconds : kFarthest;
    if (!(*number >= low && *number <= high))
      line.fail(cell, fmt::format("{} is {}, expected {} to {}", kColumns[column], cell.text, low, high));
    return *number;
  }

  void expect(const LineReader& line, size_t first, size_t behind) const {
    for (size_t column = first; column < behind; ++column)
      if (!has(column)) line.fail_at_end(fmt::format("the column {} is missing", kColumns[column]));
  }
  bool has(size_t column) const { return std::ranges::find(columns_, column) != columns_.end(); }

  const std::filesystem::path& path_;
  std::vector<size_t> columns_;  // the meaning of each cell of a row
  render::CameraPath way_;
};

}  // namespace

render::CameraPath read_camera_csv(const std::filesystem::path& path) {
  return CameraReader(path).read();
}

namespace {

constexpr size_t kMostRules = 100'000;

uint32_t number_in(const LineReader& line, const Word& cell, uint32_t numbers) {
  const auto number = parsed_number<uint32_t>(cell.text);
  if (!number || *number < 1 || *number >= numbers)
    line.fail(cell, fmt::format("the number is {}, expected 1 to {}", in_quotes(cell.text), numbers - 1),
              "0 is for the names that no rule matches");
  return *number;
}

}  // namespace

std::vector<scene::AssignRule> read_assign_rules(const std::filesystem::path& path, uint32_t numbers) {
  const std::string text = read_script_text(path);
  std::vector<scene::AssignRule> rules;
  std::vector<uint32_t> line_of_name(numbers);
  std::vector<std::string> names(numbers);
  for_each_line(text, path, [&](LineReader& line) {
    const std::optional<Word> rest = line.rest();
    if (!rest || rest->text.starts_with('#')) return;
    const std::vector<Word> cells = cells_of(*rest);
    if (cells.size() < 2 || cells.size() > 3)
      line.fail(*rest,
                fmt::format("{}, expected 2 or 3: a pattern, a number and a name",
                            cells.size() == 1 ? "1 cell" : fmt::format("{} cells", cells.size())),
                "? in a pattern stands for any character, such as a comma");
    if (cells[0].text.empty()) line.fail(cells[0], "the pattern is empty", "* stands for any text");
    if (rules.size() == kMostRules) line.fail(*rest, fmt::format("more than {} rules", kMostRules));
    scene::AssignRule rule = {std::string(cells[0].text), number_in(line, cells[1], numbers), {}};
    if (cells.size() > 2) rule.name = cells[2].text;
    if (!rule.name.empty()) {
      std::string& known = names[rule.number];
      if (!known.empty() && known != rule.name)
        line.fail(cells[2], fmt::format("number {} is called {} here and {} in line {}", rule.number,
                                        in_quotes(rule.name), in_quotes(known), line_of_name[rule.number]));
      known = rule.name;
      line_of_name[rule.number] = line.number();
    }
    rules.push_back(std::move(rule));
  });
  if (rules.empty()) throw Error("has no rule").at(path.string());
  for (scene::AssignRule& rule : rules) rule.name = names[rule.number];
  return rules;
}

}  // namespace vox
