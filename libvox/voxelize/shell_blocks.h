// Computes distances between boxes of voxels and surface voxels, and from them the shells of a block (inside.h).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "libvox/base/bits.h"
#include "libvox/base/geometry.h"
#include "libvox/base/morton.h"
#include "libvox/voxelize/inside.h"

namespace vox::voxelize {

// Squares of distances between voxels' centers, in units of the greatest common divisor of a voxel's sides. A distance
// along an axis beyond the deepest shell counts as one unit beyond it, so that sums of three squares stay below 2^64.
struct Depths {
  Vec3<int64_t> side = {};        // at most `beyond`
  int64_t beyond = 0;             // at most 2^31 + 1
  std::vector<uint64_t> squares;  // of the shells' depths

  Depths(const VoxelSize& size, const Shells& shells) {
    for (uint32_t k = 0; k < 3; ++k) {
      const double units = std::floor(kDepthUnits * (size[k] / size.shortest()) + 0.5);
      side[k] = static_cast<int64_t>(std::min(units, static_cast<double>(kMostDepth)));
    }
    const int64_t unit = std::gcd(std::gcd(side.x, side.y), side.z);
    beyond = static_cast<int64_t>(shells.shells.back().depth) / unit + 1;
    for (uint32_t k = 0; k < 3; ++k) side[k] = std::min(side[k] / unit, beyond);
    const auto square_of_unit = static_cast<uint64_t>(unit * unit);
    for (const Shell& shell : shells.shells) squares.push_back(shell.depth * shell.depth / square_of_unit);
  }

  // Returns what a number of steps along one axis adds to a square.
  uint64_t along(uint32_t axis, int32_t steps) const {
    const auto distance = static_cast<uint64_t>(std::min(side[axis] * steps, beyond));
    return distance * distance;
  }

  size_t shell_of(uint64_t squared) const {
    return static_cast<size_t>(std::ranges::lower_bound(squares, squared) - squares.begin());
  }

  // Returns the greatest square below `most` at which a shell ends; larger squares below `most` change nothing.
  uint64_t reach_below(uint64_t most) const {
    const size_t shell = shell_of(most);
    return shell == 0 ? most : squares[shell - 1];
  }
};

// A box of voxels; `first` and `last` lie in it.
struct VoxelSpan {
  Int3 first, last;
};

inline VoxelSpan cube_span(Int3 corner, uint32_t side) {
  const auto last = static_cast<int32_t>(side) - 1;
  return {corner, corner + Int3{last, last, last}};
}

inline uint64_t least_square(const Depths& depths, const VoxelSpan& a, const VoxelSpan& b) {
  uint64_t sum = 0;
  for (uint32_t k = 0; k < 3; ++k)
    sum += depths.along(k, std::max({0, b.first[k] - a.last[k], a.first[k] - b.last[k]}));
  return sum;
}

inline uint64_t greatest_square(const Depths& depths, const VoxelSpan& box, Int3 voxel) {
  uint64_t sum = 0;
  for (uint32_t k = 0; k < 3; ++k)
    sum += depths.along(k, std::max(box.last[k] - voxel[k], voxel[k] - box.first[k]));
  return sum;
}

// A box, and a voxel that is known to be near it, to be compared with other boxes. If the sum of more() over the axes
// is above 0, every place of the box is nearer to the voxel than to any place of the other box: the difference of the
// two squares is a concave function of the place along each axis, so it is least at an end. Products stay below 2^62 if
// coordinates are below 2^30.
struct NearVoxel {
  VoxelSpan box;
  Int3 voxel = {0, 0, 0};
  uint64_t most = UINT64_MAX;  // the greatest square of a distance between the voxel and a place of the box

