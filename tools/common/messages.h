// Shows on stderr what programs say besides their results: the library's messages and their own, and
// progress, as a bar on a terminal and as a line for each 10 % elsewhere.
#pragma once

#include "libvox/base/log_line.h"

namespace vox {

// Shows messages from here on, for the program of this name.
void show_messages(const char* tool);

// Shows messages up to this level. Progress is shown where messages of Info are.
void set_log_level(LogLevel level);

}  // namespace vox
