// Messages to stderr. Results go to stdout and never through here.
#pragma once

#include <fmt/format.h>

#include <string>

namespace vox {

enum class LogLevel { Error, Warning, Info, Debug };

void set_log_level(LogLevel level);
LogLevel log_level();
void set_log_prefix(std::string prefix);  // the tool's name

void log_line(LogLevel level, const std::string& text);

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
