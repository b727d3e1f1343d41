#include "libvox/base/log.h"

#include <atomic>
#include <cstdio>
#include <mutex>

#include "libvox/base/progress.h"

namespace vox {
namespace {

std::atomic<LogLevel> current_level = LogLevel::Info;
std::string prefix = "vox";
std::mutex line_mutex;

}  // namespace

void set_log_level(LogLevel level) {
  current_level = level;
}

LogLevel log_level() {
  return current_level;
}

void set_log_prefix(std::string new_prefix) {
  prefix = std::move(new_prefix);
}

void log_line(LogLevel level, const std::string& text) {
  if (level > current_level) return;
  const char* kind = level == LogLevel::Error ? "error: " : level == LogLevel::Warning ? "warning: " : "";
  std::lock_guard lock(line_mutex);
  clear_progress_line();
  fmt::print(stderr, "{}: {}{}\n", prefix, kind, text);
}

}  // namespace vox
