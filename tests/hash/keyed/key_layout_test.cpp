// Compares the keys of places with plain loops over bits.
#include "libvox/hash/keyed/key_layout.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace vox {
namespace {

using hash::KeyGrid;
using hash::KeyLayout;

const std::vector<Int3> kSizes = {{1, 1, 1}, {2, 1, 1}, {7, 5, 1},  {16, 16, 1}, {33, 2, 1},
                                  {1, 9, 1}, {5, 6, 7}, {8, 8, 16}, {1, 1, 3},   {17, 3, 2}};

template <class F>
void for_each_place(const Int3& size, const F& f) {
  for (int z = 0; z < size.z; ++z)
    for (int y = 0; y < size.y; ++y)
      for (int x = 0; x < size.x; ++x) f(Int3{x, y, z});
}

// Returns the number of bits that a side of the grid needs, by counting.
uint32_t bits_of_side(const Int3& size) {
  uint32_t bits = 0;
  while ((1 << bits) < std::max({size.x, size.y, size.z})) ++bits;
  return bits;
}

// Puts bit b of each axis at its place among the bits of all axes.
uint64_t interleaved(const std::vector<int32_t>& axes, uint32_t bits, KeyLayout layout) {
  uint64_t key = 0;
  for (uint32_t b = 0; b < bits; ++b)
    for (size_t axis = 0; axis < axes.size(); ++axis) {
      const uint32_t from = layout == KeyLayout::BitReversed ? bits - 1 - b : b;
      key |= static_cast<uint64_t>(axes[axis] >> from & 1) << (b * axes.size() + axis);
    }
  return key;
}

TEST(KeyLayout, RowMajorKeysCountPlacesRowByRow) {
  for (const Int3& size : kSizes) {
    const KeyGrid grid(KeyLayout::RowMajor, size);
    uint64_t next = 0;
    for_each_place(size, [&](const Int3& place) { ASSERT_EQ(grid.key(place), next++); });
  }
}

TEST(KeyLayout, OtherKeysInterleaveBits) {
  for (const KeyLayout layout : {KeyLayout::Morton, KeyLayout::BitReversed})
    for (const Int3& size : kSizes) {
      const KeyGrid grid(layout, size);
      for_each_place(size, [&](const Int3& place) {
        std::vector<int32_t> axes = {place.x, place.y};
        if (size.z > 1) axes.push_back(place.z);
        ASSERT_EQ(grid.key(place), interleaved(axes, bits_of_side(size), layout));
      });
    }
}

TEST(KeyLayout, KeysAreDifferentAndLeadBackAndHaveNoMoreBitsThanTheyShould) {
  for (const KeyLayout layout : hash::kKeyLayouts)
    for (const Int3& size : kSizes) {
      const KeyGrid grid(layout, size);
      std::set<uint64_t> keys;
      for_each_place(size, [&](const Int3& place) {
        const uint64_t key = grid.key(place);
        EXPECT_TRUE(keys.insert(key).second);
        EXPECT_TRUE(grid.place(key) == place);
        EXPECT_EQ(key >> grid.key_bits(), 0u);
      });
    }
}

TEST(KeyLayout, TheLargestGridsHaveKeysToo) {
  const int32_t flat = KeyGrid::kMostSide, deep = KeyGrid::kMostSideOfVolume;
  for (const KeyLayout layout : hash::kKeyLayouts)
    for (const Int3& size : {Int3{flat, flat, 1}, Int3{deep, deep, deep}}) {
      const KeyGrid grid(layout, size);
      EXPECT_LE(grid.key_bits(), 63u);
      for (const Int3& place : {Int3{size.x - 1, size.y - 1, size.z - 1}, Int3{size.x - 1, 0, 0},
                                Int3{0, size.y - 1, 0}, Int3{12345, 54321, size.z / 2}})
        EXPECT_TRUE(grid.place(grid.key(place)) == place);
    }
}

TEST(KeyLayout, GridsWithoutPlacesOrBeyondKeysAreErrors) {
  for (const Int3& size :
       {Int3{0, 1, 1}, Int3{1, 1, 0}, Int3{-1, 4, 4}, Int3{(1 << 30) + 1, 1, 1}, Int3{(1 << 21) + 1, 1, 2}})
    EXPECT_THROW(KeyGrid(KeyLayout::Morton, size), Error);
}

}  // namespace
}  // namespace vox
