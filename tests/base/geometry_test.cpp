// Vectors, boxes and the symmetries of a cube.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "libvox/base/geometry.h"
#include "libvox/base/symmetry.h"
#include "libvox/base/vec.h"
#include "tests/common/random.h"

namespace vox {
namespace {

Int3 at_random(Random& random) {
  const auto coordinate = [&] { return static_cast<int32_t>(random.below(2001)) - 1000; };
  return {coordinate(), coordinate(), coordinate()};
}

TEST(Vec3, IsReadAndWrittenByAxis) {
  Int3 v = {1, 2, 3};
  for (uint32_t axis = 0; axis < 3; ++axis) EXPECT_EQ(v[axis], static_cast<int32_t>(axis) + 1);
  v[1] = 7;
  EXPECT_EQ(v, (Int3{1, 7, 3}));
}

TEST(Vec3, IsAddedSubtractedAndScaledAxisByAxis) {
  Random random(1);
  for (int i = 0; i < 100; ++i) {
    const Int3 a = at_random(random), b = at_random(random);
    for (uint32_t axis = 0; axis < 3; ++axis) {
      EXPECT_EQ((a + b)[axis], a[axis] + b[axis]);
      EXPECT_EQ((a - b)[axis], a[axis] - b[axis]);
      EXPECT_EQ((a * -3)[axis], a[axis] * -3);
    }
  }
}

TEST(Vec3, IsEqualWhereAllOfItsCoordinatesAre) {
  const Int3 v = {1, 2, 3};
  EXPECT_EQ(v, v);
  for (uint32_t axis = 0; axis < 3; ++axis) {
    Int3 other = v;
    ++other[axis];
    EXPECT_NE(v, other);
  }
  EXPECT_EQ((Vec2<int>{1, 2}), (Vec2<int>{1, 2}));
  EXPECT_NE((Vec2<int>{1, 2}), (Vec2<int>{1, 3}));
  EXPECT_NE((Vec2<int>{1, 2}), (Vec2<int>{0, 2}));
}

// The triple product is the determinant: a sum over all orders of the axes, with their signs.
TEST(Vec3, ProductsAreThoseOfTheirDefinitions) {
  Random random(2);
  for (int i = 0; i < 100; ++i) {
    const Int3 a = at_random(random), b = at_random(random), c = at_random(random);
    int32_t sum = 0;
    int64_t determinant = 0;
    for (uint32_t x = 0; x < 3; ++x) {
      sum += a[x] * b[x];
      const uint32_t y = (x + 1) % 3, z = (x + 2) % 3;
      determinant += int64_t{a[x]} * b[y] * c[z] - int64_t{a[x]} * b[z] * c[y];
    }
    EXPECT_EQ(dot(a, b), sum);
    const Int3 normal = cross(a, b);
    EXPECT_EQ(int64_t{normal.x} * c.x + int64_t{normal.y} * c.y + int64_t{normal.z} * c.z, determinant);
  }
  EXPECT_EQ(cross(Vec3d{1, 0, 0}, Vec3d{0, 1, 0}), (Vec3d{0, 0, 1}));
}

constexpr int32_t kReach = 4;

bool holds(const VoxelBox& box, Int3 v) {
  for (uint32_t axis = 0; axis < 3; ++axis)
    if (v[axis] < box.min[axis] || v[axis] >= box.max[axis]) return false;
  return true;
}

// Returns all voxels within kReach of the origin that a box may hold.
std::vector<Int3> voxels_where(const auto& held) {
  std::vector<Int3> voxels;
  for (int32_t z = -kReach; z < kReach; ++z)
    for (int32_t y = -kReach; y < kReach; ++y)
      for (int32_t x = -kReach; x < kReach; ++x)
        if (held(Int3{x, y, z})) voxels.push_back({x, y, z});
  return voxels;
}

std::vector<Int3> voxels_of(const VoxelBox& box) {
  return voxels_where([&](Int3 v) { return holds(box, v); });
}

// Returns boxes within kReach of the origin, some of them without voxels or inside out.
std::vector<VoxelBox> boxes() {
  Random random(1);
  const auto place = [&] {
    const auto coordinate = [&] { return static_cast<int32_t>(random.below(2 * kReach + 1)) - kReach; };
    return Int3{coordinate(), coordinate(), coordinate()};
  };
  std::vector<VoxelBox> boxes = {{{0, 0, 0}, {0, 0, 0}},
                                 {{-kReach, -kReach, -kReach}, {kReach, kReach, kReach}}};
  for (int i = 0; i < 30; ++i) {
    const Int3 a = place(), b = place();
    boxes.push_back({a, b});
    boxes.push_back({{std::min(a.x, b.x), std::min(a.y, b.y), std::min(a.z, b.z)},
                     {std::max(a.x, b.x), std::max(a.y, b.y), std::max(a.z, b.z)}});
  }
  return boxes;
}

TEST(VoxelBox, CountsTheVoxelsThatItHolds) {
  for (const VoxelBox& box : boxes()) {
    EXPECT_EQ(box.voxels(), voxels_of(box).size());
    EXPECT_EQ(box.empty(), voxels_of(box).empty());
  }
  EXPECT_EQ(cube_at({0, 0, 0}, 1u << 20).voxels(), uint64_t{1} << 60);
}

TEST(VoxelBox, OfACubeBeginsAtItsCorner) {
  EXPECT_EQ(cube_at({-3, 5, 0}, 4), (VoxelBox{{-3, 5, 0}, {1, 9, 4}}));
  EXPECT_EQ(cube_at({-3, 5, 0}, 4).size(), (Int3{4, 4, 4}));
  EXPECT_TRUE(cube_at({-3, 5, 0}, 0).empty());
}

TEST(VoxelBox, IntersectionsHoldWhatBothHold) {
  for (const VoxelBox& a : boxes())
    for (const VoxelBox& b : boxes())
      ASSERT_EQ(voxels_of(intersection(a, b)),
                voxels_where([&](Int3 v) { return holds(a, v) && holds(b, v); }));
}

TEST(VoxelBox, HullsAreTheSmallestBoxesAroundBoth) {
  for (const VoxelBox& a : boxes())
    for (const VoxelBox& b : boxes()) {
      if (a.empty() || b.empty()) continue;
      const std::vector<Int3> both = voxels_where([&](Int3 v) { return holds(a, v) || holds(b, v); });
      VoxelBox smallest = cube_at(both.front(), 1);
      for (const Int3 v : both)
        for (uint32_t axis = 0; axis < 3; ++axis) {
          smallest.min[axis] = std::min(smallest.min[axis], v[axis]);
          smallest.max[axis] = std::max(smallest.max[axis], v[axis] + 1);
        }
      ASSERT_EQ(hull(a, b), smallest);
    }
}

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
