// The keys of an atlas's texels. A key holds a layer for each material, because materials share the square of
// texture coordinates, and the texel's Morton code in the layer:
//
//   layer | Morton code of column and row, with as many bits as the atlas needs
#pragma once

#include <bit>
#include <cstdint>

#include "libvox/base/morton.h"
#include "libvox/hash/keyed/cell.h"
#include "libvox/scene/scene.h"

namespace vox::painting {

inline constexpr uint32_t kMostSize = 1 << 16;  // texels along each side
// The value of a cell is the palette entry that the texel shows, or kNothingShown.
inline constexpr uint32_t kEntryBits = 5, kNothingShown = 16;
inline constexpr hash::CellFormat<uint64_t> kCellFormat = {kEntryBits};
// A layer has up to 32 bits in a key of 59. No texel has the key with all bits set, which tables reserve.
inline constexpr uint32_t kMostLayers = 1 << 26;

struct Layer {
  scene::Wrap wrap_u, wrap_v;  // 2 B
  uint8_t paintable;           // 1 B; 0: the material is invisible
  // 1 B; 0: below the paint are vertex colours, which a texel does not know. The texel is then either painted
  // or not.
  uint8_t blends;
};
static_assert(sizeof(Layer) == 4);

struct AtlasKeys {
  uint32_t size = 0;        // texels along each side
  uint32_t plane_bits = 0;  // the bits of a Morton code

  static AtlasKeys of_size(uint32_t size) {
    return {size, 2 * static_cast<uint32_t>(std::bit_width(size - 1))};
  }
  uint32_t bits(uint64_t layers) const {
    return plane_bits + static_cast<uint32_t>(std::bit_width(layers > 0 ? layers - 1 : 0));
  }
  VOX_HD uint64_t key(uint32_t layer, Vec2<uint32_t> texel) const {
    return uint64_t{layer} << plane_bits | morton_encode(texel);
  }
  VOX_HD uint32_t layer(uint64_t key) const { return static_cast<uint32_t>(key >> plane_bits); }
  VOX_HD Vec2<uint32_t> texel(uint64_t key) const {
    return morton_decode_in_plane(key & ((uint64_t{1} << plane_bits) - 1));
  }
};

}  // namespace vox::painting
