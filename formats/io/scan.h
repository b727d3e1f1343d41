// Reads the values in files: scans text, and takes numbers from bytes. A text is followed by a zero byte (MappedFile), which
// ends a line, so functions need not check for the end of the text. Lines end with LF, CRLF or CR.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "libvox/base/error.h"

namespace vox {

inline bool is_line_end(char c) {
  return c == '\n' || c == '\r' || c == '\0';
}

inline bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

inline bool is_digit(char c) {
  return static_cast<unsigned char>(c - '0') < 10;
}

// True at a backslash at the end of a line, which joins the line with the next one (OBJ, MTL).
inline bool is_continuation(const char* p) {
  return *p == '\\' && (p[1] == '\n' || p[1] == '\r');
}

inline const char* skip_line_end(const char* p) {
  return p + (p[0] == '\r' && p[1] == '\n' ? 2 : 1);
}

inline const char* skip_blanks(const char* p) {
  for (;;) {
    if (is_blank(*p)) {
      ++p;
    } else if (is_continuation(p)) {
      p = skip_line_end(p + 1);
    } else {
      return p;
    }
  }
}

// Returns the end of the word at p, which is a blank or the end of the line.
inline const char* word_end(const char* p) {
  while (!is_blank(*p) && !is_line_end(*p) && !is_continuation(p)) ++p;
  return p;
}

// Returns the start of the next line; joined lines count as one.
inline const char* next_line(const char* p) {
  for (;;) {
    while (!is_line_end(*p) && *p != '\\') ++p;
    if (is_line_end(*p)) return skip_line_end(p);
    p = is_continuation(p) ? skip_line_end(p + 1) : p + 1;
  }
}

// Calls f(p) with the first word of every line that is not a comment. f returns the place up to which it has
// read. This is for OBJ and MTL files. A backslash at the end of a comment does not continue it, because it
// may end a Windows path.
template <class F>
void for_each_line(std::string_view text, F f) {
  const char* end = text.data() + text.size();
  for (const char* p = text.data(); p < end;) {
    p = skip_blanks(p);
    if (*p == '#') {
      while (!is_line_end(*p)) ++p;
      p = skip_line_end(p);
    } else {
      p = next_line(f(p));
    }
  }
}

// Returns the number of the line that contains `position`, a pointer into `text`; the first line is 1.
inline uint64_t line_number(std::string_view text, const char* position) {
  uint64_t number = 1;
  for (const char* p = text.data(); p < position; p = skip_line_end(p)) {
    while (p < position && *p != '\n' && *p != '\r') ++p;
    if (p < position) ++number;
  }
  return number;
}

// Returns the text from p to the end of the line, with continued lines joined and surrounding blanks removed.
inline std::string rest_of_line(const char* p) {
  std::string text;
  for (p = skip_blanks(p); !is_line_end(*p);) {
    const char* next = skip_blanks(p);
    if (next == p) {
      text += *p++;
    } else {
      bool joined = std::any_of(p, next, [](char c) { return c == '\\'; });
      joined ? text += ' ' : text.append(p, next);
      p = next;
    }
  }
  while (!text.empty() && is_blank(text.back())) text.pop_back();
  return text;
}

struct Number {
  double value = 0;
  const char* end = nullptr;  // the end of the number; null if there is none
};

// Scans the numbers that scan_number() does not handle: those with more digits or large exponents, inf, and
// nan. "1.#IND" and the like, which old Windows programs print, are NaN; a number beyond the range of double
// becomes infinite or zero.
inline Number scan_unusual_number(const char* p) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const char* end = word_end(p);
  if (*p == '+' && p[1] != '-') ++p;
  double value = 0;
  auto [parsed, error] = std::from_chars(p, end, value);
  if (parsed < end && *parsed == '#') return {kNan, end};
  if (parsed != end || error == std::errc::invalid_argument) return {};
  // strtod() gives infinity or a value near 0, whichever it is.
  if (error == std::errc::result_out_of_range) value = std::strtod(std::string(p, end).c_str(), nullptr);
  return {value, end};
}

// Scans the number at p, correctly rounded. A blank or the end of the line must follow it.
inline Number scan_number(const char* p) {
  static constexpr std::array<double, 23> kPowersOfTen = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                          1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                          1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  const char* start = p;
  bool negative = *p == '-';
  if (negative) ++p;
  const char* digits = p;
  uint64_t mantissa = 0;
  while (is_digit(*p)) mantissa = mantissa * 10 + static_cast<uint64_t>(*p++ - '0');
  int64_t count = p - digits, decimals = 0;
  if (*p == '.') {
    const char* point = p++;
    while (is_digit(*p)) mantissa = mantissa * 10 + static_cast<uint64_t>(*p++ - '0');
    decimals = p - point - 1;
    count += decimals;
  }
  // Both the mantissa and the power are exact doubles, so their quotient is rounded once (Clinger 1990). A
  // number of 19 digits fits into 64 bits.
  bool exact = count > 0 && count <= 19 && mantissa <= uint64_t{1} << 53 && decimals <= 22;
  if (!exact || !(is_blank(*p) || is_line_end(*p))) return scan_unusual_number(start);
  double value = static_cast<double>(mantissa) / kPowersOfTen[static_cast<size_t>(decimals)];
  return {negative ? -value : value, p};
}

