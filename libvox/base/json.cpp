#include "libvox/base/json.h"

#include <fmt/format.h>

#include <cmath>

#include "libvox/base/plain_text.h"

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

}  // namespace vox
