#include "libvox/base/log.h"

#include <memory>
#include <mutex>

#include "libvox/base/progress.h"

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
  const std::shared_ptr<const WorkWatch> watch = work_watch();
  const std::lock_guard lock(log_mutex);
  const LogSink& sink = watch ? watch->log : log_sink;
  if (sink) sink(level, text);
}

}  // namespace vox
