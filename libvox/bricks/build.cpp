#include "libvox/bricks/build.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string>

#include "libvox/base/error.h"

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

}  // namespace vox::bricks
