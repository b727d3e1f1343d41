// Mixes colors from the few of a palette, such as a printer's materials: each voxel gets one entry, and the voxels
// around a place together have the light of the color that is wanted there.
//
// A color is a mix of kMixParts entries, chosen one after the other: each makes up best for the error that the ones
// before have left, in linear light. The entries of a mix are ordered from dark to light. A voxel takes the entry at
// its place in an even sequence in three dimensions (Roberts 2018, "The unreasonable effectiveness of quasirandom
// sequences"). So a mix's entries have nearly their shares everywhere, whatever the number of threads.
#pragma once

#include <tbb/enumerable_thread_specific.h>

#include <array>
#include <cstdint>
#include <unordered_map>

#include "libvox/base/vec.h"
#include "libvox/scene/palette.h"

namespace vox::scene {

inline constexpr uint32_t kLog2MixParts = 7, kMixParts = 1u << kLog2MixParts;
using ColorMix = std::array<uint8_t, kMixParts>;  // entries, from dark to light

// Returns the mix for a color. The palette must have entries.
ColorMix mix_of(const Palette& palette, Rgb8 color);

// Returns the part of its mix that a voxel takes.
inline uint32_t part_of_mix(Int3 voxel) {
  // The reciprocals of the real root of x⁴ = x + 1, of its square and of its cube, in 2^-32.
  const uint32_t place = static_cast<uint32_t>(voxel.x) * 3518319155u +
                         static_cast<uint32_t>(voxel.y) * 2882110345u +
                         static_cast<uint32_t>(voxel.z) * 2360945575u;
  return place >> (32 - kLog2MixParts);
}

// Makes the mixes of a palette. A scene may have millions of colors, so each thread keeps only those mixes that it has
// needed lately, in at most 12 MiB.
class Dither {
 public:
  explicit Dither(const Palette& palette) : palette_(palette) {}

  uint8_t operator()(Rgb8 color, Int3 voxel) const {
    const uint32_t packed = packed_color(color);
    auto& known = known_.local();
    if (known.size() >= kMostKnown) known.clear();
    const auto [mix, is_new] = known.try_emplace(packed);
    if (is_new) mix->second = mix_of(palette_, color);
    return mix->second[part_of_mix(voxel)];
  }

 private:
  static constexpr size_t kMostKnown = 1 << 16;

  const Palette palette_;
  mutable tbb::enumerable_thread_specific<std::unordered_map<uint32_t, ColorMix>> known_;
};

}  // namespace vox::scene
