// Watches a part of a program's work. Several parts may run at once, as in a program that uses the library from several
// threads, and each has a watch of its own.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "libvox/base/log_line.h"
#include "libvox/base/progress.h"

namespace vox {

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
