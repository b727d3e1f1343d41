// Light: linear colours in floats, and the codes that pictures hold.
#pragma once

#include <cstdint>

#include "libvox/base/hd.h"
#include "libvox/base/vec.h"

namespace vox::render {

using Light = Vec3<float>;  // linear; 1 is white

inline constexpr uint32_t kLightCodes = 1 << 16;

// Returns the 8-bit sRGB code of linear light, by a table in steps of 1 / 65535.
struct LightCodes {
  const uint8_t* codes;

  VOX_HD uint32_t operator()(float light) const {
    const float at = light * (kLightCodes - 1) + 0.5f;
    return codes[at < 0 ? 0 : at >= kLightCodes ? kLightCodes - 1 : static_cast<uint32_t>(at)];
  }
};

}  // namespace vox::render
