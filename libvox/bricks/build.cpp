#include "libvox/bricks/build.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string>

#include "libvox/base/error.h"
#include "libvox/base/memory.h"

namespace vox::bricks {

uint64_t BrickTotals::root_bytes() const {
  const uint64_t most_words = *std::ranges::max_element(bytes) / sizeof(uint32_t);
  return bricks * sizeof(uint32_t) * (most_words > kMaxShortPlace ? 2 : 1);
}

uint64_t BrickTotals::total_bytes() const {
  return std::accumulate(bytes.begin(), bytes.end(), root_bytes());
}

void check_brick_types(uint32_t types) {
  if ((types & BrickTypes::kHoldAll) != 0) return;
  std::string names;
  for (uint32_t type = 0; type < kBrickTypeCount; ++type)
    if ((BrickTypes::kHoldAll >> type & 1) != 0)
      names += (names.empty() ? "" : ", ") + std::string(BrickTypes::kNames[type]);
  throw UsageError(
      fmt::format("these types of bricks cannot hold every volume, expected at least one of: {}", names));
}

void check_root_memory(Int3 size, uint32_t log2_side) {
  constexpr uint64_t kEntryBytes =
      sizeof(uint64_t) + sizeof(uint32_t);  // while it is made, and when it is packed
  const Int3 grid = brick_grid(size, log2_side == 0 ? kMaxBrickLog2 : log2_side);
  const uint64_t bytes = VoxelBox{{0, 0, 0}, grid}.voxels() * kEntryBytes, available = available_bytes();
  if (bytes > available) throw OutOfMemory(bytes, available);
}

}  // namespace vox::bricks
