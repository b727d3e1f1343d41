// Files of other programs that people have and that are not read: file_types.h says what they are, and what to do with them.
#pragma once

#include <filesystem>

namespace vox {

// By the extension alone. Throws Error that says so where a file is there; of one that is missing others
// complain.
void refuse_foreign(const std::filesystem::path& path);

}  // namespace vox
