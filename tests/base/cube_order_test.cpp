#include "libvox/base/cube_order.h"

#include <gtest/gtest.h>

#include "libvox/base/morton.h"

namespace vox {
namespace {

uint32_t morton(const Int3& v) {
  return static_cast<uint32_t>(
      morton_encode(static_cast<uint32_t>(v.x), static_cast<uint32_t>(v.y), static_cast<uint32_t>(v.z)));
}

TEST(CubeOrder, OctantsAndVoxelsStandInMortonOrder) {
  for (uint32_t octant = 0; octant < 8; ++octant) {
    const Int3 place = morton_decode(octant);
    EXPECT_EQ(octant_place(octant), place);
    EXPECT_EQ(octant_corner(octant, 16), place * 16);
    EXPECT_EQ(octant_of(static_cast<uint32_t>(place.x), static_cast<uint32_t>(place.y),
                        static_cast<uint32_t>(place.z)),
              octant);
  }
  for (uint32_t bit = 0; bit < 64; ++bit) {
    EXPECT_EQ(cube_place(bit), morton_decode(bit));
    EXPECT_EQ(cube_bit(morton_decode(bit)), bit);
  }
}

TEST(CubeOrder, OnlyTheLowestBitsOfAPlaceCountAlsoBelowZero) {
  for (int32_t z = -5; z < 9; ++z)
    for (int32_t y = -6; y < 5; ++y)
      for (int32_t x = -7; x < 6; ++x) {
        const Int3 voxel = {x, y, z};
        EXPECT_EQ(cube_bit(voxel), morton({x & 3, y & 3, z & 3}));
        for (uint32_t log2 = 0; log2 < 3; ++log2)
          EXPECT_EQ(octant_at(voxel, log2), morton({x >> log2 & 1, y >> log2 & 1, z >> log2 & 1}));
      }
}

TEST(CubeOrder, MasksOfPlanesHoldTheirVoxelsAlone) {
  for (uint32_t axis = 0; axis < 3; ++axis) {
    for (uint32_t octant = 0; octant < 8; ++octant)
      EXPECT_EQ(lower_octants(axis) >> octant & 1, morton_decode(octant)[axis] == 0 ? 1u : 0u);
    for (uint32_t bit = 0; bit < 64; ++bit) {
      const int32_t along = morton_decode(bit)[axis];
      EXPECT_EQ(even_voxels(axis) >> bit & 1, along % 2 == 0 ? 1u : 0u);
      EXPECT_EQ(lower_voxels(axis) >> bit & 1, along < 2 ? 1u : 0u);
      for (int32_t at = 0; at < 4; ++at)
        EXPECT_EQ(plane_voxels(axis, static_cast<uint32_t>(at)) >> bit & 1, along == at ? 1u : 0u);
    }
  }
}

}  // namespace
}  // namespace vox