// Reads the bytes of a file from front to back. Reading beyond the end is an error.
class ByteCursor {
 public:
  // `offset` is the place of the bytes in the file, for messages.
  explicit ByteCursor(std::span<const std::byte> bytes, uint64_t offset = 0)
      : bytes_(bytes), end_(offset + bytes.size()) {}

  uint64_t left() const { return bytes_.size(); }
  uint64_t offset() const { return end_ - bytes_.size(); }  // the place of the next byte in the file

  std::span<const std::byte> take(uint64_t count) {
    if (count > left())
      fail(fmt::format("expected {} more bytes, but there are {}; is the file truncated?", count, left()));
    const auto taken = bytes_.first(count);
    bytes_ = bytes_.subspan(count);
    return taken;
  }
  ByteCursor part(uint64_t count) {
    const uint64_t at = offset();
    return ByteCursor(take(count), at);
  }
  std::string_view text(uint64_t count) {
    const auto taken = take(count);
    return {reinterpret_cast<const char*>(taken.data()), taken.size()};
  }

  // Read a whole number in little-endian or big-endian byte order.
  template <class T>
  T little() {
    return number<T>(std::endian::little);
  }
  template <class T>
  T big() {
    return number<T>(std::endian::big);
  }

  [[noreturn]] void fail(const std::string& problem) const {
    throw Error(fmt::format("byte {}: {}", offset(), problem));
  }

 private:
  template <class T>
  T number(std::endian order) {
    const auto taken = take(sizeof(T));
    uint64_t value = 0;
    for (size_t i = 0; i < sizeof(T); ++i) {
      const size_t place = order == std::endian::little ? i : sizeof(T) - 1 - i;
      value |= std::to_integer<uint64_t>(taken[i]) << 8 * place;
    }
    return static_cast<T>(value);
  }

  std::span<const std::byte> bytes_;
  uint64_t end_;  // the end of the bytes, as an offset in the file
};

// Numbers in the bytes of files that are little-endian, as this machine is, and texts of numbers and names.

static_assert(std::endian::native == std::endian::little, "values are copied from and to files");

// Returns the value at this place, which need not be aligned.
template <class T>
T value_at(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

// Returns the number that the whole text stands for, if it stands for one of this type.
template <class T, class... Base>
std::optional<T> parsed_number(std::string_view text, Base... base) {
  T value = {};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base...);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

inline std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

// Returns the text without the characters at both ends that are among `blanks`.
constexpr std::string_view trimmed(std::string_view text, std::string_view blanks = " \t\r\v\f") {
  const size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// The types of floating-point numbers in files that hold distances, and the conversion to and from 16 bits.

enum class Floats { F16, F32 };

constexpr uint32_t bytes_of(Floats floats) {
  return floats == Floats::F16 ? 2 : 4;
}

// Returns the nearest number of 16 bits (IEEE 754's binary16); if two are equally near, the one with an even fraction.
inline uint16_t half_of(float value) {
  constexpr uint32_t kInfinity = 0x7f800000, kTooLarge = 0x477ff000, kLeastNormal = 0x38800000;
  const auto bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = bits >> 16 & 0x8000, rest = bits & 0x7fffffff;
  if (rest > kInfinity) return static_cast<uint16_t>(sign | 0x7e00);
  if (rest >= kTooLarge) return static_cast<uint16_t>(sign | 0x7c00);
  if (rest < kLeastNormal) {
    // The last bit of a sum with 1/2 has the weight of the last bit of subnormal halves, so the addition rounds.
    const float sum = std::bit_cast<float>(rest) + 0.5f;
    return static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(sum) - std::bit_cast<uint32_t>(0.5f)));
  }
  const uint32_t exponents = (127u - 15u) << 23;
  return static_cast<uint16_t>(sign | (rest - exponents + 0xfff + (rest >> 13 & 1)) >> 13);
}

inline float float_of_half(uint16_t half) {
  const uint32_t sign = uint32_t{half & 0x8000u} << 16, exponent = half >> 10 & 31u, mantissa = half & 0x3ffu;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | mantissa << 13);
  if (exponent > 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
  const float small = static_cast<float>(mantissa) * 0x1p-24f;
  return sign != 0 ? -small : small;
}

}  // namespace vox
