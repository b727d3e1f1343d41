// A painted atlas on the host: a cell for each texel that is painted, in the table `lines`
// (hash/keyed/lines.h), and the paint of each beside it. The words are the same whatever device has made them.
#pragma once

#include <vector>

#include "libvox/base/words.h"
#include "libvox/hash/keyed/lines_ref.h"
#include "libvox/painting/atlas_keys.h"
#include "libvox/painting/paint.h"
#include "libvox/scene/surface_paint.h"

namespace vox::painting {

using AtlasTable = hash::KeyTableRef<hash::LinesRef<uint64_t>, uint64_t>;

// The atlas as bodies search it.
struct AtlasRef {
  AtlasTable table;
  AtlasKeys keys;

  // The palette entry of a texel, kNothingShown, or hash::kNoValue where it is not painted.
  VOX_HD uint32_t entry(uint32_t layer, Vec2<uint32_t> texel) const {
    return table.value(keys.key(layer, texel));
  }
};

struct FrozenAtlas {
  AtlasKeys keys;
  std::vector<Layer> layers;     // one for each of Scene::materials
  std::vector<uint8_t> painted;  // for each layer 1 where it has a texel
  AtlasTable table = {};         // how to search: its cells are to be set
  LongWords cells;
  std::vector<Paint> paints;  // one for each cell
  uint64_t texels = 0;        // that are painted

  uint64_t bytes() const { return cells.size() * sizeof(uint64_t) + paints.size() * sizeof(Paint); }
};

// The same cells elsewhere: in the memory of a device.
AtlasRef ref(const FrozenAtlas& atlas, const uint64_t* cells);
AtlasRef ref(const FrozenAtlas& atlas);  // valid as long as the atlas lives

// For each layer 1 where it has a texel that is painted.
std::vector<uint8_t> painted_layers(const FrozenAtlas& atlas);

// What palettes and shares are counted with. Valid as long as both live.
scene::SurfacePaint surface_paint(const FrozenAtlas& atlas, const scene::Scene& scene);

// Sets the palette entry that each texel shows: that of the paint over the colour of the texture, or of the
// material, at the texel's middle. Over colours of vertices paint shows where it covers half of a texel or more.
void index_atlas(FrozenAtlas& atlas, const scene::Scene& scene, const scene::Palette& palette);

}  // namespace vox::painting
