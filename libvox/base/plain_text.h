// Text that comes from files, made safe for a terminal: an escape sequence in the name of a material must not move the
// cursor, change the title of a window or hide what follows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace vox {

// The character that a text begins with.
struct Utf8Character {
  static constexpr uint32_t kInvalid = UINT32_MAX;

  uint32_t code = kInvalid;  // the Unicode code point, or kInvalid if the bytes are not UTF-8
  size_t size = 1;           // bytes; 1 if they are not UTF-8

  // True unless the character is a control character (newline and tab included), changes the direction of writing, or
  // is not UTF-8.
  bool is_plain() const;
};

// Returns the first character of a text that is not empty.
Utf8Character first_character(std::string_view text);

// Returns the text with everything that is not plain, except for tabs, as \n, \x1b, \u202e or, if a byte is not UTF-8,
// \xff. The result is one line.
std::string escape_line(std::string_view text);

// The same for a text of several lines, whose newlines stay.
std::string escape_lines(std::string_view text);

}  // namespace vox
