// Scenes whose voxels have colours apart from the DAG: what becomes of the colours when another scene is made of such a one.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "libvox/attributes/packed_values.h"
#include "libvox/base/geometry.h"
#include "libvox/dag/voxel_numbers.h"
#include "libvox/dag/voxel_scene.h"
#include "libvox/scene/palette.h"

namespace vox::dag {

// In all of these functions, check_structure() must accept the DAG, which is in memory as a whole.

struct WithPaletteOptions {
  std::optional<scene::Palette> palette = {};  // without it, one is chosen from the colours of all voxels
  bool dither = false;                         // mix colours from the palette's (libvox/scene/dither.h)
  uint64_t memory_limit = 0;                   // that of dag_of_cubes()
};

// Gives the voxels materials instead: each voxel gets the entry of a palette of at most 16 colours that is nearest to its own,
// or one of those that are mixed for it. A scene without colours is returned as it is.
VoxelScene with_palette(VoxelScene scene, const WithPaletteOptions& options = {});

// Returns colours of which at most `count` are different, 1 to attributes::kMostTabled: the means of clusters in Oklab,
// weighted by voxels. Each voxel gets the one that is nearest to its own. Fewer colours stay as they are.
attributes::PackedValues with_fewer_colors(const attributes::PackedValues& colors, uint32_t count);

struct NearColors {
  attributes::PackedValues colors;
  double mean_error = 0;  // ΔE, over voxels
};

// Replaces colours by others of the same block, so that blocks have fewer different ones. No voxel's colour changes by more
// than ΔE `most` (libvox/scene/oklab.h). The colours of a block are chosen one by one,
// each time that which is near to most of the voxels without one.
NearColors near_colors(const attributes::PackedValues& colors, double most);

// Removes the voxels outside of the box, with their colours.
VoxelScene clipped(VoxelScene scene, const VoxelBox& box);

// Returns the colours of the voxels inside the box, in order.
attributes::PackedValues colors_inside(const VoxelScene& scene, const VoxelBox& box);

// Reads the colours of a scene leaf by leaf, on any thread. The scene must have colours, and outlive this object.
class LeafColors {
 public:
  explicit LeafColors(const VoxelScene& scene) : numbers_(scene.dag), colors_(*scene.colors) {}

  // Returns the packed colour of each voxel of the leaf at `corner`, by its bit in the mask.
  std::array<uint32_t, 64> operator()(Int3 corner) const {
    std::array<uint32_t, 64> colors = {};
    const VoxelNumbers::NumberedLeaf leaf = numbers_.leaf_at(corner);
    uint64_t number = leaf.first;
    for (uint64_t left = leaf_mask(leaf.words); left != 0; left &= left - 1)
      colors[static_cast<size_t>(lowest_bit(left))] = colors_[number++];
    return colors;
  }

 private:
  VoxelNumbers numbers_;
  const attributes::PackedValues& colors_;
};

// Returns the scene with another DAG, whose voxels are some of this one's and keep their colours.
VoxelScene part_of(VoxelScene scene, FrozenDag part);

// Writes the packed colours of the box's voxels, x fastest, and 0 for empty ones.
void write_dense_colors(const FrozenDag& dag, const LeafColors& colors, const VoxelBox& box, uint32_t* to);

// Returns the colours of the voxels of a scene that coarser() makes of this one: the mean of all voxels inside, in linear
// light. `halvings` is at least 1.
attributes::PackedValues coarser_colors(const VoxelScene& scene, uint32_t halvings);

}  // namespace vox::dag
