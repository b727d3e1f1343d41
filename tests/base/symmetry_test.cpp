#include <gtest/gtest.h>

#include <map>
#include <set>
#include <vector>

#include "libvox/base/symmetry.h"
#include "tests/common/random.h"

namespace vox {
namespace {

// Moves a voxel of a cube of `side` as the symmetry says: the axes are permuted, then some are mirrored.
Int3 moved(uint32_t symmetry, const Int3& voxel, int32_t side) {
  const int32_t from[3] = {voxel.x, voxel.y, voxel.z};
  int32_t to[3] = {};
  for (uint32_t axis = 0; axis < 3; ++axis) to[kAxisPermutations[symmetry / 8][axis]] = from[axis];
  for (uint32_t axis = 0; axis < 3; ++axis)
    if ((symmetry >> axis & 1) != 0) to[axis] = side - 1 - to[axis];
  return {to[0], to[1], to[2]};
}

uint64_t moved_voxels(uint32_t symmetry, uint64_t mask) {
  uint64_t image = 0;
  for (uint32_t bit = 0; bit < 64; ++bit)
    if ((mask >> bit & 1) != 0) image |= uint64_t{1} << cube_bit(moved(symmetry, cube_place(bit), 4));
  return image;
}

std::vector<uint64_t> masks() {
  std::vector<uint64_t> masks = {0, 1, UINT64_MAX, 0x00ff00ff00ff00ff, 0x8000000000000001};
  Random random(3);
  for (int i = 0; i < 20; ++i)
    masks.push_back(uint64_t{random.below(UINT32_MAX)} << 32 | random.below(UINT32_MAX));
  return masks;
}

TEST(Symmetry, EachMovesTheOctantsOfACubeInItsOwnWayAndLeavesNeighborsNeighbors) {
  std::set<std::vector<uint32_t>> different;
  for (uint32_t symmetry = 0; symmetry < kSymmetries; ++symmetry) {
    std::vector<uint32_t> to;
    for (uint32_t octant = 0; octant < 8; ++octant) {
      to.push_back(moved_octant(symmetry, octant));
      const Int3 place = moved(symmetry, octant_place(octant), 2);
      EXPECT_EQ(to.back(), octant_of(static_cast<uint32_t>(place.x), static_cast<uint32_t>(place.y),
                                     static_cast<uint32_t>(place.z)));
      EXPECT_EQ(kSymmetryTables.source(symmetry, to.back()), octant);
    }
    different.insert(to);
  }
  EXPECT_EQ(different.size(), 48u);
  for (uint32_t octant = 0; octant < 8; ++octant) EXPECT_EQ(moved_octant(0, octant), octant);
  // The first eight are mirrors alone: they keep the axes.
  for (uint32_t symmetry = 0; symmetry < kMirrors; ++symmetry)
    EXPECT_EQ(moved_octant(symmetry, 1), moved_octant(symmetry, 0) ^ 1);
}

TEST(Symmetry, ProductsAndInversesDoWhatTheirPartsDoOneAfterTheOther) {
  for (uint32_t first = 0; first < kSymmetries; ++first) {
    EXPECT_EQ(kSymmetryTables.products[first][kSymmetryTables.inverses[first]], 0);
    for (uint32_t second = 0; second < kSymmetries; ++second)
      for (uint32_t octant = 0; octant < 8; ++octant)
        ASSERT_EQ(moved_octant(kSymmetryTables.products[first][second], octant),
                  moved_octant(first, moved_octant(second, octant)))
            << first << " after " << second;
  }
}

TEST(Symmetry, ImagesOfACubeOf4VoxelsHaveEachVoxelWhereTheSymmetryMovesIt) {
  for (const uint64_t mask : masks())
    for (const uint32_t count : {1u, kMirrors, kSymmetries}) {
      std::map<uint32_t, uint64_t> images;
      for_each_image(mask, count, [&](uint32_t symmetry, uint64_t image) {
        EXPECT_TRUE(images.emplace(symmetry, image).second) << "symmetry " << symmetry << " came twice";
      });
      ASSERT_EQ(images.size(), count);
      for (const auto& [symmetry, image] : images) {
        ASSERT_LT(symmetry, count);
        ASSERT_EQ(image, moved_voxels(symmetry, mask)) << "symmetry " << symmetry;
      }
    }
}

}  // namespace
}  // namespace vox
