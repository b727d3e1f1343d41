#include "libvox/base/json.h"

#include <fmt/format.h>

#include <cmath>

namespace vox {
namespace {

// Everything that is not plain is escaped, so that a terminal can show the result; bytes that are not UTF-8 become U+FFFD.
// JSON escapes code points above 0xffff by pairs, but all of those are plain.
std::string quote(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const Utf8Character first = first_character(text);
    if (first.code == Utf8Character::kInvalid) {
      out += "\\ufffd";
    } else if (!first.is_plain()) {
      out += fmt::format("\\u{:04x}", first.code);
    } else {
      if (first.code == '"' || first.code == '\\') out += '\\';
      out += text.substr(0, first.size);
    }
    text.remove_prefix(first.size);
  }
  return out + '"';
}

}  // namespace

Json& Json::set_raw(std::string key, std::string text) {
  keys_.emplace_back(std::move(key), std::move(text));
  return *this;
}

Json& Json::set(std::string key, std::string_view value) {
  return set_raw(std::move(key), quote(value));
}

Json& Json::set(std::string key, bool value) {
  return set_raw(std::move(key), value ? "true" : "false");
}

Json& Json::set(std::string key, double value) {
  return set_raw(std::move(key), std::isfinite(value) ? fmt::format("{}", value) : "null");
}

Json& Json::object(std::string key) {
  set_raw(std::move(key), "");
  return nested_.emplace_back();
}

Json& Json::array(std::string key) {
  Json& nested = object(std::move(key));
  nested.is_array_ = true;
  return nested;
}

Json& Json::append() {
  return object("");
}

std::string Json::text() const {
  std::string out;
  write(out, 0);
  return out;
}

void Json::write(std::string& out, int indent) const {
  out += is_array_ ? '[' : '{';
  auto nested = nested_.begin();
  for (size_t i = 0; i < keys_.size(); ++i) {
    out += i == 0 ? "\n" : ",\n";
    out.append(static_cast<size_t>(indent) + 2, ' ');
    const auto& [key, plain] = keys_[i];
    if (!is_array_) out += quote(key) + ": ";
    if (plain.empty()) {
      (nested++)->write(out, indent + 2);
    } else {
      out += plain;
    }
  }
  if (!keys_.empty()) {
    out += '\n';
    out.append(static_cast<size_t>(indent), ' ');
  }
  out += is_array_ ? ']' : '}';
}

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
