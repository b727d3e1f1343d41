// A common interface to the three forms of a scene, for kernels. It gives the word of a voxel, and the first
// voxel that a ray hits. The word is 0 if the voxel is empty, otherwise its material + 1, as in dag/walk.h.
#pragma once

#include <concepts>
#include <type_traits>

#include "libvox/bricks/bricks_ref.h"
#include "libvox/render/trace.h"
#include "libvox/spatial/frozen_hash.h"

namespace vox::measure {

// first_seen() follows a ray voxel by voxel through any grid that can tell a voxel's contents. The ray
// is the renderer's, in whole numbers, so it hits the same voxels as in the SVDAG (render/README.md).

// The first voxel that a ray hits.
struct VoxelHit {
  Int3 voxel = {};    // 12 B
  uint32_t word = 0;  // 4 B, 0 if nothing is hit
};
static_assert(sizeof(VoxelHit) == 16);

// The contents of a voxel. If the word is 0, an aligned cube of 2^empty_log2 voxels a side around the
// voxel is empty.
struct SeenVoxel {
  uint32_t word = 0, empty_log2 = 0;
};

// The grid answers for any voxel of the cube. Voxels outside of the grid are empty.
template <class G>
concept SteppedGrid = requires(const G& grid, Int3 voxel) {
  { grid.see(voxel) } -> std::same_as<SeenVoxel>;
};

template <SteppedGrid Grid>
VOX_HD VoxelHit first_seen(const Grid& grid, const render::Ray& ray) {
  render::Cell cell(ray);
  render::Crossing now = ray.start;
  if (cell.next() < now) return {};  // the ray misses the cube
  for (;;) {
    while (cell.log2 > 0) cell.halve(ray, now);
    const Int3 voxel = cell.corner(ray);
    const SeenVoxel seen = grid.see(voxel);
    if (seen.word != 0) return {voxel, seen.word};
    if (seen.empty_log2 > 0) cell = render::Cell(ray, voxel, seen.empty_log2);
    now = cell.next();
    cell.go_on(ray);
    if (cell.log2 >= ray.log2_side) return {};
  }
}

// A form is captured by value. It can also be used as an accessor by the bricks' loops (bricks/jit/loops.h).
template <class F>
concept SceneForm = std::is_trivially_copyable_v<F> && requires(const F& form, Int3 voxel, render::Ray ray) {
  { form.template get<uint8_t>(voxel) } -> std::same_as<uint8_t>;  // the word of a voxel in the grid
  { form.first(ray) } -> std::same_as<VoxelHit>;
  form.prefetch(voxel);  // prefetches get()'s first read, if its address is known without reading
};

static_assert(render::kNoMaterial + 1 == 0 && hash::kNoValue + 1 == 0);
// Returns the word of a voxel with this material. kNoMaterial and kNoValue give 0, the word of an empty voxel.
VOX_HD inline uint32_t word_of_material(uint32_t material) {
  return material + 1;
}

// The SVDAG. Each voxel is looked up from the root. A ray keeps the nodes that it is in.
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

// Bricks of bytes, read through the root grid. Rays skip empty bricks.
template <class Root>
struct BricksForm {
  Root bricks;

  template <class T>
  VOX_HD T get(Int3 voxel) const {
    return bricks.template get<T>(voxel);
  }
  VOX_HD VoxelHit first(const render::Ray& ray) const { return first_seen(*this, ray); }
  VOX_HD SeenVoxel see(Int3 voxel) const {
    const Int3 size = bricks.size;
    if (voxel.x >= size.x || voxel.y >= size.y || voxel.z >= size.z) return {};
    const auto [entry, empty_log2] = bricks.look(bricks.place_of(voxel));
    if (entry.is_empty()) return {0, bricks.shape.log2_side + empty_log2};
    return {bricks.template get<uint8_t>(entry, voxel), 0};
  }
  VOX_HD void prefetch(Int3 voxel) const {
    if constexpr (!Root::kIsSparse)
      prefetch_line(bricks.root + bricks.index(bricks.place_of(voxel)) * bricks.entry_words);
  }
};
static_assert(SceneForm<BricksForm<bricks::DenseRootRef>> && SteppedGrid<BricksForm<bricks::SparseRootRef>>);

// The spatial hash, with one search for each voxel. It cannot tell how large an empty region is, so rays go
// from voxel to voxel.
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
