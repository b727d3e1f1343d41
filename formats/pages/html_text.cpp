#include "formats/pages/html_text.h"

#include <cstdint>

namespace vox {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";  // U+FFFD

bool continues(char c) {
  return (static_cast<uint8_t>(c) & 0xc0) == 0x80;
}

// Returns the size of the text's first character in bytes; 0 if it is not allowed in a page.
size_t character_size(std::string_view text) {
  const auto first = static_cast<uint8_t>(text[0]);
  if (first < 0x80) return first >= 0x20 && first != 0x7f ? 1 : first == '\n' || first == '\t' ? 1 : 0;
  const size_t size = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  if (size == 0 || text.size() < size) return 0;
  uint32_t code = first & (0x7fu >> size);
  for (size_t i = 1; i < size; ++i) {
    if (!continues(text[i])) return 0;
    code = code << 6 | (static_cast<uint8_t>(text[i]) & 0x3f);
  }
  const bool longer_than_needed = (size == 3 && code < 0x800) || (size == 4 && code < 0x10000);
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  const bool turns_text_around = (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
  const bool control = code < 0xa0;
  if (longer_than_needed || surrogate || turns_text_around || control || code > 0x10ffff) return 0;
  return size;
}

}  // namespace

std::string escape_html(std::string_view text) {
  std::string html;
  while (!text.empty()) {
    const size_t size = character_size(text);
    switch (text[0]) {
      case '&':
        html += "&amp;";
        break;
      case '<':
        html += "&lt;";
        break;
      case '>':
        html += "&gt;";
        break;
      case '"':
        html += "&quot;";
        break;
      case '\'':
        html += "&#39;";
        break;
      default:
        html += size == 0 ? kReplacement : text.substr(0, size);
    }
    text.remove_prefix(size == 0 ? 1 : size);
  }
  return html;
}

size_t character_count(std::string_view text) {
  size_t count = 0;
  for (const char c : text) count += continues(c) ? 0 : 1;
  return count;
}

std::string shortened(std::string_view text, size_t most) {
  if (character_count(text) <= most) return std::string(text);
  size_t end = 0;
  for (size_t count = 0; end < text.size(); ++end)
    if (!continues(text[end]) && ++count == most) break;
  return std::string(text.substr(0, end)) + "…";
}

}  // namespace vox
