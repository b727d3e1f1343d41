// Scenes whose voxels have colors apart from the DAG, and the colors of scenes that are made from such scenes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "libvox/attributes/packed_values.h"
#include "libvox/base/geometry.h"
#include "libvox/dag/voxel_scene.h"
#include "libvox/dag/walk.h"
#include "libvox/scene/palette.h"

namespace vox::dag {

// All of these functions need a DAG that is in memory as a whole and that check_structure() accepts.

struct WithPaletteOptions {
  std::optional<scene::Palette> palette = {};  // without it, one is chosen from the colors of all voxels
  bool dither = false;                         // mix colors from the palette's (libvox/scene/palette.h)
  uint64_t memory_limit = 0;                   // as for dag_of_cubes()
};

// Gives the voxels materials in place of colors: the entries nearest to their colors in a palette of at most 16, or the
// entries that are mixed for them. A scene without colors is returned as it is.
VoxelScene with_palette(VoxelScene scene, const WithPaletteOptions& options = {});

// Finds the numbers of named materials by their colors.
class MaterialNumbers {
 public:
  explicit MaterialNumbers(const std::vector<scene::NamedColor>& named);

  // Returns the place of a packed color in the list, or nothing if no material has this color.
  std::optional<uint32_t> operator()(uint32_t color) const {
    const auto found = numbers_.find(color);
    return found == numbers_.end() ? std::nullopt : std::optional(found->second);
  }
  // Returns it, or throws Error if no material has this color.
  uint32_t known(uint32_t color) const;

 private:
  std::unordered_map<uint32_t, uint32_t> numbers_;
};

// Reduces the colors to at most `count` different ones, 1 to attributes::kMostTabled: the means of clusters in Oklab,
// weighted by voxels. Each voxel gets the mean nearest to its color. If there are no more than `count`, they stay.
attributes::PackedValues with_fewer_colors(const attributes::PackedValues& colors, uint32_t count);

struct NearColors {
  attributes::PackedValues colors;
  double mean_error = 0;  // ΔE, over voxels
};

// Replaces colors by others of the same block, so that blocks have fewer different ones. No voxel's color changes by
// more than ΔE `most` (libvox/scene/oklab.h). The colors that a block keeps are chosen one by one: each is the color
// that is near to the most voxels among those that are not near to a chosen color yet.
NearColors near_colors(const attributes::PackedValues& colors, double most);

// Removes the voxels outside of the box, with their colors.
VoxelScene clipped(VoxelScene scene, const VoxelBox& box);

// Returns the values of the voxels inside the box, in order. `values` has those of all voxels, such as their colors.
attributes::PackedValues values_inside(const FrozenDag& dag, const attributes::PackedValues& values,
                                       const VoxelBox& box);

// Reads the colors of a scene, or other values of all of its voxels, leaf by leaf, on any thread. The scene must have
// colors, and outlive this object.
class LeafColors {
 public:
  explicit LeafColors(const VoxelScene& scene) : LeafColors(scene.dag, *scene.colors) {}
  LeafColors(const FrozenDag& dag, const attributes::PackedValues& values) : numbers_(dag), colors_(values) {}

  // Returns the packed color of each voxel of the leaf at `corner`, by its bit in the mask.
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

// Returns the scene with another DAG, whose voxels are some of the scene's and keep their colors.
VoxelScene part_of(VoxelScene scene, FrozenDag part);

// Writes the packed colors of the box's voxels, x fastest, and 0 for empty ones.
void write_dense_colors(const FrozenDag& dag, const LeafColors& colors, const VoxelBox& box, uint32_t* to);

// Writes number + 1 of the box's voxels, whose colors stand for named materials, x fastest, and 0 for empty ones.
void write_dense_numbers(const FrozenDag& dag, const LeafColors& colors, const MaterialNumbers& numbers,
                         const VoxelBox& box, uint16_t* to);

// Returns the colors of the voxels of a scene that coarser() makes of this one: the mean of all voxels inside each, in
// linear light, or the most frequent one if colors stand for named materials; the lowest of several. `halvings` is at
// least 1.
attributes::PackedValues coarser_colors(const VoxelScene& scene, uint32_t halvings);

// Returns a value for each voxel of `solid`, in order. `values` are those of `surface`, whose voxels are voxels of
// `solid` and keep their values. All other voxels have the value `interior`, if it is given. Otherwise a voxel in a
// leaf with surface voxels has the value of the last surface voxel before it along x, and all voxels of a node
// without surface voxels have the value of the last surface voxel on the ray along x through the node's lowest
// corner. If no surface voxel comes before, that is the first of `values`. Materials of solids follow the same rule
// (voxelize/solid.h), except that a node counts as having surface even if holes cut out all of it.
//
// check_structure() must accept both DAGs, which are in memory as a whole. Throws OutOfMemory if the values and a
// value for each row of voxels need more than `memory` bytes.
attributes::PackedValues inside_values(const FrozenDag& solid, const FrozenDag& surface,
                                       const attributes::PackedValues& values,
                                       std::optional<uint32_t> interior, uint64_t memory);

}  // namespace vox::dag
