// What a ray hits, found by looking at every voxel of a dense grid: slow and obviously right. In 128 bits, so
// that nothing overflows.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "libvox/render/trace.h"
#include "tests/dag/dense_dag.h"

namespace vox {

// A cube of voxels, side a power of two, and when a ray is in it: after all of the near planes, before any of
// the far ones.
struct DensePass {
  using Wide = __int128;
  Wide in, out;
  bool passes;

  DensePass(const Ray& ray, Int3 corner, uint32_t log2) {
    const Wide side = Wide{1} << log2, cube = Wide{1} << ray.log2_side;
    const std::array<Wide, 3> first = {ray.first.x, ray.first.y, ray.first.z};
    const std::array<Wide, 3> step = {ray.step.x, ray.step.y, ray.step.z};
    const std::array<Wide, 3> low = {corner.x, corner.y, corner.z};
    in = ray.start;
    out = Wide{1} << 100;
    for (size_t axis = 0; axis < 3; ++axis) {
      const Wide near = ray.mirrored >> axis & 1 ? cube - low[axis] - side : low[axis];
      in = std::max(in, first[axis] + near * step[axis]);
      out = std::min(out, first[axis] + (near + side) * step[axis]);
    }
    passes = in < out;
  }
};

class DenseScene {
 public:
  struct Voxel {
    Int3 at;
    int material;
  };

  DenseScene(uint32_t resolution, const DenseGrid& grid) : side_(kLeafSide << depth_for(resolution)) {
    for (uint32_t i = 0; i < resolution * resolution * resolution; ++i) {
      const uint32_t x = i % resolution, y = i / resolution % resolution, z = i / resolution / resolution;
      const int material = grid(x, y, z);
      if (material != kEmptyVoxel) voxels_.push_back({{int(x), int(y), int(z)}, material});
    }
  }

  // Without level of detail.
  Hit trace(const Ray& ray) const {
    Hit first;
    for (const Voxel& voxel : voxels_) {
      const DensePass pass(ray, voxel.at, 0);
      if (pass.passes && (!first.found() || pass.in < first.at))
        first = {static_cast<Crossing>(pass.in), voxel.at, 0, static_cast<uint32_t>(voxel.material)};
    }
    return first;
  }

  // With it: of all cubes around voxels that are small where the ray enters them, and of all voxels, the one
  // that it enters first; of several that it enters at once the largest. Its material is not looked up.
  Hit trace_cubes(const Ray& ray) const {
    Hit first;
    for (uint32_t log2 = 0; side_ >> log2 > 0; ++log2)
      for (const Int3 corner : corners(log2)) {
        const DensePass pass(ray, corner, log2);
        const bool stops =
            log2 == 0 || (ray.before + (pass.in >> 2)) >= (DensePass::Wide{ray.pixel_is_voxel} << log2);
        if (pass.passes && stops && (!first.found() || pass.in <= first.at))
          first = {static_cast<Crossing>(pass.in), corner, log2, 0};
      }
    return first;
  }

  const std::vector<Voxel>& voxels() const { return voxels_; }
  uint32_t side() const { return side_; }

 private:
  // Of the cubes that hold a voxel.
  std::vector<Int3> corners(uint32_t log2) const {
    std::vector<Int3> found;
    for (const Voxel& voxel : voxels_)
      found.push_back({voxel.at.x >> log2 << log2, voxel.at.y >> log2 << log2, voxel.at.z >> log2 << log2});
    const auto order = [](Int3 v) { return std::array{v.z, v.y, v.x}; };
    std::sort(found.begin(), found.end(), [&](Int3 a, Int3 b) { return order(a) < order(b); });
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
  }

  uint32_t side_;
  std::vector<Voxel> voxels_;
};

}  // namespace vox
