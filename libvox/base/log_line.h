// Messages as finished strings; log.h formats them. Apart from it because nvcc's host passes cannot read
// fmt's headers.
#pragma once

#include <string>

namespace vox {

enum class LogLevel { Error, Warning, Info, Debug };

void set_log_level(LogLevel level);
LogLevel log_level();
void set_log_prefix(std::string prefix);  // the tool's name

void log_line(LogLevel level, const std::string& text);

}  // namespace vox
