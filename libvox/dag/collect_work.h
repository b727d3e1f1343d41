// The results of a garbage collection.
#pragma once

#include <cstdint>

namespace vox::dag {

struct CollectWork {
  uint64_t items_before = 0, items_after = 0;
  uint64_t bytes_returned = 0;  // returned to the system
  double mark_seconds = 0, sweep_seconds = 0;
};

}  // namespace vox::dag
