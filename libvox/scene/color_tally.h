// Colours while they are counted, before they become a histogram. Each thread has its own tally, and the
// tallies are merged.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "libvox/scene/oklab.h"
#include "libvox/scene/palette.h"
#include "libvox/scene/surface.h"

namespace vox::scene {

struct ColorArea {
  Rgb8 color;
  uint64_t area;  // in kAreaUnits, or a number of voxels
};

// Colours that are counted one by one, as long as there are at most 16.
struct FewColors {
  std::vector<ColorArea> colors;
  bool too_many = false;

  void add(Rgb8 color, uint64_t area) {
    if (too_many) return;
    for (ColorArea& known : colors)
      if (known.color == color) {
        known.area += area;
        return;
      }
    too_many = colors.size() == kPaletteSize;
    if (!too_many) colors.push_back({color, area});
  }
  void merge(const FewColors& other) {
    too_many |= other.too_many;
    for (const ColorArea& c : other.colors) add(c.color, c.area);
  }
};

// Colours that are counted in 32³ cells of the sRGB cube, with the sum of their linear light at 16 bits.
struct ColorTally {
  struct Cell {
    uint64_t weight = 0, r = 0, g = 0, b = 0;
  };
  static inline const std::array<uint16_t, 256> kLinear16 = [] {
    std::array<uint16_t, 256> linear;
    for (uint32_t i = 0; i < 256; ++i)
      linear[i] = static_cast<uint16_t>(srgb_to_linear(static_cast<uint8_t>(i)) * 65535 + 0.5);
    return linear;
  }();

  std::vector<Cell> cells = std::vector<Cell>(1 << 15);
  FewColors few;

  void add(const SurfaceSample& sample) { add(sample.color, sample.weight); }
  void add(Rgb8 color, uint64_t weight) {
    const auto [r, g, b] = color;
    Cell& cell = cells[static_cast<size_t>(r >> 3 << 10 | g >> 3 << 5 | b >> 3)];
    cell.weight += weight;
    cell.r += weight * kLinear16[r];
    cell.g += weight * kLinear16[g];
    cell.b += weight * kLinear16[b];
    few.add(color, weight);
  }
  void merge(const ColorTally& other) {
    for (size_t i = 0; i < cells.size(); ++i) {
      cells[i].weight += other.cells[i].weight;
      cells[i].r += other.cells[i].r, cells[i].g += other.cells[i].g, cells[i].b += other.cells[i].b;
    }
    few.merge(other.few);
  }
};

}  // namespace vox::scene
