// Refuses files of other programs that vox does not read. formats/file_types.h lists them, with advice for
// each.
#pragma once

#include <filesystem>

namespace vox {

// Looks only at the extension. Throws an Error with the advice if the file exists; a missing file is left to
// the readers.
void refuse_foreign(const std::filesystem::path& path);

}  // namespace vox
