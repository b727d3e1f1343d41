// Shows messages on stderr: the library's and the program's own, and progress, which is a bar on a terminal and a line
// for each 10 % elsewhere.
#pragma once

#include <string>

#include "libvox/base/log_line.h"

namespace vox {

// Shows messages from here on, under the program's name.
void show_messages(const std::string& tool);

// Shows messages up to this level, and progress if the level is Info or higher.
void set_log_level(LogLevel level);

}  // namespace vox
