// Refuses files of other programs that vox does not read. formats/file_types.h says what they are, and what
// to do with them.
#pragma once

#include <filesystem>

namespace vox {

// Looks at the extension alone. Throws Error that says so where the file exists; a missing file is left to
// the readers.
void refuse_foreign(const std::filesystem::path& path);

}  // namespace vox
