// Compares the benchmark's sets of keys with plain loops: a set holds each key of its shape once.
#include "libvox/measure/key_sets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "libvox/device/cpu_device.h"
#include "libvox/device/uploaded.h"

namespace vox {
namespace {

using hash::KeyGrid;
using hash::KeyLayout;
using hash::kNoValue;
using Keys = std::vector<uint64_t>;

template <class T>
std::vector<T> values_of(const device::Buffer<T>& buffer) {
  return {buffer.data(), buffer.data() + buffer.size()};
}

class KeySets : public testing::Test {
 protected:
  device::CpuDevice device_{0, false};
  const hash::CellFormat<uint64_t> format_ = {24};

  // Expects the keys of a shape's filled places, and counts all its places.
  template <class Shape>
  void expect_holds(const measure::KeySet<uint64_t>& set, const Shape& shape, KeyLayout layout) {
    const KeyGrid grid(layout, shape.size());
    std::set<uint64_t> cells;
    std::map<uint64_t, uint32_t> places;
    for (uint64_t i = 0; i < shape.candidates(); ++i) {
      const Int3 place = shape.place(i);
      const uint32_t value = shape.value(place) & 0xffffff;
      places[grid.key(place)] = shape.is_filled(place) ? value : kNoValue;
      if (shape.is_filled(place)) cells.insert(format_.cell(grid.key(place), value));
    }
    EXPECT_EQ(set.keys, cells.size());
    Keys random = values_of(set.cells), ordered = values_of(set.ordered_cells),
         absent = values_of(set.absent);
    EXPECT_NE(random, ordered);
    for (Keys* all : {&random, &ordered}) {
      std::ranges::sort(*all);
      EXPECT_EQ(*all, Keys(cells.begin(), cells.end()));
    }
    const Keys walk = values_of(set.walk.keys);
    const auto values = values_of(set.walk.values);
    ASSERT_EQ(walk.size(), places.size());
    for (size_t i = 0; i < walk.size(); ++i) ASSERT_EQ(values[i], places.at(walk[i]));
    EXPECT_EQ(std::set(walk.begin(), walk.end()).size(), walk.size());
    std::erase_if(places, [](const auto& place) { return place.second != kNoValue; });
    std::ranges::sort(absent);
    ASSERT_EQ(absent.size(), places.size());
    EXPECT_TRUE(std::ranges::equal(absent, places, {}, {}, [](const auto& place) { return place.first; }));
  }
};

TEST_F(KeySets, MixedNumbersOfFewBitsAreAllNumbersInAnotherOrder) {
  for (uint32_t bits = 2; bits <= 16; ++bits) {
    std::set<uint64_t> seen;
    for (uint64_t i = 0; i < uint64_t{1} << bits; ++i) seen.insert(measure::mixed_number(i, bits));
    EXPECT_EQ(seen.size(), size_t{1} << bits);
    EXPECT_EQ(*seen.rbegin() >> bits, 0u);
  }
  // The 64-bit keys that are examined must all differ, and ones must be as frequent as zeros.
  std::set<uint64_t> seen;
  int ones = 0;
  for (uint64_t i = 0; i < 10000; ++i) {
    seen.insert(measure::mixed_number(i, 64));
    ones += popcount(measure::mixed_number(i, 64));
  }
  EXPECT_EQ(seen.size(), 10000u);
  EXPECT_NEAR(ones / 10000.0, 32, 0.5);
}

TEST_F(KeySets, RandomKeysAreDifferentFromEachOtherAndFromThoseThatAreNotStored) {
  const hash::CellFormat<uint32_t> format = {8};
  const auto set = measure::make_random_keys<uint32_t>(device_, format, 14, 10000, 6384);
  EXPECT_EQ(set.keys, 10000u);
  EXPECT_EQ(set.walk.size(), 0u);
  std::set<uint32_t> keys;
  for (const uint32_t cell : values_of(set.cells)) keys.insert(format.key(cell));
  EXPECT_EQ(keys.size(), 10000u);
  const auto absent = values_of(set.absent);
  keys.insert(absent.begin(), absent.end());
  EXPECT_EQ(keys.size(), 16384u);  // all keys that exist
  EXPECT_EQ(*keys.rbegin(), 16383u);
  auto cells = values_of(set.cells);
  EXPECT_FALSE(std::ranges::is_sorted(cells));
  std::ranges::sort(cells);
  EXPECT_EQ(values_of(set.ordered_cells), cells);
  EXPECT_THROW(measure::make_random_keys<uint32_t>(device_, format, 14, 10000, 6385), Error);
}

TEST_F(KeySets, APictureIsItsPixelsThatAreNotWhite) {
  for (const KeyLayout layout : hash::kKeyLayouts) {
    const measure::PictureShape shape = {{nullptr, 150, 90}};
    expect_holds(measure::make_shape_keys<uint64_t>(device_, format_, 40, shape, layout), shape, layout);
    std::vector<uint32_t> colors(70, measure::kWhite);
    for (uint32_t i = 0; i < 70; i += 3) colors[i] = i;
    const auto on_device = device::uploaded(device_, colors);
    const measure::PictureShape given = {{on_device.data(), 7, 10}};
    expect_holds(measure::make_shape_keys<uint64_t>(device_, format_, 8, given, layout), given, layout);
  }
}

TEST_F(KeySets, ASurfaceIsAllVoxelsInsideWithANeighbourOutside) {
  const measure::BumpySphere sphere = {50};
  std::vector<uint32_t> blocks;  // all blocks, including those that the surface does not cross
  for (uint32_t i = 0; i < sphere.blocks() * sphere.blocks() * sphere.blocks(); ++i) blocks.push_back(i);
  const measure::SurfaceShape all = {sphere, blocks.data(), blocks.size()};
  std::set<uint64_t> expected;
  for (uint64_t i = 0; i < all.candidates(); ++i)
    if (all.is_filled(all.place(i)))
      expected.insert(KeyGrid(KeyLayout::Morton, all.size()).key(all.place(i)));
  const auto set = measure::make_surface_keys<uint64_t>(device_, format_, 40, 50, KeyLayout::Morton);
  std::set<uint64_t> found;
  for (const uint64_t cell : values_of(set.cells)) found.insert(format_.key(cell));
  EXPECT_EQ(found, expected);
  EXPECT_NEAR(static_cast<double>(found.size()), 2500 * measure::BumpySphere::kVoxelsOfSide2, 500);
  // The walk consists of nearby keys: whole blocks, a small share of all, in the order of the curve.
  const Keys walk = values_of(set.walk.keys);
  EXPECT_EQ(walk.size() % 64, 0u);
  EXPECT_LT(walk.size(), all.candidates() / 2);
  EXPECT_TRUE(std::ranges::is_sorted(walk));
}

TEST_F(KeySets, NeighboursFollowEachOtherUnlessBitsAreReversed) {
  const measure::PictureShape shape = {{nullptr, 64, 64}};
  const auto near = [&](KeyLayout layout) {
    const auto walk =
        values_of(measure::make_shape_keys<uint64_t>(device_, format_, 40, shape, layout).walk.keys);
    size_t count = 0;
    for (size_t i = 1; i < walk.size(); ++i) count += walk[i] - walk[i - 1] == 1 ? 1 : 0;
    return count;
  };
  EXPECT_EQ(near(KeyLayout::RowMajor), 64u * 64 - 1);
  EXPECT_EQ(near(KeyLayout::Morton), 64u * 64 - 1);
  EXPECT_EQ(near(KeyLayout::BitReversed), 0u);
}

TEST_F(KeySets, PixelsThatLieAtRandomAreOneOf64) {
  const measure::PixelsShape shape = {800};
  const auto set = measure::make_shape_keys<uint64_t>(device_, format_, 40, shape, KeyLayout::RowMajor);
  EXPECT_NEAR(static_cast<double>(set.keys), 10000, 400);
  expect_holds(set, shape, KeyLayout::RowMajor);
}

TEST_F(KeySets, APaintedAtlasHasAboutTheShareOfTexelsThatItSays) {
  const measure::PaintedShape shape = {200};
  const auto set = measure::make_shape_keys<uint64_t>(device_, format_, 40, shape, KeyLayout::RowMajor);
  EXPECT_NEAR(static_cast<double>(set.keys) / (200 * 200), measure::PaintedShape::kFilledShare, 0.03);
  expect_holds(set, shape, KeyLayout::RowMajor);
}

TEST_F(KeySets, TheGeneratedPictureHasAboutTheShareOfPixelsThatItSays) {
  const measure::PictureShape shape = {{nullptr, 1024, 1024}};
  uint64_t filled = 0;
  std::set<uint32_t> colors;
  for (uint64_t i = 0; i < shape.candidates(); ++i)
    if (shape.is_filled(shape.place(i))) {
      ++filled;
      colors.insert(shape.value(shape.place(i)));
    }
  EXPECT_NEAR(static_cast<double>(filled) / 0x1p20, measure::DiscsAndStrokes::kFilledShare, 0.06);
  EXPECT_GT(colors.size(), 1000u);
}

TEST_F(KeySets, KeysWithMoreBitsThanAllowedAreAnError) {
  const measure::PictureShape shape = {{nullptr, 64, 64}};
  EXPECT_NO_THROW(measure::make_shape_keys<uint64_t>(device_, format_, 12, shape, KeyLayout::Morton));
  EXPECT_THROW(measure::make_shape_keys<uint64_t>(device_, format_, 11, shape, KeyLayout::Morton), Error);
  EXPECT_THROW(measure::make_surface_keys<uint64_t>(device_, format_, 32, 2000, KeyLayout::Morton), Error);
}

}  // namespace
}  // namespace vox
