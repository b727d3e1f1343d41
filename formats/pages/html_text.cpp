#include "formats/pages/html_page.h"

#include "libvox/base/json.h"

namespace vox {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";  // U+FFFD

bool continues(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

// Returns the size of the text's first character in bytes; 0 if it is not allowed in a page.
size_t character_size(std::string_view text) {
  const Utf8Character first = first_character(text);
  return first.is_plain() || first.code == '\n' || first.code == '\t' ? first.size : 0;
}

}  // namespace

std::string escape_html(std::string_view text) {
  std::string html;
  while (!text.empty()) {
    const size_t size = character_size(text);
    html += text[0] == '&'    ? "&amp;"
            : text[0] == '<'  ? "&lt;"
            : text[0] == '>'  ? "&gt;"
            : text[0] == '"'  ? "&quot;"
            : text[0] == '\'' ? "&#39;"
            : size == 0       ? kReplacement
                              : text.substr(0, size);
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

std::string to_base64(std::span<const uint8_t> bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const auto byte = [&](size_t at) -> uint32_t { return at < bytes.size() ? bytes[at] : 0; };
    const uint32_t word = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    for (size_t digit = 0; digit < 4; ++digit)
      text += i + digit <= bytes.size() ? kDigits[word >> (18 - 6 * digit) & 63] : '=';
  }
  return text;
}

}  // namespace vox
