// Progress of long work: a bar on a terminal, one line per 10 % otherwise, nothing with -q.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace vox {

class Progress {
 public:
  Progress(std::string what, uint64_t total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `detail` stands behind the bar ("12.3 M voxels, 45,678 unique nodes"). The time left is estimated from
  // `done`.
  void update(uint64_t done, const std::string& detail);

 private:
  std::string what_;
  uint64_t total_;
  int last_tenth_ = 0;
  std::chrono::steady_clock::time_point start_, last_draw_;
};

// Removes a half-drawn bar so that a message can take its line.
void clear_progress_line();

}  // namespace vox
