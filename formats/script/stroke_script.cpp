#include "formats/script/scripts.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "formats/script/script_parts.h"
#include "libvox/base/error.h"
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

}  // namespace vox
