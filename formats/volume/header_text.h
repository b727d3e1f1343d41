// Reads the text headers of volumes: lines of "name: value" or "name = value".
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace vox {

std::string_view trimmed(std::string_view text);
std::vector<std::string_view> words_of(std::string_view text);

// Removes the first line from `text` and returns it without its line end.
std::string_view take_line(std::string_view& text);

// Reads the whole word as a number. Throws Error that mentions `what`.
int64_t header_integer(std::string_view word, std::string_view what);
double header_number(std::string_view word, std::string_view what);

// Reads `count` numbers separated by blanks. Throws Error if there are fewer or more.
std::vector<int64_t> header_integers(std::string_view text, std::string_view what, size_t count);
std::vector<double> header_numbers(std::string_view text, std::string_view what, size_t count);

}  // namespace vox
