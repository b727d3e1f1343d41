// A painted atlas on the host: a cell for each painted texel, in the table `lines` (hash/keyed/lines.h), and
// beside the cells the paint of each. The words are the same no matter which device has made them.
#pragma once

#include <vector>

#include "libvox/base/words.h"
#include "libvox/hash/keyed/lines_ref.h"
#include "libvox/painting/atlas_keys.h"
#include "libvox/painting/paint.h"
#include "libvox/scene/surface_paint.h"

namespace vox::painting {

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

// Returns the paint with which palettes and shares are counted. It is valid as long as both arguments live.
scene::SurfacePaint surface_paint(const FrozenAtlas& atlas, const scene::Scene& scene);

// Sets the palette entry that each texel shows: the entry for the paint over the colour of the texture, or of
// the material, at the texel's middle. Over vertex colours, paint shows if it covers half of a texel or more.
void index_atlas(FrozenAtlas& atlas, const scene::Scene& scene, const scene::Palette& palette);

}  // namespace vox::painting
