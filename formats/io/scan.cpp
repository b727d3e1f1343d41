#include "formats/io/scan.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace vox {

uint64_t line_number(std::string_view text, const char* position) {
  uint64_t number = 1;
  for (const char* p = text.data(); p < position; p = skip_line_end(p)) {
    while (p < position && *p != '\n' && *p != '\r') ++p;
    if (p < position) ++number;
  }
  return number;
}

std::string rest_of_line(const char* p) {
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

Number scan_unusual_number(const char* p) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const char* end = word_end(p);
  if (*p == '+' && p[1] != '-') ++p;
  double value = 0;
  auto [parsed, error] = std::from_chars(p, end, value);
  if (parsed < end && *parsed == '#') return {kNan, end};
  if (parsed != end || error == std::errc::invalid_argument) return {};
  if (error == std::errc::result_out_of_range) {
    bool negative = *p == '-';
    const char* digits = p + negative;
    bool tiny =
        *digits == '.' || *digits == '0' || std::string_view(p, end).find('-', 1) != std::string::npos;
    value = std::copysign(tiny ? 0 : kInfinity, negative ? -1 : 1);
  }
  return {value, end};
}

}  // namespace vox
