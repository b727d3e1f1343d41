#include "formats/script/script_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "formats/io/read_file.h"
#include "formats/io/scan.h"
#include "libvox/base/error.h"
#include "libvox/base/units.h"
#include "libvox/scene/palette.h"

namespace vox {
namespace {

constexpr size_t kMaxTextBytes = size_t{1} << 30;
constexpr size_t kMaxShown = 40;

bool is_text(char c) {
  return static_cast<unsigned char>(c) >= ' ' || is_blank(c) || c == '\n' || c == '\r';
}

bool continues_character(char c) {  // UTF-8
  return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

}  // namespace

std::string read_script_text(const std::filesystem::path& path) {
  MappedFile file(path);
  if (file.text().size() > kMaxTextBytes)
    throw Error("is larger than 1 GiB").at(path.string()).hint("split the script");
  check_is_text(file.text(), path);
  return std::string(file.text());
}

void check_is_text(std::string_view text, const std::filesystem::path& path) {
  const auto* bad = std::find_if_not(text.begin(), text.end(), is_text);
  if (bad == text.end()) return;
  auto line = 1 + std::count(text.begin(), bad, '\n');
  throw Error(
      fmt::format("is no text file: a byte {:#04x} is in line {}", static_cast<unsigned char>(*bad), line))
      .at(path.string())
      .hint("expected a script, as ASCII or UTF-8");
}

void for_each_line(const std::string& text, const std::filesystem::path& path,
                   const std::function<void(LineReader&)>& read_line) {
  const char* const end = text.c_str() + text.size();
  uint32_t number = 0;
  for (const char* p = text.c_str() + (text.starts_with("\xef\xbb\xbf") ? 3 : 0); p < end;) {
    LineReader line(path, p, ++number);
    read_line(line);
    p = skip_line_end(line.position() + std::strcspn(line.position(), "\r\n"));
  }
}

std::optional<Word> LineReader::next() {
  const char* at = p_;
  while (is_blank(*at)) ++at;
  if (is_line_end(*at) || *at == '#') return std::nullopt;
  p_ = at;
  if (*at == '"') return quoted_word(at);
  while (!is_blank(*p_) && !is_line_end(*p_) && *p_ != '#') ++p_;
  return Word{at, {at, p_}};
}

Word LineReader::quoted_word(const char* at) {
  do ++p_;
  while (*p_ != '"' && !is_line_end(*p_));
  if (is_line_end(*p_)) fail(at, "the quotes are not closed", "");
  ++p_;
  if (!is_blank(*p_) && !is_line_end(*p_) && *p_ != '#') fail(p_, "expected a blank behind the quotes", "");
  return {at, {at + 1, p_ - 1}};
}

std::optional<Word> LineReader::rest() {
  while (is_blank(*p_)) ++p_;
  const char* at = p_;
  p_ += std::strcspn(p_, "\r\n");
  while (p_ > at && is_blank(p_[-1])) --p_;
  return p_ > at ? std::optional(Word{at, {at, p_}}) : std::nullopt;
}

Word LineReader::need(std::string_view expected) {
  if (auto word = next()) return *word;
  fail_at_end(fmt::format("expected {}", expected));
}

Word LineReader::need_with_marks(std::string_view expected) {
  while (is_blank(*p_)) ++p_;
  if (is_line_end(*p_)) fail_at_end(fmt::format("expected {}", expected));
  const char* at = p_;
  while (!is_blank(*p_) && !is_line_end(*p_)) ++p_;
  return {at, {at, p_}};
}

void LineReader::need_end() {
  if (auto word = next())
    fail(*word, fmt::format("expected the end of the line, not {}", in_quotes(word->text)));
}

void LineReader::fail(const Word& word, const std::string& problem, const std::string& hint) const {
  fail(word.at, problem, hint);
}

void LineReader::fail_at_end(const std::string& problem, const std::string& hint) const {
  fail(p_, problem, hint);
}

void LineReader::fail(const char* at, const std::string& problem, const std::string& hint) const {
  auto column = 1 + std::count_if(line_, at, [](char c) { return !continues_character(c); });
  throw Error(problem).at(fmt::format("{}:{}:{}", path_->string(), number_, column)).hint(hint);
}

std::vector<Word> cells_of(const Word& line) {
  constexpr size_t kMost = 1 << 16;  // far more than any line needs; the others are left out
  std::vector<Word> cells;
  const char* const end = line.at + line.text.size();
  for (const char* p = line.at; p <= end && cells.size() < kMost;) {
    const char* const comma = std::find(p, end, ',');
    const char *first = p, *last = comma;
    while (first < last && is_blank(*first)) ++first;
    while (first < last && is_blank(last[-1])) --last;
    cells.push_back({first, {first, last}});
    p = comma + 1;
  }
  return cells;
}

std::string in_quotes(std::string_view text) {
  if (text.size() <= kMaxShown) return fmt::format("'{}'", text);
  size_t shown = kMaxShown;
  while (shown > 0 && continues_character(text[shown])) --shown;
  return fmt::format("'{}…'", text.substr(0, shown));
}

namespace {

constexpr int64_t kMaxFixed = int64_t{1} << 31;

// The digits of a decimal number and the position of its point.
struct Decimal {
  std::string_view before, after;  // digits before and after the point
  int64_t exponent = 0;
  bool negative = false;

