#include "tools/common/tool.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <mutex>

#include "libvox/base/error.h"
#include "libvox/base/json.h"
#include "libvox/base/progress.h"
#include "libvox/base/units.h"

namespace vox {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kClearLine = "\r\x1b[K";

// The process's stderr, which messages and the bar of progress share.
class Screen {
 public:
  static Screen& get() {
    static Screen screen;
    return screen;
  }

  void set_tool(const std::string& tool) { tool_ = tool; }
  void set_level(LogLevel level) {
    const std::lock_guard lock(mutex_);
    level_ = level;
  }

  void show(LogLevel level, std::string_view text) {
    const std::lock_guard lock(mutex_);
    if (level <= level_) print_line(level, text);
  }

  void show(const ProgressState& state) {
    const std::lock_guard lock(mutex_);
    if (level_ < LogLevel::Info) return;
    if (state.ended) return clear_bar();
    const double share = state.share();
    const std::string left =
        share > 0 ? format_seconds(state.seconds * (1 - share) / share) + " left" : std::string();
    if (on_terminal_) {
      draw_bar(state, share, left);
    } else if (const std::optional<int> tenth = state.new_tenth()) {
      print_line(LogLevel::Info, fmt::format("{} {} %  {}  {}", state.what, *tenth * 10, state.detail, left));
    }
  }

 private:
  void print_line(LogLevel level, std::string_view text) {
    const char* kind = level == LogLevel::Error ? "error: " : level == LogLevel::Warning ? "warning: " : "";
    clear_bar();
    print_message(fmt::format("{}: {}{}\n", tool_, kind, escape_line(text)));
  }

  void draw_bar(const ProgressState& state, double share, const std::string& left) {
    const Clock::time_point now = Clock::now();
    if (state.done < state.total && now - last_drawn_ < std::chrono::milliseconds(50)) return;
    last_drawn_ = now;
    constexpr int kWidth = 30;
    const int filled = static_cast<int>(share * kWidth);
    std::fputs(kClearLine, stderr);
    print_message(escape_line(fmt::format("{} [{:#<{}}{:.<{}}] {:3.0f} %  {}  {}", state.what, "", filled, "",
                                          kWidth - filled, share * 100, state.detail, left)));
    bar_drawn_ = true;
  }

  // Clears the bar, so that a message can take its line.
  void clear_bar() {
    if (bar_drawn_) std::fputs(kClearLine, stderr);
    bar_drawn_ = false;
  }

  std::mutex mutex_;  // messages and progress come from different threads
  std::string tool_ = "vox";
  LogLevel level_ = LogLevel::Info;
  bool on_terminal_ = isatty(STDERR_FILENO) != 0, bar_drawn_ = false;
  Clock::time_point last_drawn_;
};

}  // namespace

void show_messages(const std::string& tool) {
  Screen::get().set_tool(tool);
  set_log_sink([](LogLevel level, std::string_view text) { Screen::get().show(level, text); });
  set_progress_sink([](const ProgressState& state) { Screen::get().show(state); });
}

void set_log_level(LogLevel level) {
  Screen::get().set_level(level);
}

void occupy_closed_streams() {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
    if (fcntl(stream, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest free descriptor is this one: those below are open.
    [[maybe_unused]] const int opened = open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

void print_result(std::string_view text) {
  throw_late_error();
  const std::string escaped = escape_lines(text);
  errno = 0;
  const bool written = std::fwrite(escaped.data(), 1, escaped.size(), stdout) == escaped.size();
  if (!written || std::fflush(stdout) != 0)
    throw Error(fmt::format("the result cannot be written: {}", std::strerror(errno))).at("standard output");
}

void print_message(std::string_view text) {
  const std::string escaped = escape_lines(text);
  std::fwrite(escaped.data(), 1, escaped.size(), stderr);
  std::fflush(stderr);
}

}  // namespace vox
