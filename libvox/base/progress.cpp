#include "libvox/base/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>

#include "libvox/base/log.h"
#include "libvox/base/units.h"

namespace vox {
namespace {

std::atomic<bool> bar_drawn = false;

bool on_terminal() {
  static const bool terminal = isatty(STDERR_FILENO) != 0;
  return terminal;
}

}  // namespace

void clear_progress_line() {
  if (bar_drawn.exchange(false)) fmt::print(stderr, "\r\x1b[K");
}

Progress::Progress(std::string what, uint64_t total)
    : what_(std::move(what)),
      total_(std::max<uint64_t>(total, 1)),
      start_(std::chrono::steady_clock::now()),
      last_draw_(start_) {}

Progress::~Progress() {
  clear_progress_line();
}

void Progress::update(uint64_t done, const std::string& detail) {
  if (log_level() < LogLevel::Info) return;
  auto now = std::chrono::steady_clock::now();
  double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(total_));
  double elapsed = std::chrono::duration<double>(now - start_).count();
  std::string left = share > 0 ? format_seconds(elapsed * (1 - share) / share) + " left" : "";
  if (on_terminal()) {
    if (done < total_ && now - last_draw_ < std::chrono::milliseconds(50)) return;
    last_draw_ = now;
    constexpr int kWidth = 30;
    int filled = static_cast<int>(share * kWidth);
    fmt::print(stderr, "\r\x1b[K{} [{:#<{}}{:.<{}}] {:3.0f} %  {}  {}", what_, "", filled, "",
               kWidth - filled, share * 100, detail, left);
    std::fflush(stderr);
    bar_drawn = true;
  } else if (int tenth = static_cast<int>(share * 10); tenth > last_tenth_) {
    last_tenth_ = tenth;
    log_info("{} {} %  {}  {}", what_, tenth * 10, detail, left);
  }
}

}  // namespace vox