  int64_t digits() const { return static_cast<int64_t>(before.size() + after.size()); }
  uint32_t digit(int64_t i) const {  // i counts through `before` and `after`; 0 outside both
    if (i < 0 || i >= digits()) return 0;
    auto at = static_cast<size_t>(i);
    return static_cast<uint32_t>((at < before.size() ? before[at] : after[at - before.size()]) - '0');
  }
};

std::string_view take_digits(std::string_view& text) {
  size_t count = 0;
  while (count < text.size() && is_digit(text[count])) ++count;
  std::string_view digits = text.substr(0, count);
  text.remove_prefix(count);
  return digits;
}

std::string_view take_sign(std::string_view& text) {
  std::string_view sign = text.substr(0, text.starts_with('-') || text.starts_with('+'));
  text.remove_prefix(sign.size());
  return sign;
}

std::optional<Decimal> split_decimal(std::string_view text) {
  Decimal decimal;
  decimal.negative = take_sign(text) == "-";
  decimal.before = take_digits(text);
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    decimal.after = take_digits(text);
  }
  if (decimal.digits() == 0) return std::nullopt;
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    bool negative = take_sign(text) == "-";
    std::string_view digits = take_digits(text);
    if (digits.empty()) return std::nullopt;
    constexpr int64_t kHuge = int64_t{1} << 40;  // more digits than a script can have
    int64_t exponent = 0;
    for (char c : digits) exponent = std::min(kHuge, exponent * 10 + (c - '0'));
    decimal.exponent = negative ? -exponent : exponent;
  }
  return text.empty() ? std::optional(decimal) : std::nullopt;
}

bool is_not_finite(std::string_view text) {
  take_sign(text);
  const std::string lower = lower_case(text.substr(0, 9));
  return lower == "nan" || lower == "inf" || lower == "infinity";
}

}  // namespace

Fixed parse_fixed(std::string_view text) {
  auto decimal = split_decimal(text);
  if (!decimal) return {is_not_finite(text) ? NumberKind::NotFinite : NumberKind::NoNumber};
  int64_t point = static_cast<int64_t>(decimal->before.size()) + decimal->exponent;
  int64_t first = 0;  // the first digit that is not 0
  while (first < decimal->digits() && decimal->digit(first) == 0) ++first;
  if (first == decimal->digits()) return {NumberKind::Number, 0, true};
  if (point - first > 10) return {NumberKind::TooLarge};

  int64_t integer = 0, billionths = 0;
  for (int64_t i = first; i < point; ++i) integer = integer * 10 + decimal->digit(i);
  for (int64_t i = point; i < point + 9; ++i) billionths = billionths * 10 + decimal->digit(i);
  int64_t units = integer * edit::kEditUnits + (billionths * (2 * edit::kEditUnits) / 1'000'000'000 + 1) / 2;
  if (units >= kMaxFixed) return {NumberKind::TooLarge};
  bool whole = true;
  for (int64_t i = std::max(point, first); whole && i < decimal->digits(); ++i)
    whole = decimal->digit(i) == 0;
  return {NumberKind::Number, decimal->negative ? -units : units, whole};
}

std::optional<uint64_t> parse_whole(std::string_view text) {
  auto decimal = split_decimal(text);
  if (!decimal) return std::nullopt;
  int64_t first = 0, last = decimal->digits();  // the range of digits without leading and trailing zeros
  while (first < last && decimal->digit(first) == 0) ++first;
  while (last > first && decimal->digit(last - 1) == 0) --last;
  if (first == last) return 0;
  int64_t point = static_cast<int64_t>(decimal->before.size()) + decimal->exponent;
  if (decimal->negative || last > point) return std::nullopt;
  uint64_t value = 0;
  for (int64_t i = first; i < point; ++i) {
    if (value > (UINT64_MAX - decimal->digit(i)) / 10) return std::nullopt;
    value = value * 10 + decimal->digit(i);
  }
  return value;
}

std::optional<scene::Rgb8> parse_hex_color(std::string_view text) {
  if (text.size() != 7 || text[0] != '#') return std::nullopt;
  const auto rgb = parsed_number<uint32_t>(text.substr(1), 16);
  if (!rgb) return std::nullopt;
  return scene::Rgb8{static_cast<uint8_t>(*rgb >> 16), static_cast<uint8_t>(*rgb >> 8),
                     static_cast<uint8_t>(*rgb)};
}

std::optional<double> parse_decimal(std::string_view text) {
  if (!split_decimal(text)) return std::nullopt;
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) {
    bool tiny = parse_fixed(text).kind == NumberKind::Number;
    return tiny ? 0 : HUGE_VAL;
  }
  return value;
}

