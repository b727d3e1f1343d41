// The paint on the surface (libvox/painting), as the code that chooses materials of voxels sees it. If
// nothing is painted, leaves are written by a body without any code for paint.
#pragma once

#include "libvox/device/atomics.h"
#include "libvox/device/uploaded.h"
#include "libvox/painting/frozen_atlas.h"
#include "libvox/scene/wrapped_texel.h"
#include "libvox/voxelize/shade.h"

namespace vox::voxelize {

struct NoPaint {
  static constexpr uint32_t kFlag = 0;  // the flag of materials that have paint
  VOX_HD void finish() const {}
};

// A body works on a copy, which counts its own queries, and calls finish() at the end.
struct AtlasPaint {
  static constexpr uint32_t kFlag = MaterialRef::kPainted;
  painting::AtlasRef atlas;
  uint64_t* queries;
  uint32_t asked = 0;

  // Returns the palette entry that is painted at a place of the texture, or a number that is no entry if
  // nothing is painted there.
  VOX_HD uint32_t entry(const MaterialRef& material, uint32_t layer, Vec2<int64_t> shares) {
    ++asked;
    return atlas.entry(layer, {scene::texel_of_share(shares.x, atlas.keys.size, wrap_u(material)),
                               scene::texel_of_share(shares.y, atlas.keys.size, wrap_v(material))});
  }
  VOX_HD void finish() const {
    if (asked > 0) device::atomic_add_together(queries, uint64_t{asked});
  }
};

// Sets the flag of the materials on which something is painted.
inline void mark_painted(std::vector<MaterialRef>& materials, const painting::FrozenAtlas& atlas) {
  for (size_t i = 0; i < atlas.painted.size(); ++i)
    if (atlas.painted[i] != 0)
      materials[i].flags = static_cast<uint16_t>(materials[i].flags | MaterialRef::kPainted);
}

template <class Device>
class AtlasOnDevice {
 public:
  AtlasOnDevice(Device& device, const painting::FrozenAtlas& atlas)
      : device_(device),
        cells_(device::uploaded(device, atlas.cells)),
        queries_(device.template make<uint64_t>(1)),
        atlas_(painting::ref(atlas, cells_.data())) {}

  // Returns the paint for one chunk, and resets the count of queries.
  AtlasPaint paint() {
    device_.fill(queries_.data(), 1, uint64_t{0});
    return {atlas_, queries_.data()};
  }
  uint64_t queries() const {
    uint64_t queries = 0;
    device_.download(&queries, queries_.data(), 1);
    return queries;
  }

 private:
  Device& device_;
  device::Buffer<uint64_t> cells_, queries_;
  painting::AtlasRef atlas_;
};

}  // namespace vox::voxelize
