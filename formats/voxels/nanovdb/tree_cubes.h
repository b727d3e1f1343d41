// Cubes of 64³ voxels of a tree, and the tree's place in the world. The readers of NanoVDB and OpenVDB share this:
// their trees have nodes of 4096³, 128³ and 8³ voxels.
#pragma once

#include <fmt/format.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "formats/volume/places.h"
#include "formats/voxels/nanovdb/nvdb_file.h"
#include "formats/voxels/voxel_file.h"
#include "libvox/base/bits.h"
#include "libvox/base/error.h"
#include "libvox/base/morton.h"
#include "libvox/base/vec.h"
#include "libvox/dag/from_cubes.h"

namespace vox::nvdb {

// The largest number of parts. A tile stands for many cubes, but so many parts still take only seconds.
inline constexpr size_t kMostParts = size_t{1} << 20;

using LeafMask = std::array<uint64_t, 8>;  // word x, byte y, bit z

inline Vec3<int64_t> shifted(const Vec3<int64_t>& corner, Int3 place, int32_t side) {
  return corner + vec_of<int64_t>(place) * side;
}

FileBounds cube_bounds(const Vec3<int64_t>& corner, int32_t side);

// Returns the bounds of the active voxels of a leaf at this corner.
FileBounds leaf_bounds(const LeafMask& mask, const Vec3<int64_t>& corner);

// Fills the voxels of an 8³ leaf, which is given by its Morton index in the cube.
void put_leaf_mask(uint32_t leaf, const LeafMask& mask, VoxelSink& to);

// Fills an 8³ leaf with one value.
void put_leaf_tile(uint32_t leaf, uint32_t value, VoxelSink& to);

// The Morton codes of the voxels of an 8³ leaf, in the file's order.
inline constexpr std::array<uint16_t, 512> kLeafCodes = [] {
  std::array<uint16_t, 512> codes = {};
  for (uint32_t place = 0; place < codes.size(); ++place)
    for (uint32_t bit = 0; bit < 3; ++bit)
      codes[place] = static_cast<uint16_t>(codes[place] | (place >> (6 + bit) & 1) << 3 * bit |
                                           (place >> (3 + bit) & 1) << (3 * bit + 1) |
                                           (place >> bit & 1) << (3 * bit + 2));
  return codes;
}();

// Calls value(place) for the active voxels of a leaf in the file's order and puts what it returns.
template <class Value>
void put_leaf_values(uint32_t leaf, const LeafMask& mask, VoxelSink& to, Value value) {
  for (uint32_t x = 0; x < 8; ++x)
    for (uint64_t left = mask[x]; left != 0; left &= left - 1) {
      const uint32_t place = x * 64 + static_cast<uint32_t>(lowest_bit(left));
      to.put(leaf * 512 + kLeafCodes[place], value(place));
    }
}

// Returns the octants of a node of 128³ that may have voxels, as bits. filled(first) returns 64 bits, from place
// `first` on, which are 1 for places that are children or active tiles.
template <class Filled>
uint32_t filled_octants(const Filled& filled) {
  uint32_t found = 0;
  for (uint32_t first = 0; first < kLowerEntries; first += 64) {
    const uint64_t word = filled(first);
    // A word has 4 places along y and 16 along z; one half of a row belongs to an octant.
    const Int3 at = place_of_entry(first, 4);
    const uint32_t octant = octant_of(at.x >= 8, at.y >= 8, 0);
    if ((word & 0x00ff00ff00ff00ff) != 0) found |= 1u << octant;
    if ((word & 0xff00ff00ff00ff00) != 0) found |= 1u << (octant | 4);
  }
  return found;
}

// Returns the bounds of the voxels of all parts of a tree.
template <class Tree>
FileBounds bounds_of_parts(const Tree& tree) {
  return sum_of_items<FileBounds>(tree.parts().size(), 1, [&](FileBounds& bounds, uint64_t i) {
    bounds.add(tree.bounds_of(tree.parts()[i]));
  });
}

// A cube of 64³ voxels: an octant of a part of the tree.
struct TreeCube {
  uint64_t key = 0;
  uint32_t part = 0, octant = 0;
  bool operator<(const TreeCube& other) const { return key < other.key; }
};

// Returns the cubes of a tree that may have voxels, in the order of a VoxelFile whose voxel (0, 0, 0) is the tree's `base`.
template <class Tree>
std::vector<TreeCube> cubes_of(const Tree& tree, const Vec3<int64_t>& base, uint32_t resolution) {
  std::vector<TreeCube> cubes;
  for (uint32_t i = 0; i < tree.parts().size(); ++i) {
    const auto& part = tree.parts()[i];
    const uint32_t octants = tree.octants(part);
    for (uint32_t octant = 0; octant < 8; ++octant) {
      if ((octants >> octant & 1) == 0) continue;
      const Int3 step = octant_corner(octant, dag::VoxelCube::kSide);
      const Vec3<int64_t> at = part.corner + vec_of<int64_t>(step) - base;
      if (std::min({at.x, at.y, at.z}) < 0 || std::max({at.x, at.y, at.z}) >= resolution)
        throw Error(fmt::format("a voxel lies outside of the grid of {}³ voxels", resolution))
            .hint("is the file damaged?");
      cubes.push_back({dag::cube_key(vec_of<int32_t>(at)), i, octant});
    }
  }
  tbb::parallel_sort(cubes.begin(), cubes.end());
  const auto same = [](const TreeCube& a, const TreeCube& b) { return a.key == b.key; };
  if (std::ranges::adjacent_find(cubes, same) != cubes.end())
    throw Error("two of its nodes are at one place").hint("is the file damaged?");
  return cubes;
}

// The map from index coordinates to the world: the steps from voxel to voxel along each axis of the file, and the place of
// the lower corner of voxel (0, 0, 0).
struct TreePlacement {
  std::array<Vec3d, 3> steps = {};
  Vec3d corner = {0, 0, 0};
};

// Sets the grid for a file from another program with voxels in these bounds, and returns the voxel of the file that becomes
// (0, 0, 0). It lies at multiples of a cube's side, so that each cube takes its voxels from one node.
Vec3<int64_t> fit_tree(VoxelFile& file, FileBounds bounds, const TreePlacement& placement,
                       const std::filesystem::path& path);

// Sets the grid as the text says that vox has written beside the tree.
void use_scene_text(VoxelFile& file, const SceneText& ours);

// Returns the file of these voxels, which have a tree(), its values' meaning and a read() for each cube.
template <class Voxels>
VoxelFile file_of_tree(const std::shared_ptr<const Voxels>& voxels, VoxelValues values,
                       const std::optional<SceneText>& ours, const TreePlacement& placement,
                       const std::filesystem::path& path) {
  VoxelFile file;
  file.values = values;
  Vec3<int64_t> base = {0, 0, 0};
  if (ours)
    use_scene_text(file, *ours);
  else
    base = fit_tree(file, bounds_of_parts(voxels->tree()), placement, path);
  const auto cubes =
      std::make_shared<const std::vector<TreeCube>>(cubes_of(voxels->tree(), base, file.resolution));
  for (const TreeCube& cube : *cubes) file.cubes.push_back(cube.key);
  file.read = [voxels, cubes](size_t i, VoxelSink& to) { voxels->read((*cubes)[i], to); };
  return file;
}

}  // namespace vox::nvdb
