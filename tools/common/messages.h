// What tools say on stderr besides their results: the library's messages and their own, and progress, as a
// bar on a terminal and a line for each 10 % elsewhere.
#pragma once

#include "libvox/base/log_line.h"

namespace vox {

// From here on, for the tool of this name.
void show_messages(const char* tool);

// Up to this level; progress with those of Info.
void set_log_level(LogLevel level);

}  // namespace vox
