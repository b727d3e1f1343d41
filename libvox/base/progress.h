// The progress of long work. It goes to the sink that the program has set: the library prints nothing.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace vox {

struct ProgressState {
  std::string_view what;    // what is being done: "voxelizing"
  std::string_view detail;  // "12.3 M voxels, 45,678 unique nodes"
  uint64_t done = 0, total = 1;
  uint64_t before = 0;  // what was done at the call before this one
  double seconds = 0;   // since the work began
  bool ended = false;   // true in the last call, whether or not all was done
};

// A sink gets every update, one call at a time: that may be too often for a screen. It must not report
// progress itself.
using ProgressSink = std::function<void(const ProgressState&)>;

// Replaces the sink and returns the one before it; in the beginning there is none.
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

// As long as it lives, work of this thread tells no progress.
class NoProgress {
 public:
  NoProgress();
  ~NoProgress();
  NoProgress(const NoProgress&) = delete;
  NoProgress& operator=(const NoProgress&) = delete;
};

}  // namespace vox
