#include "formats/io/scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>

#include "libvox/base/error.h"

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

namespace {

using namespace std::string_view_literals;

enum class Utf16Order { Little, Big };

uint32_t unit_at(std::string_view bytes, size_t i, Utf16Order order) {
  const auto first = static_cast<uint8_t>(bytes[i]), second = static_cast<uint8_t>(bytes[i + 1]);
  return order == Utf16Order::Little ? first | second << 8 : first << 8 | second;
}

void append_utf8(std::string& text, uint32_t c) {
  auto byte = [&](uint32_t bits) { text += static_cast<char>(bits); };
  if (c < 0x80) return byte(c);
  if (c < 0x800) {
    byte(0xc0 | c >> 6);
  } else {
    if (c < 0x10000) {
      byte(0xe0 | c >> 12);
    } else {
      byte(0xf0 | c >> 18);
      byte(0x80 | (c >> 12 & 0x3f));
    }
    byte(0x80 | (c >> 6 & 0x3f));
  }
  byte(0x80 | (c & 0x3f));
}

// Converts UTF-16 (RFC 2781).
std::string utf8_of(std::string_view bytes, Utf16Order order) {
  if (bytes.size() % 2 != 0)
    throw Error("UTF-16 text with an odd number of bytes").hint("is the file truncated?");
  std::string text;
  text.reserve(bytes.size() / 2);
  for (size_t i = 0; i < bytes.size(); i += 2) {
    uint32_t c = unit_at(bytes, i, order);
    if (c >= 0xd800 && c < 0xe000) {  // the first half of a pair
      const uint32_t next = i + 2 < bytes.size() ? unit_at(bytes, i + 2, order) : 0;
      if (c >= 0xdc00 || next < 0xdc00 || next >= 0xe000)
        throw Error(fmt::format("UTF-16 text with an incomplete character at byte {}", i));
      c = 0x10000 + ((c - 0xd800) << 10) + (next - 0xdc00);
      i += 2;
    }
    append_utf8(text, c);
  }
  return text;
}

}  // namespace

TextFile::TextFile(const std::filesystem::path& path) : file_(path), text_(file_.text()) {
  auto convert = [&](std::string_view bytes, Utf16Order order) {
    converted_ = utf8_of(bytes, order);
    text_ = converted_;
  };
  try {
    if (text_.starts_with("\xff\xfe\0\0"sv) || text_.starts_with("\0\0\xfe\xff"sv))
      throw Error("UTF-32 text is not supported").hint("save it as UTF-8");
    if (text_.starts_with("\xef\xbb\xbf")) {
      text_.remove_prefix(3);
    } else if (text_.starts_with("\xff\xfe")) {
      convert(text_.substr(2), Utf16Order::Little);
    } else if (text_.starts_with("\xfe\xff")) {
      convert(text_.substr(2), Utf16Order::Big);
    } else if (text_.size() >= 2 && text_[0] != '\0' && text_[1] == '\0') {
      convert(text_, Utf16Order::Little);
    } else if (text_.size() >= 2 && text_[0] == '\0' && text_[1] != '\0') {
      convert(text_, Utf16Order::Big);
    }
  } catch (Error& error) {
    throw error.at(path.string());
  }
}

}  // namespace vox
