// The library logs no messages while a QuietLog lives.
#pragma once

#include <utility>

#include "libvox/base/log_line.h"

namespace vox {

class QuietLog {
 public:
  QuietLog() : before_(set_log_sink(nullptr)) {}
  ~QuietLog() { set_log_sink(std::move(before_)); }
  QuietLog(const QuietLog&) = delete;
  QuietLog& operator=(const QuietLog&) = delete;

 private:
  LogSink before_;
};

}  // namespace vox
