// Keeps the messages that the library logs during a test.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "libvox/base/log_line.h"

namespace vox {

// Keeps all log messages while it lives.
class KeptLog {
 public:
  KeptLog()
      : before_(
            set_log_sink([this](LogLevel, std::string_view line) { text_ += std::string(line) + "\n"; })) {}
  ~KeptLog() { set_log_sink(std::move(before_)); }
  KeptLog(const KeptLog&) = delete;
  KeptLog& operator=(const KeptLog&) = delete;

  const std::string& text() const { return text_; }

 private:
  std::string text_;
  LogSink before_;
};

}  // namespace vox
