#include "libvox/base/json.h"

#include <fmt/format.h>

#include <cmath>

namespace vox {
namespace {

std::string quote(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
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
