// A painted atlas on the host: a cell for each painted texel, in the table `lines` (hash/keyed/lines.h), and
// beside the cells the paint of each. The words are the same no matter which device has made them.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "libvox/base/hd.h"
#include "libvox/base/morton.h"
#include "libvox/base/paged_memory.h"
#include "libvox/hash/keyed/keys.h"
#include "libvox/hash/keyed/lines_ref.h"
#include "libvox/scene/palette.h"
#include "libvox/scene/scene.h"
#include "libvox/scene/surface.h"

namespace vox::painting {

// The keys of an atlas's texels. A key holds a layer for each material, because materials share the square of
// texture coordinates, and the texel's Morton code in the layer:
//
//   layer | Morton code of column and row, with as many bits as the atlas needs

inline constexpr uint32_t kMostSize = 1 << 16;  // texels along each side
// The value of a cell is the palette entry that the texel shows, or kNothingShown.
inline constexpr uint32_t kEntryBits = 5, kNothingShown = 16;
inline constexpr hash::CellFormat<uint64_t> kCellFormat = {kEntryBits};
// A layer has up to 32 bits in a key of 59. No texel has the key with all bits set, which tables reserve.
inline constexpr uint32_t kMostLayers = 1 << 26;

struct Layer {
  scene::Wrap wrap_u, wrap_v;  // 2 B
  uint8_t paintable;           // 1 B; 0: the material is invisible
  // 1 B; 0: the paint lies on vertex colors, which a texel does not know, so a texel is either painted or
  // not.
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

// The paint on a texel, and how paint is painted over. Whole numbers decide, so that all devices agree. Each
// stroke is rounded by itself, so that it does not matter which strokes are applied together.

inline constexpr uint32_t kFullShare = 65535;

// Linear light, multiplied by the share of the texel that the paint covers.
struct Paint {
  uint16_t r, g, b;  // 6 B
  uint16_t share;    // 2 B, out of kFullShare
  friend bool operator==(const Paint&, const Paint&) = default;
};
static_assert(sizeof(Paint) == 8);

Paint full_paint(scene::Rgb8 color);

// Returns `below` after `above`, which is opaque, has been painted over this share of it.
VOX_HD inline Paint painted_over(Paint above, uint32_t share, Paint below) {
  const auto mix = [share](uint32_t a, uint32_t b) {  // the sum is below 2^32
    return static_cast<uint16_t>((a * share + b * (kFullShare - share) + kFullShare / 2) / kFullShare);
  };
  return {mix(above.r, below.r), mix(above.g, below.g), mix(above.b, below.b), mix(above.share, below.share)};
}

// Returns the color of paint over a surface of this color.
scene::Rgb8 color_over(Paint paint, scene::Rgb8 below);

// Returns the color of the paint alone. Its share must not be 0.
scene::Rgb8 color_of(Paint paint);

using AtlasTable = hash::KeyTableRef<hash::LinesRef<uint64_t>, uint64_t>;

// The atlas in the form that bodies search.
struct AtlasRef {
  AtlasTable table;
  AtlasKeys keys;

  // Returns the palette entry of a texel, kNothingShown, or hash::kNoValue if the texel is not painted.
  VOX_HD uint32_t entry(uint32_t layer, Vec2<uint32_t> texel) const {
    return table.value(keys.key(layer, texel));
  }
};

struct FrozenAtlas {
  AtlasKeys keys;
  std::vector<Layer> layers;     // one for each of Scene::materials
  std::vector<uint8_t> painted;  // for each layer: 1 if it has a painted texel
  AtlasTable table = {};         // how to search; its cells must be set first
  LongWords cells;
  std::vector<Paint> paints;  // one for each cell
  uint64_t texels = 0;        // the number of painted texels

  uint64_t bytes() const { return cells.size() * sizeof(uint64_t) + paints.size() * sizeof(Paint); }
};

// Returns a ref with these cells, which are a copy of the atlas's cells, such as in the memory of a device.
AtlasRef ref(const FrozenAtlas& atlas, const uint64_t* cells);
AtlasRef ref(const FrozenAtlas& atlas);  // valid as long as the atlas lives

// Returns for each layer 1 if it has a painted texel, otherwise 0.
std::vector<uint8_t> painted_layers(const FrozenAtlas& atlas);

// Returns the paint with which palettes and shares are counted. It is valid as long as the atlas lives.
scene::SurfacePaint surface_paint(const FrozenAtlas& atlas);

// Sets the palette entry that each texel shows: the entry for the paint over the color of the texture, or of
// the material, at the texel's middle. Over vertex colors, paint shows if it covers half of a texel or more.
void index_atlas(FrozenAtlas& atlas, const scene::Scene& scene, const scene::Palette& palette);

}  // namespace vox::painting
