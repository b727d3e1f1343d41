// The time and memory that another library may take to read a file. A file says how much data follows, and a
// damaged one may claim any amount.
#pragma once

#include <filesystem>

#include "formats/io/child_process.h"

namespace vox {

// A reader may take 256 MiB plus 64 times the file's size, and 10 s plus a second for each MiB. Files with
// compressed contents count as 16 times as large. Throws Error if there is no such file.
ChildLimits may_take(const std::filesystem::path& path);

}  // namespace vox
