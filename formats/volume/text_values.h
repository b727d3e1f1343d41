// Values of a volume that are written as text: numbers with blanks or ends of lines between them.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "formats/io/nameless_file.h"
#include "formats/volume/stored_type.h"

namespace vox {

// The `count` numbers of a file's text from `offset` on, as values of this type. Throws Error that names file
// and line where there are fewer or more, or one is none of the type.
std::shared_ptr<NamelessFile> parsed_values(std::string_view text, uint64_t offset, StoredType type,
                                            uint64_t count, const std::filesystem::path& source);

}  // namespace vox