  void offer(const Depths& depths, Int3 other) {
    const uint64_t square = greatest_square(depths, box, other);
    if (square >= most) return;
    most = square;
    voxel = other;
  }
  int64_t more(const Depths& depths, uint32_t axis, int32_t first, int32_t last) const {
    const auto at = [&](int32_t place) {
      const int64_t far = depths.side[axis] * std::max({0, first - place, place - last});
      const int64_t near = depths.side[axis] * (place - voxel[axis]);
      return far * far - near * near;
    };
    return std::min(at(box.first[axis]), at(box.last[axis]));
  }
};

// Returns the voxels of a leaf, except those with a neighbor in it that is nearer to every place of the box. Along an
// axis, steps from place 0 to 1 and from 2 to 3 change the low bit in cube_bit(), a step from 1 to 2 both bits.
inline uint64_t facing_voxels(uint64_t voxels, Int3 corner, const VoxelSpan& box) {
  uint64_t kept = voxels;
  for (uint32_t k = 0; k < 3; ++k) {
    const uint32_t step = 1u << k, long_step = 7u << k;
    const uint64_t even = even_voxels(k), first = plane_voxels(k, 1);
    if (box.first[k] >= corner[k] + 3) kept &= ~((voxels >> step & even) | (voxels >> long_step & first));
    if (box.last[k] <= corner[k]) kept &= ~((voxels & even) << step | (voxels & first) << long_step);
  }
  return kept;
}

// Nodes above this height are decided one by one; the voxels of cubes of this height are decided together.
inline constexpr uint32_t kShellHeight = 1;
inline constexpr int32_t kShellSide = 4 << kShellHeight;
inline constexpr size_t kShellVoxels = size_t{kShellSide} * kShellSide * kShellSide;
using BlockShells = std::array<uint8_t, kShellVoxels>;  // x fastest

// Up to four surface voxels of a leaf, in a row along x.
struct SurfaceRow {
  Int3 corner;    // 12 B, the first place of the row
  uint32_t mask;  // 4 B
};

// Finds the shell of each voxel of a block from its least square to any surface voxel: first along x and y for each
// plane of surface voxels, then along z.
template <class Square>
BlockShells find_block_shells(const Depths& depths, Int3 corner, uint64_t most,
                              const std::vector<SurfaceRow>& rows) {
  using Plane = std::array<Square, size_t{kShellSide} * kShellSide>;
  const auto farthest = static_cast<Square>(most), reach = static_cast<Square>(depths.reach_below(most));
  const auto side = static_cast<Square>(depths.side.x), beyond = static_cast<Square>(depths.beyond);
  const auto most_steps =
      static_cast<int32_t>(std::min<int64_t>(depths.beyond / depths.side.x + 1, INT32_MAX));
  const auto [low, high] =
      std::ranges::minmax_element(rows, {}, [](const SurfaceRow& row) { return row.corner.z; });
  const int32_t first_z = low->corner.z;
  std::vector<int32_t> plane_at(static_cast<size_t>(high->corner.z - first_z) + 1, -1);
  std::vector<Plane> planes;
  for (const SurfaceRow& row : rows) {
    std::array<int32_t, kShellSide> steps;
    steps.fill(most_steps);
    for (uint32_t rest = row.mask; rest != 0; rest &= rest - 1) {
      const int32_t from = corner.x - row.corner.x - lowest_bit(rest);
      for (int32_t x = 0; x < kShellSide; ++x)
        steps[static_cast<size_t>(x)] = std::min(steps[static_cast<size_t>(x)], std::abs(from + x));
    }
    std::array<Square, kShellSide> squares;
    for (size_t x = 0; x < kShellSide; ++x) {
      const Square distance = std::min(side * static_cast<Square>(steps[x]), beyond);
      squares[x] = distance * distance;
    }
    const Square least = std::ranges::min(squares);
    int32_t& plane = plane_at[static_cast<size_t>(row.corner.z - first_z)];
    for (int32_t y = 0; y < kShellSide; ++y) {
      const auto more = static_cast<Square>(depths.along(1, std::abs(corner.y + y - row.corner.y)));
      if (least + more > reach) continue;
      if (plane < 0) {
        plane = static_cast<int32_t>(planes.size());
        planes.emplace_back().fill(farthest);
      }
      Square* const at = planes[static_cast<size_t>(plane)].data() + y * kShellSide;
      for (size_t x = 0; x < kShellSide; ++x) at[x] = std::min(at[x], squares[x] + more);
    }
  }
  BlockShells shells = {};
  for (int32_t z = 0; z < kShellSide; ++z) {
    Plane nearest;
    nearest.fill(farthest);
    for (size_t i = 0; i < plane_at.size(); ++i) {
      if (plane_at[i] < 0) continue;
      const Plane& plane = planes[static_cast<size_t>(plane_at[i])];
      const int32_t steps = std::abs(corner.z + z - first_z - static_cast<int32_t>(i));
      const auto more = static_cast<Square>(depths.along(2, steps));
      if (more > reach) continue;
      for (size_t at = 0; at < plane.size(); ++at) nearest[at] = std::min(nearest[at], plane[at] + more);
    }
    for (const uint64_t square : depths.squares)
      for (size_t at = 0; at < nearest.size(); ++at)
        shells[static_cast<size_t>(z) * nearest.size() + at] = static_cast<uint8_t>(
            shells[static_cast<size_t>(z) * nearest.size() + at] + (nearest[at] > square ? 1 : 0));
  }
  return shells;
}

}  // namespace vox::voxelize
