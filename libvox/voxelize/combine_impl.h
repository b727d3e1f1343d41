// Combines two surfaces on one device.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "libvox/base/error.h"
#include "libvox/base/progress.h"
#include "libvox/dag/from_cubes.h"
#include "libvox/dag/walk.h"
#include "libvox/device/runs.h"
#include "libvox/voxelize/combine.h"
#include "libvox/voxelize/find_sides.h"
#include "libvox/voxelize/leaf_pairs.h"
#include "libvox/voxelize/prepare.h"

namespace vox::voxelize {

// Lists the voxels of a scene in Morton order, one cube of 64³ after the other.
struct ListedVoxels {
  std::vector<uint64_t> keys;           // Morton codes
  std::vector<uint64_t> cubes, starts;  // the cubes, and where their voxels start in `keys`

  explicit ListedVoxels(const dag::FrozenDag& dag) {
    keys.reserve(dag.voxels);
    dag::for_each_leaf(dag, cube_at({0, 0, 0}, dag.side()), [&](Int3 corner, uint64_t mask, const uint32_t*) {
      const uint64_t cube = dag::cube_key(corner);
      if (cubes.empty() || cubes.back() != cube) {
        cubes.push_back(cube);
        starts.push_back(keys.size());
      }
      const uint64_t first = dag::cube_key(corner) << 3 * dag::VoxelCube::kLog2 |
                             dag::VoxelCube::code(corner - dag::cube_corner(cube));
      for (; mask != 0; mask &= mask - 1) keys.push_back(first | static_cast<uint64_t>(lowest_bit(mask)));
    });
  }
};

// Returns a scene with those of the listed voxels that the combination keeps.
inline dag::FrozenDag kept_voxels(const dag::FrozenDag& dag, uint32_t resolution, const ListedVoxels& listed,
                                  const std::vector<Side>& sides, Combination combination, bool second) {
  dag::CubeSource source;
  source.resolution = resolution;
  source.materials = dag.materials;
  source.cubes = listed.cubes;
  source.read = [&](size_t i, dag::VoxelCube& cube) {
    const Int3 corner = dag::cube_corner(listed.cubes[i]);
    uint64_t at = listed.starts[i];
    dag::for_each_leaf(dag, cube_at(corner, dag::VoxelCube::kSide),
                       [&](Int3 leaf, uint64_t mask, const uint32_t* words) {
                         const uint32_t first = dag::VoxelCube::code(leaf - corner);
                         for (; mask != 0; mask &= mask - 1, ++at) {
                           const auto bit = static_cast<uint32_t>(lowest_bit(mask));
                           if (keeps(combination, second, sides[at]))
                             cube.put(first | bit, dag.materials ? dag::leaf_material(words, bit) : 0);
                         }
                       });
  };
  return dag::dag_of_cubes(source).dag;
}

// A part of the grid, a window, whose (voxel, triangle) pairs are found at once.
struct NormalsWindow {
  static constexpr uint32_t kLog2Side = 8;
  static constexpr int32_t kSide = 1 << kLog2Side;

  uint64_t number;  // Morton code of its place among the windows
  Int3 corner() const { return morton_decode(number) * (kSide * kUnitsPerVoxel); }
};

struct ReachesWindow {
  const TriangleShape* shapes;
  Int3 corner;
  VOX_HD bool operator()(uint64_t i) const {
    const Int3* c = shapes[i].corner;
    for (uint32_t axis = 0; axis < 3; ++axis) {
      const int32_t begin = corner[axis], end = begin + NormalsWindow::kSide * kUnitsPerVoxel;
      if (c[0][axis] < begin && c[1][axis] < begin && c[2][axis] < begin) return false;
      if (c[0][axis] > end && c[1][axis] > end && c[2][axis] > end) return false;
    }
    return true;
  }
};

struct MoveShapes {
  const TriangleShape* shapes;
  const uint32_t* chosen;
  Int3 corner;
  TriangleShape* moved;
  VOX_HD void operator()(uint64_t i) const {
    TriangleShape shape = shapes[chosen[i]];
    for (Int3& c : shape.corner) c = c - corner;
    moved[i] = shape;
  }
};

struct KeysInGrid {
  const uint32_t* in_window;
  uint64_t window;
  uint64_t* keys;
  VOX_HD void operator()(uint64_t i) const {
    keys[i] = window << 3 * NormalsWindow::kLog2Side | in_window[i];
  }
};

struct IsCommonVoxel {
  const uint32_t* numbers;
  VOX_HD bool operator()(uint64_t i) const { return numbers[i] != hash::kNoNumber; }
};

struct SidesInOrder {
  const uint32_t* numbers;
  const Side* sides;
  Side* ordered;
  VOX_HD void operator()(uint64_t i) const { ordered[i] = sides[numbers[i]]; }
};

// A surface in the device's memory.
template <class Device>
class SurfaceOnDevice {
 public:
  SurfaceOnDevice(Device& device, const MeshSurface& surface, const Grid& grid)
      : device_(device),
        listed_(surface.dag),
        keys_(device::uploaded(device, listed_.keys)),
        index_(device, {}) {
    index_.build(keys_.data(), keys_.size());
    triangles_ = prepare_triangles(device, surface.scene, prepare_materials(surface.indexed), grid,
                                   {.attributes = Attributes::OfHoles});
  }

