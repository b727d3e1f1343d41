// Limits the number of this process's threads while the ThreadLimit lives.
#pragma once

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>

#include <cstdint>

namespace vox {

class ThreadLimit {
 public:
  // `threads` is the most that may run; 0 means all cores.
  explicit ThreadLimit(uint32_t threads)
      : control_(tbb::global_control::max_allowed_parallelism,
                 threads > 0 ? threads : static_cast<size_t>(tbb::info::default_concurrency())) {}

 private:
  tbb::global_control control_;
};

}  // namespace vox
