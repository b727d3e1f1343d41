#include "libvox/base/log.h"

#include <mutex>
#include <utility>

namespace vox {
namespace {

LogSink current_sink;
std::mutex sink_mutex;

}  // namespace

LogSink set_log_sink(LogSink sink) {
  const std::lock_guard lock(sink_mutex);
  return std::exchange(current_sink, std::move(sink));
}

void log_line(LogLevel level, const std::string& text) {
  const std::lock_guard lock(sink_mutex);
  if (current_sink) current_sink(level, text);
}

}  // namespace vox
