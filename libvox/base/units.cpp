#include "libvox/base/units.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>

#include "libvox/base/error.h"

namespace vox {
namespace {

std::optional<double> suffix_factor(std::string_view suffix) {
  if (!suffix.empty() && (suffix.back() == 'B' || suffix.back() == 'b')) suffix.remove_suffix(1);
  if (!suffix.empty() && suffix.back() == 'i') suffix.remove_suffix(1);
  if (suffix.empty()) return 1.0;
  if (suffix.size() != 1) return std::nullopt;
  switch (suffix[0]) {
    case 'k':
    case 'K':
      return 0x1p10;
    case 'm':
    case 'M':
      return 0x1p20;
    case 'g':
    case 'G':
      return 0x1p30;
    case 't':
    case 'T':
      return 0x1p40;
    default:
      return std::nullopt;
  }
}

std::optional<uint64_t> parse_integer(std::string_view text) {
  uint64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<uint64_t> parse_scaled(std::string_view text) {
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

std::string format_seconds(double seconds) {
  if (seconds < 10) return fmt::format("{:.2f} s", seconds);
  if (seconds < 60) return fmt::format("{:.1f} s", seconds);
  auto whole = static_cast<uint64_t>(std::llround(seconds));
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole / 60 % 60);
}

}  // namespace vox
