// Scans text that is followed by a zero byte (MappedFile). A zero byte ends a line, so no function has to
// check for the end of the text. Lines end with LF, CRLF or CR.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

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

// A backslash at the end of a line joins it with the next (OBJ, MTL).
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

// Calls f(p) with the first word of every line that is not a comment; f returns how far it has read. This is
// for OBJ and MTL files. A backslash at the end of a comment does not continue it, because it may end a
// Windows path.
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
uint64_t line_number(std::string_view text, const char* position);

// Returns the text from p to the end of the line, with continued lines joined and surrounding blanks removed.
std::string rest_of_line(const char* p);

struct Number {
  double value = 0;
  const char* end = nullptr;  // the end of the number; null if there is none
};

// Scans the numbers that scan_number() does not handle: those with more digits or large exponents, inf, and
// nan. "1.#IND" and the like, which old Windows programs print, are NaN; a number beyond the range of double
// becomes infinite or zero.
Number scan_unusual_number(const char* p);

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

}  // namespace vox