std::array<Word, 3> ValueReader::components(const Word& word) const {
  const auto parts = split_at_commas<3>(word.text);
  if (!parts) fail_no_place(word);
  const auto part = [&](size_t i) { return Word{(*parts)[i].data(), (*parts)[i]}; };
  return {part(0), part(1), part(2)};
}

void ValueReader::fail_no_place(const Word& word) const {
  line_.fail(word,
             fmt::format("{} is no x,y,z: expected three numbers with commas and no blanks between them",
                         in_quotes(word.text)));
}

void ValueReader::check(const Word& word, NumberKind kind) const {
  std::string text = in_quotes(word.text);
  switch (kind) {
    case NumberKind::Number:
      return;
    case NumberKind::NoNumber:
      line_.fail(word, fmt::format("{} is no number", text));
    case NumberKind::NotFinite:
      line_.fail(word, fmt::format("{} is not finite, expected a number", text));
    case NumberKind::TooLarge:
      line_.fail(word, fmt::format("{} is too large, expected at most {} voxels", text,
                                   format_count(edit::kMaxEditPlace)));
  }
}

Fixed ValueReader::fixed_number(const Word& word, double origin) const {
  Fixed fixed = parse_fixed(word.text);
  if (units_ == ScriptUnits::Voxels) return fixed;
  auto value = parse_decimal(word.text);
  if (!value) return fixed;  // `fixed` says why the word is not a number
  double units = (*value - origin) / frame_.voxel_size.x * static_cast<double>(edit::kEditUnits);
  if (!(std::abs(units) < static_cast<double>(kMaxFixed))) return {NumberKind::TooLarge};
  return {NumberKind::Number, std::llround(units), true};
}

int64_t ValueReader::coordinate(const Word& word, double origin) const {
  Fixed fixed = fixed_number(word, origin);
  if (std::abs(fixed.units) > edit::kMaxEditPlace * edit::kEditUnits) fixed.kind = NumberKind::TooLarge;
  check(word, fixed.kind);
  return fixed.units;
}

int32_t ValueReader::whole_coordinate(const Word& word, double origin) const {
  int64_t units = coordinate(word, origin);
  if (units_ == ScriptUnits::Voxels && !fixed_number(word, origin).whole)
    line_.fail(word, fmt::format("{} is no whole number of voxels", in_quotes(word.text)));
  constexpr int64_t kHalf = edit::kEditUnits / 2;
  return static_cast<int32_t>((units + (units < 0 ? -kHalf : kHalf)) / edit::kEditUnits);
}

edit::EditPlace ValueReader::place(const Word& word) const {
  const auto parts = components(word);
  return {coordinate(parts[0], frame_.origin.x), coordinate(parts[1], frame_.origin.y),
          coordinate(parts[2], frame_.origin.z)};
}

Int3 ValueReader::voxel(const Word& word) const {
  const auto parts = components(word);
  return {whole_coordinate(parts[0], frame_.origin.x), whole_coordinate(parts[1], frame_.origin.y),
          whole_coordinate(parts[2], frame_.origin.z)};
}

