// Colours for numbers and names that have no colour of their own.
#pragma once

#include <cstdint>

#include "libvox/scene/palette.h"

namespace vox {

// Returns a colour for a number. The colours of consecutive numbers differ strongly: each hue is the golden
// ratio further around the circle, and three shades alternate. The computation uses integers only.
inline scene::Rgb8 distinct_color(uint32_t number) {
  const uint32_t hue = number * 40503 % 65536;            // 65536 is the whole circle
  const uint32_t high = 230 - number % 3 * 45, low = 60;  // the strongest and the weakest channel
  const auto channel = [&](uint32_t from) {
    const uint32_t at = (hue + from) % 65536 * 6;  // six parts: up, high, high, down, low, low
    const uint32_t part = at / 65536, step = (high - low) * (at % 65536) / 65536;
    if (part == 0) return low + step;
    if (part == 3) return high - step;
    return part < 3 ? high : low;
  };
  return {static_cast<uint8_t>(channel(21845)), static_cast<uint8_t>(channel(0)),
          static_cast<uint8_t>(channel(43691))};
}

}  // namespace vox
