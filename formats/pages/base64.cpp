#include "formats/pages/base64.h"

#include <string_view>

namespace vox {

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
