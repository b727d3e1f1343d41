#include "libvox/base/units.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

#include "libvox/base/error.h"

namespace vox {
namespace {

std::optional<double> suffix_factor(std::string_view suffix) {
  if (!suffix.empty() && (suffix.back() == 'B' || suffix.back() == 'b')) suffix.remove_suffix(1);
  if (!suffix.empty() && suffix.back() == 'i') suffix.remove_suffix(1);
  if (suffix.empty()) return 1.0;
  constexpr std::string_view kLetters = "KMGTkmgt";
  const size_t letter = kLetters.find(suffix[0]);
  if (suffix.size() != 1 || letter == std::string_view::npos) return std::nullopt;
  return std::ldexp(1.0, 10 * (static_cast<int>(letter % 4) + 1));
}

std::optional<uint64_t> parse_integer(std::string_view text) {
  uint64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<uint64_t> parse_scaled(std::string_view text) {
  constexpr uint64_t kMost = uint64_t{1} << 62;
  // A double would round large numbers.
  if (const auto whole = parse_integer(text)) return *whole <= kMost ? whole : std::nullopt;
  double value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || !(value >= 0)) return std::nullopt;
  auto factor = suffix_factor(text.substr(static_cast<size_t>(end - text.data())));
  if (!factor || value * *factor > 0x1p62) return std::nullopt;
  double scaled = value * *factor;
  if (scaled != std::floor(scaled)) return std::nullopt;
  return static_cast<uint64_t>(scaled);
}

}  // namespace

uint64_t parse_count(std::string_view text, std::string_view what) {
  if (auto caret = text.find('^'); caret != std::string_view::npos) {
    auto base = parse_integer(text.substr(0, caret)), exponent = parse_integer(text.substr(caret + 1));
    if (base == 2u && exponent && *exponent < 63) return uint64_t{1} << *exponent;
  } else if (auto value = parse_scaled(text); value && text.find_first_of("Bbi") == std::string_view::npos) {
    return *value;
  }
  throw UsageError(fmt::format("{} is '{}', expected a whole number such as 4096, 4K or 2^12", what, text));
}

double parse_number(std::string_view text, std::string_view what) {
  double value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    throw UsageError(fmt::format("{} is '{}', expected a number", what, text));
  return value;
}

uint64_t parse_bytes(std::string_view text, std::string_view what) {
  if (auto value = parse_scaled(text)) return *value;
  throw UsageError(fmt::format("{} is '{}', expected a size such as 800M or 1.5G", what, text));
}

std::string format_bytes(uint64_t bytes) {
  static constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  while (value >= 1024 && unit + 1 < std::size(kUnits)) value /= 1024, ++unit;
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.2f} {}", value, kUnits[unit]);
}

std::string format_count(uint64_t count) {
  std::string digits = std::to_string(count);
  for (size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return digits;
}

std::string format_count(uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", format_count(count), noun, count == 1 ? "" : "s");
}

std::string format_sides(const VoxelSize& sides) {
  if (sides.is_cube()) return fmt::format("{:.6g}", sides.x);
  return fmt::format("{:.6g} x {:.6g} x {:.6g}", sides.x, sides.y, sides.z);
}

std::string exact_sides(const VoxelSize& sides) {
  if (sides.is_cube()) return fmt::format("{}", sides.x);
  return fmt::format("{} {} {}", sides.x, sides.y, sides.z);
}

namespace {

struct LengthSuffix {
  std::string_view text;
  double per_meter;  // a power of ten, by which is divided: 1e-6 has no exact double
};
constexpr LengthSuffix kLengthSuffixes[] = {{"nm", 1e9}, {"um", 1e6}, {"\u00b5m", 1e6},
                                            {"mm", 1e3}, {"cm", 1e2}, {"m", 1}};

}  // namespace

GivenSize parse_sides(std::string_view text, std::string_view what) {
  const auto fail = [&](std::string_view expected) {
    return UsageError(fmt::format("{} is '{}', expected {}", what, text, expected));
  };
  std::vector<double> sides;
  size_t with_unit = 0;
  for (std::string_view rest = text;;) {
    const size_t comma = rest.find(',');
    std::string_view number = rest.substr(0, comma);
    double per_meter = 1;
    for (const LengthSuffix& suffix : kLengthSuffixes) {
      if (!number.ends_with(suffix.text)) continue;
      number.remove_suffix(suffix.text.size());
      per_meter = suffix.per_meter;
      ++with_unit;
      break;
    }
    const double side = parse_number(number, what) / per_meter;
    if (!(side > 0)) throw fail("lengths above 0");
    sides.push_back(side);
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  if (sides.size() != 1 && sides.size() != 3)
    throw fail("one length, or three with commas between them: x,y,z");
  if (with_unit != 0 && with_unit != sides.size()) throw fail("a unit at each length, or at none");
  return {{sides[0], sides.size() == 3 ? sides[1] : sides[0], sides.back()}, with_unit != 0};
}

std::string format_seconds(double seconds) {
  if (seconds < 10) return fmt::format("{:.2f} s", seconds);
  if (seconds < 60) return fmt::format("{:.1f} s", seconds);
  auto whole = static_cast<uint64_t>(std::llround(seconds));
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole / 60 % 60);
}

std::string timestamp() {
  std::time_t now = std::time(nullptr);
  const char* epoch = std::getenv("SOURCE_DATE_EPOCH");
  if (const std::string_view text = epoch == nullptr ? "" : epoch; !text.empty()) {
    constexpr std::time_t kEndOfYear9999 = 253402300799;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), now);
    if (error != std::errc() || end != text.data() + text.size() || now < 0 || now > kEndOfYear9999)
      throw Error(fmt::format("SOURCE_DATE_EPOCH is '{}', expected seconds since 1970", text))
          .hint(fmt::format("set it to a whole number from 0 to {}, or remove it", kEndOfYear9999));
  }
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now));
}

}  // namespace vox
