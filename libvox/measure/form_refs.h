// The three forms of a scene as bodies read them, all by one interface: what word a voxel has, and what a ray
// hits first. The word is 0 where a voxel is empty, else its material + 1, as in dag/scene_volume.h.
#pragma once

#include <concepts>
#include <type_traits>

#include "libvox/bricks/bricks_ref.h"
#include "libvox/measure/voxel_steps.h"
#include "libvox/render/trace.h"
#include "libvox/spatial/hash_ref.h"

namespace vox::measure {

// A form is captured by value. It is an accessor of the bricks' loops, too (bricks/jit/loops.h).
template <class F>
concept SceneForm = std::is_trivially_copyable_v<F> && requires(const F& form, Int3 voxel, render::Ray ray) {
  { form.template get<uint8_t>(voxel) } -> std::same_as<uint8_t>;  // the word of a voxel of the grid
  { form.first(ray) } -> std::same_as<VoxelHit>;
  form.prefetch(voxel);  // asks for what get() reads first, where that is known without reading
};

// What is no material becomes 0.
static_assert(render::kNoMaterial + 1 == 0 && hash::kNoValue + 1 == 0);
VOX_HD inline uint32_t word_of_material(uint32_t material) {
  return material + 1;
}

// The SVDAG: a walk from the root for each voxel. Rays keep the nodes that they are in.
struct DagForm {
  render::RayDagRef dag;

  template <class T>
  VOX_HD T get(Int3 voxel) const {
    return static_cast<T>(word_of_material(dag.material_at(voxel)));
  }
  VOX_HD VoxelHit first(const render::Ray& ray) const {
    const render::Hit hit = render::trace(dag, ray);
    if (!hit.found()) return {};
    return {hit.low, word_of_material(render::hit_material(dag, ray, hit))};
  }
  VOX_HD void prefetch(Int3) const {}
};
static_assert(SceneForm<DagForm>);

// Bricks of bytes: by the root grid. Rays pass over bricks that are empty.
struct BricksForm {
  bricks::BricksRef bricks;

  template <class T>
  VOX_HD T get(Int3 voxel) const {
    return bricks.get<T>(voxel);
  }
  VOX_HD VoxelHit first(const render::Ray& ray) const { return first_seen(*this, ray); }
  VOX_HD SeenVoxel see(Int3 voxel) const {
    const Int3 size = bricks.size;
    if (voxel.x >= size.x || voxel.y >= size.y || voxel.z >= size.z) return {};
    const bricks::BricksRef::Entry at = bricks.entry(bricks.brick_of(voxel));
    if (at.type == bricks::BrickTypes::kNumber<bricks::EmptyBrick>) return {0, bricks.shape.log2_side};
    return {bricks.get<uint8_t>(at, voxel), 0};
  }
  VOX_HD void prefetch(Int3 voxel) const {
    prefetch_line(bricks.root + bricks.brick_of(voxel) * bricks.entry_words);
  }
};
static_assert(SceneForm<BricksForm> && SteppedGrid<BricksForm>);

// The spatial hash: a search for each voxel. It does not know how far it is empty, so that rays go from voxel
// to voxel.
struct HashForm {
  spatial::HashRef hash;

  template <class T>
  VOX_HD T get(Int3 voxel) const {
    return static_cast<T>(word_of_material(hash.material(voxel)));
  }
  VOX_HD VoxelHit first(const render::Ray& ray) const { return first_seen(*this, ray); }
  VOX_HD SeenVoxel see(Int3 voxel) const { return {hash.keys.contains(voxel) ? get<uint32_t>(voxel) : 0, 0}; }
  VOX_HD void prefetch(Int3 voxel) const { hash.table.prefetch(hash.keys.key(voxel)); }
};
static_assert(SceneForm<HashForm> && SteppedGrid<HashForm>);

}  // namespace vox::measure
