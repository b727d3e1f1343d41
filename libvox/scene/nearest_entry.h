// The palette entry nearest to a colour in Oklab; ties go to the lower index.
#pragma once

#include <array>
#include <atomic>
#include <vector>

#include "libvox/base/vec.h"
#include "libvox/scene/palette.h"

namespace vox {

// Remembers what it has been asked, so that texture after texture costs a table look-up a texel. Any number
// of threads may ask at once: all that two of them can do is to compute the same answer twice. Costs 16 MiB.
class NearestEntry {
 public:
  explicit NearestEntry(const Palette& palette);

  uint8_t operator()(Rgb8 color) const {
    std::atomic<uint8_t>& known = known_[uint32_t{color.r} << 16 | uint32_t{color.g} << 8 | color.b];
    uint8_t answer = known.load(std::memory_order_relaxed);
    if (answer == 0) known.store(answer = static_cast<uint8_t>(search(color) + 1), std::memory_order_relaxed);
    return static_cast<uint8_t>(answer - 1);
  }

 private:
  uint8_t search(Rgb8 color) const;

  std::array<Vec3d, kPaletteSize> entries_ = {};  // Oklab
  uint32_t count_;
  mutable std::vector<std::atomic<uint8_t>> known_;  // by colour: entry + 1, or 0 before it is asked for
};

}  // namespace vox
