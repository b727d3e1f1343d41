// The values of voxels inside solids, compared with a search along the rows of a dense grid.

#include <gtest/gtest.h>

#include <map>
#include <optional>

#include "libvox/base/error.h"
#include "libvox/dag/colors.h"
#include "libvox/dag/walk.h"
#include "tests/common/random.h"
#include "tests/dag/dense_dag.h"

namespace vox {
namespace {

struct Grids {
  uint32_t resolution;
  DenseGrid surface, solid;
  std::map<std::array<int32_t, 4>, bool> cubes = {};  // true for cubes, by corner and side, that have surface

  bool is_surface(Int3 v) const {
    return surface(static_cast<uint32_t>(v.x), static_cast<uint32_t>(v.y), static_cast<uint32_t>(v.z)) >= 0;
  }
  bool has_surface(Int3 corner, int32_t side) {
    const auto [known, is_new] = cubes.try_emplace({corner.x, corner.y, corner.z, side});
    if (is_new) known->second = finds_surface(corner, side);
    return known->second;
  }
  bool finds_surface(Int3 corner, int32_t side) const {
    const auto end = static_cast<int32_t>(resolution);
    for (int32_t z = corner.z; z < std::min(corner.z + side, end); ++z)
      for (int32_t y = corner.y; y < std::min(corner.y + side, end); ++y)
        for (int32_t x = corner.x; x < std::min(corner.x + side, end); ++x)
          if (is_surface({x, y, z})) return true;
    return false;
  }
  // Returns the place on whose ray the value of an inside voxel lies: the corner of the largest cube of the octree around it
  // that has no surface, or the voxel's own.
  Int3 ray_of(Int3 v, uint32_t side) {
    for (; side >= 4; side /= 2) {
      const auto s = static_cast<int32_t>(side);
      const Int3 corner = {v.x / s * s, v.y / s * s, v.z / s * s};
      if (!has_surface(corner, s)) return corner;
    }
    return v;
  }
};

std::vector<Grids> random_grids() {
  std::vector<Grids> grids;
  for (const uint64_t seed : {1, 2, 3})
    for (const uint32_t resolution : {4u, 30u, 32u, 70u}) {
      const auto random = [seed](uint32_t x, uint32_t y, uint32_t z, uint64_t of) {
        return mix64(mix64(uint64_t{x} << 40 | uint64_t{y} << 20 | z) + seed * 10 + of);
      };
      const DenseGrid surface = [=](uint32_t x, uint32_t y, uint32_t z) {
        return random(x / 8, y / 8, z / 8, 1) % (resolution > 32 ? 200 : 3) == 0 &&
                       random(x, y, z, 2) % 5 == 0
                   ? 0
                   : dag::kEmptyVoxel;
      };
      const DenseGrid solid = [=](uint32_t x, uint32_t y, uint32_t z) {
        return surface(x, y, z) >= 0 || random(x / 4, y / 4, z / 4, 3) % 3 != 0 ? 0 : dag::kEmptyVoxel;
      };
      grids.push_back({resolution, surface, solid});
    }
  return grids;
}

TEST(InsideValues, AreThoseOfTheLastSurfaceVoxelOnTheRay) {
  for (Grids& grids : random_grids()) {
    const dag::FrozenDag surface = dense_dag(grids.resolution, false, grids.surface),
                         solid = dense_dag(grids.resolution, false, grids.solid);
    std::vector<uint32_t> colors(surface.voxels);
    for (size_t i = 0; i < colors.size(); ++i) colors[i] = static_cast<uint32_t>(mix64(i)) & 0xffffff;
    std::map<std::array<int32_t, 3>, uint32_t> of_surface;
    size_t number = 0;
    dag::for_each_leaf(surface, cube_at({0, 0, 0}, surface.side()),
                       [&](Int3 corner, uint64_t mask, const uint32_t*) {
                         for (; mask != 0; mask &= mask - 1) {
                           const Int3 v = corner + cube_place(static_cast<uint32_t>(lowest_bit(mask)));
                           of_surface[{v.x, v.y, v.z}] = colors[number++];
                         }
                       });
    const auto last_before = [&](Int3 v) {
      for (--v.x; v.x >= 0; --v.x)
        if (const auto found = of_surface.find({v.x, v.y, v.z}); found != of_surface.end())
          return found->second;
      return colors.empty() ? 0 : colors[0];
    };
    for (const std::optional<uint32_t> interior :
         {std::optional<uint32_t>(), std::optional<uint32_t>(0x123456)}) {
      const attributes::PackedValues values =
          dag::inside_values(solid, surface, attributes::packed_values(colors), interior, UINT64_MAX);
      ASSERT_EQ(values.count, solid.voxels);
      uint64_t at = 0;
      dag::for_each_leaf(
          solid, cube_at({0, 0, 0}, solid.side()), [&](Int3 corner, uint64_t mask, const uint32_t*) {
            for (; mask != 0; mask &= mask - 1) {
              const Int3 v = corner + cube_place(static_cast<uint32_t>(lowest_bit(mask)));
              const uint32_t expected = grids.is_surface(v) ? of_surface.at({v.x, v.y, v.z})
                                        : interior          ? *interior
                                                            : last_before(grids.ray_of(v, solid.side()));
              ASSERT_EQ(values[at++], expected) << v.x << ' ' << v.y << ' ' << v.z;
            }
          });
    }
    if (solid.voxels > 0) {
      EXPECT_THROW(dag::inside_values(solid, surface, attributes::packed_values(colors), {}, 10),
                   OutOfMemory);
    }
  }
}

}  // namespace
}  // namespace vox
