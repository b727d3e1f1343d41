#include "formats/volume/header_text.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "libvox/base/error.h"

namespace vox {
namespace {

constexpr std::string_view kBlanks = " \t\r\v\f";

std::vector<std::string_view> counted_words(std::string_view text, std::string_view what, size_t count) {
  std::vector<std::string_view> words = words_of(text);
  if (words.size() != count)
    throw Error(fmt::format("{} is '{}', expected {} numbers", what, trimmed(text), count));
  return words;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (size_t at = 0; (at = text.find_first_not_of(kBlanks, at)) != std::string_view::npos;) {
    const size_t end = std::min(text.find_first_of(kBlanks, at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

std::string_view take_line(std::string_view& text) {
  const size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

int64_t header_integer(std::string_view word, std::string_view what) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error == std::errc::result_out_of_range)
    throw Error(fmt::format("{} is {}, which is too large", what, word));
  if (error != std::errc() || end != word.data() + word.size())
    throw Error(fmt::format("{} is '{}', expected a whole number", what, word));
  return value;
}

double header_number(std::string_view word, std::string_view what) {
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size() || !std::isfinite(value))
    throw Error(fmt::format("{} is '{}', expected a number", what, word));
  return value;
}

std::vector<int64_t> header_integers(std::string_view text, std::string_view what, size_t count) {
  std::vector<int64_t> numbers;
  for (const std::string_view word : counted_words(text, what, count))
    numbers.push_back(header_integer(word, what));
  return numbers;
}

std::vector<double> header_numbers(std::string_view text, std::string_view what, size_t count) {
  std::vector<double> numbers;
  for (const std::string_view word : counted_words(text, what, count))
    numbers.push_back(header_number(word, what));
  return numbers;
}

}  // namespace vox
