// Log messages. They go to the sink that the program has set (log_line.h). Results are never logged.
#pragma once

#include <fmt/format.h>

#include <utility>

#include "libvox/base/log_line.h"

namespace vox {

template <class... Args>
void log_error(fmt::format_string<Args...> format, Args&&... args) {
  log_line(LogLevel::Error, fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void log_warning(fmt::format_string<Args...> format, Args&&... args) {
  log_line(LogLevel::Warning, fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void log_info(fmt::format_string<Args...> format, Args&&... args) {
  log_line(LogLevel::Info, fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void log_debug(fmt::format_string<Args...> format, Args&&... args) {
  log_line(LogLevel::Debug, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace vox
