// Chooses the bucket of a hash.
#pragma once

#include <cstdint>

#include "libvox/base/hd.h"

namespace vox::hash {

// Returns to which of `count` buckets an item with this hash belongs. The hash's high bits decide.
VOX_HD inline uint32_t bucket_of(uint64_t hash, uint32_t count) {
  return static_cast<uint32_t>((hash >> 32) * count >> 32);
}

}  // namespace vox::hash
