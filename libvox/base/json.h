// Writes JSON objects, with their keys in the order in which they were set. It does what --json needs;
// nothing here reads JSON.
//
//   Json result;
//   result.set("voxels", 12).set("device", "cpu");
//   result.object("seconds").set("load", 0.12);
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace vox {

class Json {
 public:
  Json& set(std::string key, std::string_view value);
  Json& set(std::string key, const char* value) { return set(std::move(key), std::string_view(value)); }
  Json& set(std::string key, bool value);
  Json& set(std::string key, double value);
  Json& set(std::string key, std::integral auto value) {
    return set_raw(std::move(key), std::to_string(value));
  }
  Json& object(std::string key);  // a new nested object for the caller to fill
  Json& array(std::string key);   // a new nested array, which append() fills
  Json& append();                 // a new object at the end of this array
  Json& append(double value) { return set("", value); }
  Json& append(std::integral auto value) { return set("", value); }

  std::string text() const;  // indented by two spaces, without a newline at the end

 private:
  Json& set_raw(std::string key, std::string text);
  void write(std::string& out, int indent) const;
  bool is_array_ = false;
  std::vector<std::pair<std::string, std::string>> keys_;  // key and plain value's text ("" if nested)
  std::deque<Json> nested_;                                // the nested values, in the order of their keys
};

// Text that comes from files, made safe for a terminal: an escape sequence in the name of a material must not move the
// cursor, change the title of a window or hide what follows.

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
