#include "libvox/measure/scene_sizes.h"

#include <algorithm>

namespace vox::measure {
namespace {

// Returns the bytes of `voxels` voxels with `bits` bits each. Dividing by eight first avoids an overflow for
// 2^60 voxels.
uint64_t packed_bytes(uint64_t voxels, uint64_t bits) {
  return voxels / 8 * bits + (voxels % 8 * bits + 7) / 8;
}

uint64_t octree_materials(const dag::FrozenDag& dag, const DagStats& stats) {
  return dag.materials ? packed_bytes(stats.voxels, 4) : 0;
}

}  // namespace

std::vector<SceneSize> scene_sizes(const dag::FrozenDag& dag, const DagStats& stats,
                                   const std::optional<DagStats>& geometry) {
  const uint64_t grid = uint64_t{dag.resolution} * dag.resolution * dag.resolution;
  const auto materials = std::count_if(stats.material_voxels.begin(), stats.material_voxels.end(),
                                       [](uint64_t n) { return n > 0; });
  const LevelStats all = stats.all_levels();
  std::vector<SceneSize> sizes;
  sizes.push_back({"dense_occupancy", "dense grid, 1 bit a voxel", packed_bytes(grid, 1)});
  if (dag.materials) {
    const uint64_t bits = materials <= 15 ? 4 : 8;
    sizes.push_back({"dense_materials",
                     "dense grid, " + std::to_string(bits) + " bits a voxel with its material",
                     packed_bytes(grid, bits)});
  }
  sizes.push_back({"pointerless_octree",
                   dag.materials ? "pointerless octree, 1 byte a node, 4 bits a material"
                                 : "pointerless octree, 1 byte a node",
                   stats.octree_masks + octree_materials(dag, stats)});
  sizes.push_back(
      {"pointer_octree", "pointer octree, the DAG's nodes and leaves unshared", all.svo_words * 4});
  sizes.push_back({"svdag", "SVDAG, nodes and leaves only", all.words * 4});
  if (geometry)
    sizes.push_back({"svdag_geometry", "SVDAG without materials, nodes and leaves only",
                     geometry->all_levels().words * 4});
  return sizes;
}

double bits_per_voxel(const SceneSize& size, uint64_t voxels) {
  return voxels == 0 ? 0 : 8 * static_cast<double>(size.bytes) / static_cast<double>(voxels);
}

}  // namespace vox::measure
