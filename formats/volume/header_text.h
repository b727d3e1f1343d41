// Headers of volumes: lines of "name: value" or "name = value".
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace vox {

std::string_view trimmed(std::string_view text);
std::vector<std::string_view> words_of(std::string_view text);

// The first line, without its end, which is taken off `text` with it.
std::string_view take_line(std::string_view& text);

// The whole word, or Error that names `what`.
int64_t header_integer(std::string_view word, std::string_view what);
double header_number(std::string_view word, std::string_view what);

// As many numbers as are expected, blanks between them.
std::vector<int64_t> header_integers(std::string_view text, std::string_view what, size_t count);
std::vector<double> header_numbers(std::string_view text, std::string_view what, size_t count);

}  // namespace vox
