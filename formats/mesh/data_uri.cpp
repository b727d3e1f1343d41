#include "formats/mesh/data_uri.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdint>

#include "libvox/base/error.h"

namespace vox {
namespace {

constexpr uint8_t kNoDigit = 255;

// The value of each digit in both alphabets of RFC 4648.
constexpr auto kDigits = [] {
  std::array<uint8_t, 256> digits{};
  digits.fill(kNoDigit);
  constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t i = 0; i < kAlphabet.size(); ++i)
    digits[static_cast<uint8_t>(kAlphabet[i])] = static_cast<uint8_t>(i);
  digits['-'] = 62, digits['_'] = 63;
  return digits;
}();

std::vector<std::byte> from_base64(std::string_view text) {
  while (text.ends_with('=')) text.remove_suffix(1);
  std::vector<std::byte> bytes;
  bytes.reserve(text.size() / 4 * 3 + 3);
  uint32_t bits = 0, count = 0;  // the lowest `count` bits of `bits` have not been written yet
  for (char c : text) {
    uint8_t digit = kDigits[static_cast<uint8_t>(c)];
    if (digit == kNoDigit) {
      if (c == '\n' || c == '\r' || c == ' ') continue;
      throw Error(fmt::format("'{}' in a data: URI is not base64", c)).hint("is the file damaged?");
    }
    bits = bits << 6 | digit;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes.push_back(static_cast<std::byte>(bits >> count));
  }
  return bytes;
}

std::vector<std::byte> from_percent_escapes(std::string_view text) {
  std::vector<std::byte> bytes;
  for (size_t i = 0; i < text.size(); ++i) {
    uint8_t value = static_cast<uint8_t>(text[i]);
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(text.data() + i + 1, text.data() + i + 3, value, 16).ptr == text.data() + i + 3)
      i += 2;
    bytes.push_back(std::byte{value});
  }
  return bytes;
}

}  // namespace

std::optional<std::vector<std::byte>> data_of_uri(std::string_view uri) {
  if (!uri.starts_with("data:")) return std::nullopt;
  size_t comma = uri.find(',');
  if (comma == std::string_view::npos) throw Error("a data: URI without data");
  std::string_view type = uri.substr(0, comma), data = uri.substr(comma + 1);
  return type.ends_with(";base64") ? from_base64(data) : from_percent_escapes(data);
}

}  // namespace vox
