// The progress of long work. It goes to the sink that the program has set; the library prints nothing.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "libvox/base/log_line.h"

namespace vox {

struct ProgressState {
  std::string_view what;    // the kind of work, such as "voxelizing"
  std::string_view detail;  // such as "12,345,678 voxels, 45,678 unique nodes"
  uint64_t done = 0, total = 1;
  uint64_t before = 0;  // the value of `done` in the previous call
  double seconds = 0;   // since the work began; 0 in the last call
  bool ended = false;   // true in the last call, even if the work stopped early

  double share() const { return share_of(done); }
  // Returns how many tenths are done if there are more than in the previous call and the work takes at least 1 s.
  std::optional<int> new_tenth() const {
    const int tenth = static_cast<int>(share() * 10);
    if (seconds < 1 || tenth <= static_cast<int>(share_of(before) * 10)) return std::nullopt;
    return tenth;
  }

 private:
  double share_of(uint64_t part) const {
    return std::min(1.0, static_cast<double>(part) / static_cast<double>(total));
  }
};

// A sink gets every update, one call at a time. This may be more often than a screen needs. It must not report progress
// itself.
using ProgressSink = std::function<void(const ProgressState&)>;

// Replaces the sink and returns the previous one. Before the first call there is none.
ProgressSink set_progress_sink(ProgressSink sink);

class Progress {
 public:
  Progress(std::string what, uint64_t total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void update(uint64_t done, const std::string& detail);

 private:
  std::string what_;
  uint64_t total_, done_ = 0;
  std::chrono::steady_clock::time_point start_;
};

// While a NoProgress lives, work on its thread reports no progress.
class NoProgress {
 public:
  NoProgress();
  ~NoProgress();
  NoProgress(const NoProgress&) = delete;
  NoProgress& operator=(const NoProgress&) = delete;
};

// Lets a user end a program early: SIGINT or SIGTERM sets a flag, and long loops check the flag where it is
// safe to stop.

void cancel_on_interrupt();  // installs the SIGINT and SIGTERM handler
// Throws Cancelled after a signal or if the thread's watch says so; throws an error of fail_later().
void throw_if_cancelled();

// Keeps an error that is found where nothing can be thrown, such as in a signal handler. If there are several, the
// first one is kept. throw_if_cancelled() throws it, and so does everything that commits a file or prints a result.
void fail_later(std::exception_ptr error);
uint64_t late_errors();  // the number of errors that fail_later() has got so far
void throw_late_error();

// The wall-clock seconds since construction or since the last lap.
class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  // Returns the seconds since the last lap, and starts the next one.
  double lap() {
    double elapsed = seconds();
    start_ = Clock::now();
    return elapsed;
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

// Watches a part of a program's work. Several parts may run at once, as in a program that uses the library from several
// threads, and each has a watch of its own.

// Receives the progress and the messages of the threads that it is set for, in place of the program's sinks. Calls of
// `progress` never overlap, even those of different watches or of the program's sink; nor do calls of `log`.
struct WorkWatch {
  const uint64_t number = next_number();  // by which threads know it
  ProgressSink progress;
  LogSink log;
  std::atomic<bool> cancelled = false;  // if true, throw_if_cancelled() throws Cancelled on these threads

 private:
  static uint64_t next_number();
};

// Sets the calling thread's watch, or none, and returns the previous one. A watch that is deleted is set no longer.
// Threads that help this one do not inherit it: a tbb::task_scheduler_observer can set it when they enter an arena.
std::shared_ptr<WorkWatch> set_work_watch(const std::shared_ptr<WorkWatch>& watch);

std::shared_ptr<WorkWatch> work_watch();  // the calling thread's watch, or nullptr

}  // namespace vox
