// The wall-clock seconds since construction or since the last lap.
#pragma once

#include <chrono>

namespace vox {

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

}  // namespace vox
