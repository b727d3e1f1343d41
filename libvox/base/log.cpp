#include "libvox/base/log.h"

#include <mutex>
#include <utility>

namespace vox {
namespace {

LogSink log_sink;
std::mutex log_mutex;

}  // namespace

LogSink set_log_sink(LogSink sink) {
  const std::lock_guard lock(log_mutex);
  return std::exchange(log_sink, std::move(sink));
}

void log_line(LogLevel level, const std::string& text) {
  const std::lock_guard lock(log_mutex);
  if (log_sink) log_sink(level, text);
}

}  // namespace vox
