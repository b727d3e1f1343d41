// Returns the number of set bits of a mask, as input of a scan. Each mask says which parts are worked on
// next.
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
