// Numbers in the bytes of files that are little-endian, as this machine is, and texts of numbers and names.
#pragma once

#include <bit>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace vox {

static_assert(std::endian::native == std::endian::little, "values are copied from and to files");

// Returns the value at this place, which need not be aligned.
template <class T>
T value_at(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

// Returns the number that the whole text stands for, if it stands for one of this type.
template <class T, class... Base>
std::optional<T> parsed_number(std::string_view text, Base... base) {
  T value = {};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base...);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

inline std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

// Returns the text without the characters at both ends that are among `blanks`.
constexpr std::string_view trimmed(std::string_view text, std::string_view blanks = " \t\r\v\f") {
  const size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

}  // namespace vox
