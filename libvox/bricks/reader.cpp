#include "libvox/bricks/reader.h"

#include <algorithm>

namespace vox::bricks {

uint64_t filter_lookups(Int3 size, int32_t radius) {
  const auto along = [&](int64_t side) {
    uint64_t sum = 0;
    for (int64_t at = 0; at < side; ++at)
      sum += static_cast<uint64_t>(std::min(at + radius, side - 1) - std::max<int64_t>(at - radius, 0) + 1);
    return sum;
  };
  return along(size.x) * along(size.y) * along(size.z);
}

}  // namespace vox::bricks
