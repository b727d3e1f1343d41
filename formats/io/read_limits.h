// The time and memory that another library may take to read a file. Files say how much data follows, and a
// damaged one may say anything.
#pragma once

#include <filesystem>

#include "formats/io/child_process.h"

namespace vox {

// A reader may take 256 MiB and 64 times the file's size, 10 s and a second for each MiB. Files with
// compressed contents count 16 times as large. Throws Error where there is no such file.
ChildLimits may_take(const std::filesystem::path& path);

}  // namespace vox
