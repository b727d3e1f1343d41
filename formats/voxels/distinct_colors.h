// Colours for numbers and names that have none of their own.
#pragma once

#include <cstdint>

#include "libvox/scene/palette.h"

namespace vox {

// Colours of numbers that follow each other are as far apart as can be: their hues go round by the golden ratio, in
// turns of three shades. Whole numbers alone decide.
inline scene::Rgb8 distinct_color(uint32_t number) {
  const uint32_t hue = number * 40503 % 65536;            // of 65536 around the circle
  const uint32_t high = 230 - number % 3 * 45, low = 60;  // of the strongest and the weakest channel
  const auto channel = [&](uint32_t from) {
    const uint32_t at = (hue + from) % 65536 * 6;  // six parts: up, strong, strong, down, weak, weak
    const uint32_t part = at / 65536, step = (high - low) * (at % 65536) / 65536;
    if (part == 0) return low + step;
    if (part == 3) return high - step;
    return part < 3 ? high : low;
  };
  return {static_cast<uint8_t>(channel(21845)), static_cast<uint8_t>(channel(0)),
          static_cast<uint8_t>(channel(43691))};
}

}  // namespace vox
