#include "libvox/base/loops.h"

#include <oneapi/tbb/parallel_for.h>

namespace vox {

void for_parts(uint64_t n, uint64_t grain, LoopBody body) {
  tbb::parallel_for(tbb::blocked_range<uint64_t>(0, n, grain),
                    [&](const auto& part) { body(part.begin(), part.end()); });
}

}  // namespace vox