  const ListedVoxels& listed() const { return listed_; }
  const hash::KeyIndex<Device, uint64_t>& index() const { return index_; }
  ShapesRef shapes() const { return {triangles_.shapes.data(), triangles_.shapes.size()}; }

  // Returns the normals of the voxels that the other surface fills too.
  device::Buffer<VoxelNormal> normals(const SurfaceOnDevice& other) const {
    auto normals = device_.template make<VoxelNormal>(index_.count());
    device_.fill(normals.data(), index_.count(), VoxelNormal{});
    for (const NormalsWindow window : common_windows(other)) {
      throw_if_cancelled();
      add_normals(window, normals.data());
    }
    return normals;
  }

  // Returns the sides in the order of the list.
  std::vector<Side> ordered(const device::Buffer<Side>& sides) const {
    const uint64_t n = keys_.size();
    auto numbers = device_.template make<uint32_t>(n);
    auto ordered = device_.template make<Side>(n);
    index_.find(keys_.data(), n, numbers.data());
    device_.for_each({"sides in order", 10}, n, SidesInOrder{numbers.data(), sides.data(), ordered.data()});
    std::vector<Side> result(n);
    device_.download(result.data(), ordered.data(), n);
    return result;
  }

 private:
  // Returns the windows that contain common voxels, in order.
  std::vector<NormalsWindow> common_windows(const SurfaceOnDevice& other) const {
    const uint64_t n = keys_.size();
    auto numbers = device_.template make<uint32_t>(n), common = device_.template make<uint32_t>(n);
    other.index_.find(keys_.data(), n, numbers.data());
    const uint64_t count =
        device_.select({"select common voxels", 8}, n, IsCommonVoxel{numbers.data()}, common.data());
    std::vector<uint32_t> chosen(count);
    device_.download(chosen.data(), common.data(), count);
    std::vector<NormalsWindow> windows;
    for (const uint32_t i : chosen) {
      const uint64_t window = listed_.keys[i] >> 3 * NormalsWindow::kLog2Side;
      if (windows.empty() || windows.back().number != window) windows.push_back({window});
    }
    return windows;
  }

  void add_normals(NormalsWindow window, VoxelNormal* normals) const {
    const ShapesRef all = shapes();
    auto chosen = device_.template make<uint32_t>(all.count);
    const uint64_t count = device_.select({"select triangles of a window", 40}, all.count,
                                          ReachesWindow{all.shapes, window.corner()}, chosen.data());
    if (count == 0) return;
    auto moved = device_.template make<TriangleShape>(count);
    device_.for_each({"move triangles", 84}, count,
                     MoveShapes{all.shapes, chosen.data(), window.corner(), moved.data()});
    const VoxelPairs pairs = make_voxel_pairs(device_, TrianglesRef{.shapes = moved.data()}, count,
                                              NormalsWindow::kSide, scene::Coverage::Conservative);
    auto keys = device_.template make<uint64_t>(pairs.count);
    auto numbers = device_.template make<uint32_t>(pairs.count);
    device_.for_each({"keys in the grid", 12}, pairs.count,
                     KeysInGrid{pairs.voxels.data(), window.number, keys.data()});
    index_.find(keys.data(), pairs.count, numbers.data());
    device_.for_each({"add normals", 60}, pairs.count,
                     AddNormals{moved.data(), numbers.data(), pairs.triangles.data(), normals});
  }

  Device& device_;
  ListedVoxels listed_;
  device::Buffer<uint64_t> keys_;
  hash::KeyIndex<Device, uint64_t> index_;
  PreparedTriangles triangles_;
};

template <class Device>
Combined combine_surfaces(Device& device, const MeshSurface& first, const MeshSurface& second,
                          const Grid& grid, Combination combination) {
  for (const MeshSurface* surface : {&first, &second})
    if (surface->dag.voxels >= hash::kNoSlot)
      throw Error("a surface that is combined with another can have at most 2^32 - 2 voxels");
  const uint64_t bytes = (first.dag.voxels + second.dag.voxels) * (sizeof(uint64_t) + sizeof(Side));
  if (bytes > device.pool().available()) throw OutOfMemory(bytes, device.pool().available());
  Combined combined;
  std::vector<Side> first_sides, second_sides;
  const SurfaceOnDevice<Device> a(device, first, grid), b(device, second, grid);
  const auto sides = [&](const SurfaceOnDevice<Device>& of, const SurfaceOnDevice<Device>& other,
                         SideCounts& counts) {
    const auto normals = other.normals(of);
    const SidesOfVoxels found =
        SideFinder(device, grid.resolution, of.index(), other.index(), normals.data(), other.shapes()).find();
    counts = found.counts;
    return of.ordered(found.sides);
  };
  first_sides = sides(a, b, combined.first_counts);
  second_sides = sides(b, a, combined.second_counts);
  combined.first = kept_voxels(first.dag, grid.resolution, a.listed(), first_sides, combination, false);
  combined.second = kept_voxels(second.dag, grid.resolution, b.listed(), second_sides, combination, true);
  return combined;
}

}  // namespace vox::voxelize
