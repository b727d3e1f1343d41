// Watches a part of a program's work. Several parts may run at once, as in a program that uses the library from several
// threads, and each has a watch of its own.
#pragma once

#include <atomic>

#include "libvox/base/log_line.h"
#include "libvox/base/progress.h"

namespace vox {

// Receives the progress and the messages of the threads that it is set for, in place of the program's sinks. A call of one
// of its functions never overlaps with another one of any watch or sink of the same kind.
struct WorkWatch {
  ProgressSink progress;
  LogSink log;
  std::atomic<bool> cancelled = false;  // if true, throw_if_cancelled() throws Cancelled on these threads
};

// Sets the watch of the calling thread, or none, and returns the previous one. It must outlive its use. Threads that work
// for the calling one do not inherit it: a tbb::task_scheduler_observer can set it for those that enter an arena.
WorkWatch* set_work_watch(WorkWatch* watch);

WorkWatch* work_watch();  // of the calling thread; nullptr: none

}  // namespace vox
