// Finds the palette entry nearest to a colour in Oklab; ties go to the lower index.
#pragma once

#include <array>
#include <atomic>
#include <vector>

#include "libvox/base/vec.h"
#include "libvox/scene/palette.h"

namespace vox::scene {

// The sRGB cube is cut into 32³ cells. If one entry is nearest to all of a cell, the cell stores it; in other
// cells every colour stores its own. Answers are computed when they are first needed, by any number of
// threads; at worst, two threads compute the same answer. This takes 16 MiB.
class NearestEntry {
 public:
  explicit NearestEntry(const Palette& palette);

  uint8_t operator()(Rgb8 color) const {
    std::atomic<uint8_t>& cell =
        cells_[static_cast<uint32_t>(color.r >> 3 << 10 | color.g >> 3 << 5 | color.b >> 3)];
    uint8_t answer = cell.load(std::memory_order_relaxed);
    if (answer == 0) cell.store(answer = search_cell(color), std::memory_order_relaxed);
    if (answer == kMixed) {
      std::atomic<uint8_t>& one = colors_[uint32_t{color.r} << 16 | uint32_t{color.g} << 8 | color.b];
      answer = one.load(std::memory_order_relaxed);
      if (answer == 0) one.store(answer = search(color), std::memory_order_relaxed);
    }
    return static_cast<uint8_t>(answer - 1);
  }

 private:
  static constexpr uint8_t kMixed = 255;

  uint8_t search(Rgb8 color) const;       // the entry + 1
  uint8_t search_cell(Rgb8 color) const;  // the entry + 1, or kMixed

  std::array<Vec3d, kPaletteSize> entries_ = {};  // Oklab
  uint32_t count_;
  mutable std::vector<std::atomic<uint8_t>> cells_, colors_;  // 0: not computed yet
};

}  // namespace vox::scene
