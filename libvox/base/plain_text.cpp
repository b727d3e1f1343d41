#include "libvox/base/plain_text.h"

#include <fmt/format.h>

namespace vox {
namespace {

std::string escaped(std::string_view text, std::string_view kept) {
  std::string out;
  while (!text.empty()) {
    const auto [code, size] = first_character(text);
    if (Utf8Character{code, size}.is_plain() || kept.find(text[0]) != std::string_view::npos) {
      out += text.substr(0, size);
    } else if (code == '\n') {
      out += "\\n";
    } else if (size > 1) {
      out += fmt::format("\\u{:04x}", code);
    } else {
      out += fmt::format("\\x{:02x}", static_cast<uint8_t>(text[0]));
    }
    text.remove_prefix(size);
  }
  return out;
}

}  // namespace

bool Utf8Character::is_plain() const {
  const bool control = code < 0x20 || (code >= 0x7f && code < 0xa0);
  const bool turns_text_around = (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
  return code != kInvalid && !control && !turns_text_around;
}

Utf8Character first_character(std::string_view text) {
  const auto first = static_cast<uint8_t>(text[0]);
  if (first < 0x80) return {.code = first, .size = 1};
  const size_t size = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  if (size == 0 || text.size() < size) return {};
  uint32_t code = first & (0x7fu >> size);
  for (size_t i = 1; i < size; ++i) {
    if ((static_cast<uint8_t>(text[i]) & 0xc0) != 0x80) return {};
    code = code << 6 | (static_cast<uint8_t>(text[i]) & 0x3f);
  }
  const bool longer_than_needed = (size == 3 && code < 0x800) || (size == 4 && code < 0x10000);
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  if (longer_than_needed || surrogate || code > 0x10ffff) return {};
  return {.code = code, .size = size};
}

std::string escape_line(std::string_view text) {
  return escaped(text, "\t");
}

std::string escape_lines(std::string_view text) {
  return escaped(text, "\t\n");
}

}  // namespace vox
