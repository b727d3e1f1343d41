// Finds what a ray hits by testing every voxel of a dense grid: slow and obviously right. The computation
// uses 128 bits, so that nothing overflows.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "libvox/base/voxel_box.h"
#include "libvox/render/trace.h"
#include "tests/dag/dense_dag.h"

namespace vox {

// A box of voxels and the time that a ray spends in it: after it has crossed all near planes and before it
// crosses a far one.
struct DensePass {
  using Wide = __int128;
  Wide in, out;
  bool passes;

  DensePass(const render::Ray& ray, const VoxelBox& box) {
    const Wide cube = Wide{1} << ray.log2_side;
    const std::array<Wide, 3> first = {ray.first.x, ray.first.y, ray.first.z};
    const std::array<Wide, 3> step = {ray.step.x, ray.step.y, ray.step.z};
    const std::array<Wide, 3> low = {box.min.x, box.min.y, box.min.z};
    const std::array<Wide, 3> high = {box.max.x, box.max.y, box.max.z};
    in = ray.start;
    out = Wide{1} << 100;
    for (size_t axis = 0; axis < 3; ++axis) {
      const bool down = ray.mirrored >> axis & 1;
      const Wide near = down ? cube - high[axis] : low[axis], far = down ? cube - low[axis] : high[axis];
      in = std::max(in, first[axis] + near * step[axis]);
      out = std::min(out, first[axis] + far * step[axis]);
    }
    passes = in < out;
  }
};

struct MaterialHit {
  render::Hit hit;
  int material = dag::kEmptyVoxel;
  friend bool operator==(const MaterialHit&, const MaterialHit&) = default;
};

class DenseScene {
 public:
  struct Voxel {
    Int3 at;
    int material;
  };

  DenseScene(uint32_t resolution, const DenseGrid& grid)
      : side_(dag::kLeafSide << dag::depth_for(resolution)) {
    for (uint32_t i = 0; i < resolution * resolution * resolution; ++i) {
      const uint32_t x = i % resolution, y = i / resolution % resolution, z = i / resolution / resolution;
      const int material = grid(x, y, z);
      if (material != dag::kEmptyVoxel) voxels_.push_back({{int(x), int(y), int(z)}, material});
    }
  }

  // Returns the hit without level of detail.
  MaterialHit trace(const render::Ray& ray) const {
    MaterialHit first;
    for (const Voxel& voxel : voxels_) {
      const VoxelBox box = cube_at(voxel.at, 1);
      const DensePass pass(ray, box);
      if (pass.passes && (!first.hit.found() || pass.in < first.hit.at))
        first = {{static_cast<render::Crossing>(pass.in), box.min, box.max, 0}, voxel.material};
    }
    return first;
  }

  // Returns the hit with level of detail. It tests all voxels, and for all cubes of at least 4³ except the
  // whole grid, the boxes around their voxels that are no wider than a pixel where the ray enters them. The
  // box that the ray enters first wins, and among several entered at once that of the largest cube.
  render::Hit trace_cubes(const render::Ray& ray) const {
    render::Hit first;
    for (uint32_t log2 = 0; side_ >> log2 > 1; log2 += log2 == 0 ? 2 : 1)
      for (const Cube& cube : cubes(log2)) {
        const DensePass enters(ray, cube_at(cube.corner, 1u << log2)), pass(ray, cube.filled);
        const DensePass::Wide ticks = std::min<DensePass::Wide>(ray.before + (enters.in >> 2), ray.widest);
        const bool stops = log2 == 0 || ticks >= (DensePass::Wide{ray.pixel_is_voxel} << log2);
        if (pass.passes && stops && (!first.found() || pass.in <= first.at))
          first = {static_cast<render::Crossing>(pass.in), cube.filled.min, cube.filled.max, log2};
      }
    return first;
  }

  const std::vector<Voxel>& voxels() const { return voxels_; }
  uint32_t side() const { return side_; }

 private:
  struct Cube {
    Int3 corner;
    VoxelBox filled;  // the box around its voxels
  };

  // Returns the cubes of this size that contain a voxel.
  std::vector<Cube> cubes(uint32_t log2) const {
    std::map<std::array<int32_t, 3>, VoxelBox> found;
    for (const Voxel& voxel : voxels_) {
      const std::array corner = {voxel.at.x >> log2 << log2, voxel.at.y >> log2 << log2,
                                 voxel.at.z >> log2 << log2};
      const VoxelBox box = cube_at(voxel.at, 1);
      const auto [at, added] = found.try_emplace(corner, box);
      if (!added) at->second = hull(at->second, box);
    }
    std::vector<Cube> list;
    for (const auto& [corner, filled] : found) list.push_back({{corner[0], corner[1], corner[2]}, filled});
    return list;
  }

  uint32_t side_;
  std::vector<Voxel> voxels_;
};

}  // namespace vox
