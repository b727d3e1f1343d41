// Reads the text headers of volumes: lines of "name: value" or "name = value".
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "formats/io/output_file.h"
#include "formats/volume/stored_volume.h"

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

// Finds the files over which a volume's header spreads its values: a list of names, or a pattern with
// numbers.

// True if a header's field names several files: "LIST", or "slice%03d.raw 1 100 1".
bool names_several_files(std::string_view field);

// Returns the files of "slice%03d.raw 1 100 1": a pattern, the first number, the last number and the step,
// which is optional. Throws Error that names the first file that does not exist, and if there are more than
// `most`.
std::vector<std::filesystem::path> numbered_files(std::string_view field, const std::filesystem::path& folder,
                                                  int64_t most);

// Returns the files that the lines of a text name, up to the first empty line. Throws Error in the same
// cases.
std::vector<std::filesystem::path> listed_files(std::string_view lines, const std::filesystem::path& folder,
                                                int64_t most);

// Reads the values of a volume from text: numbers separated by blanks or line ends.

// Converts the `count` numbers of a file's text from `offset` on to values of this type. Throws Error that
// names file and line if there are fewer or more numbers, or if one does not fit the type.
std::shared_ptr<NamelessFile> parsed_values(std::string_view text, uint64_t offset, StoredType type,
                                            uint64_t count, const std::filesystem::path& source);

}  // namespace vox
