// Files without a name: no other program finds them, and they are gone when they are closed, however the
// program ends.
#pragma once

#include <filesystem>

namespace vox {

// Opens a new file in a folder for reading and writing. Returns its descriptor, or -1 and sets errno.
int open_nameless(const std::filesystem::path& folder);

}  // namespace vox