edit::EditPlace ValueReader::offset(const Word& word) const {
  const auto parts = components(word);
  return {coordinate(parts[0], 0), coordinate(parts[1], 0), coordinate(parts[2], 0)};
}

edit::EditPlace ValueReader::radii(const Word& word) const {
  const auto parts = components(word);
  return {length(parts[0]), length(parts[1]), length(parts[2])};
}

edit::EditPlace ValueReader::reach(const Word& word) const {
  if (word.text.find(',') != std::string_view::npos) return radii(word);
  int64_t all = length(word);
  return {all, all, all};
}

int64_t ValueReader::length(const Word& word) const {
  int64_t units = coordinate(word, 0);
  if (units < 0) line_.fail(word, fmt::format("{} is negative", in_quotes(word.text)));
  if (units > edit::kMaxEditRadius * edit::kEditUnits)
    line_.fail(word, fmt::format("{} is too large, expected at most {} voxels", in_quotes(word.text),
                                 format_count(edit::kMaxEditRadius)));
  return units;
}

uint32_t ValueReader::grain(const Word& word) const {
  if (units_ == ScriptUnits::Voxels) return static_cast<uint32_t>(whole(word, 1, edit::kMaxEditRadius));
  return static_cast<uint32_t>(
      std::max<int64_t>(1, (length(word) + edit::kEditUnits / 2) / edit::kEditUnits));
}

void ValueReader::check_order(const Word& word, edit::EditPlace min, edit::EditPlace max) const {
  char axis = min.x > max.x ? 'x' : min.y > max.y ? 'y' : min.z > max.z ? 'z' : '\0';
  if (axis != '\0') line_.fail(word, fmt::format("'max' is below 'min' on the {} axis", axis));
}

uint8_t ValueReader::material(const Word& word) const {
  const auto value = parsed_number<uint8_t>(word.text);
  if (!value || *value >= scene::kPaletteSize)
    line_.fail(word, fmt::format("{} is no material, expected 0 to {}", in_quotes(word.text),
                                 scene::kPaletteSize - 1));
  return *value;
}

scene::Rgb8 ValueReader::color(const Word& word) const {
  if (const std::optional<scene::Rgb8> color = parse_hex_color(word.text)) return *color;
  line_.fail(word, fmt::format("{} is no color, expected #rrggbb", in_quotes(word.text)));
}

uint8_t ValueReader::axis(const Word& word) const {
  if (word.text == "x") return 0;
  if (word.text == "y") return 1;
  if (word.text == "z") return 2;
  line_.fail(word, fmt::format("{} is no axis, expected x, y or z", in_quotes(word.text)));
}

uint64_t ValueReader::whole(const Word& word, uint64_t least, uint64_t most) const {
  auto value = parse_whole(word.text);
  if (!value || *value < least || *value > most)
    line_.fail(word, fmt::format("expected a whole number {}, not {}",
                                 most == UINT64_MAX ? fmt::format("of {} or more", least)
                                                    : fmt::format("from {} to {}", least, format_count(most)),
                                 in_quotes(word.text)));
  return *value;
}

double ValueReader::number(const Word& word) const {
  const auto value = parse_decimal(word.text);
  if (!value || !std::isfinite(*value))
    line_.fail(word, fmt::format("{} is no number", in_quotes(word.text)));
  return *value;
}

double ValueReader::share(const Word& word) const {
  bool percent = word.text.ends_with('%');
  auto value = parse_decimal(word.text.substr(0, word.text.size() - (percent ? 1 : 0)));
  double part = value ? *value / (percent ? 100 : 1) : -1;
  if (!(part > 0 && part <= 1))
    line_.fail(word, fmt::format("{} is no share, expected one such as 20% or 0.2", in_quotes(word.text)));
  return part;
}

double ValueReader::milliseconds(const Word& word) const {
  struct Unit {
    std::string_view name;
    double milliseconds;
  };
  for (Unit unit : {Unit{"ms", 1}, Unit{"us", 1e-3}, Unit{"s", 1e3}}) {
    if (!word.text.ends_with(unit.name)) continue;
    auto value = parse_decimal(word.text.substr(0, word.text.size() - unit.name.size()));
    if (value && *value >= 0 && *value <= 1e9) return *value * unit.milliseconds;
    break;
  }
  line_.fail(word,
             fmt::format("{} is no time, expected one such as 2ms, 500us or 0.1s", in_quotes(word.text)));
}

}  // namespace vox
