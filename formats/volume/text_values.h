// Reads the values of a volume from text: numbers separated by blanks or line ends.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "formats/io/nameless_file.h"
#include "formats/volume/stored_type.h"

namespace vox {

// Converts the `count` numbers of a file's text from `offset` on to values of this type. Throws Error that
// names file and line if there are fewer or more numbers, or if one does not fit the type.
std::shared_ptr<NamelessFile> parsed_values(std::string_view text, uint64_t offset, StoredType type,
                                            uint64_t count, const std::filesystem::path& source);

}  // namespace vox
