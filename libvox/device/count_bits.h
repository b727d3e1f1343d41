// Counts the set bits of masks of 64 bits, as input of a scan: each mask says which parts of something go on.
#pragma once

#include <cstdint>

#include "libvox/base/bits.h"
#include "libvox/base/hd.h"

namespace vox::device {

struct CountBits {
  const uint64_t* masks;
  VOX_HD uint32_t operator()(uint64_t i) const { return static_cast<uint32_t>(popcount(masks[i])); }
};

}  // namespace vox::device
