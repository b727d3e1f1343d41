// Compares the benchmark's sets of keys with plain loops: a set holds each key of its shape once.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "libvox/base/bits.h"
#include "libvox/device/cpu_device.h"
#include "libvox/device/pool.h"
#include "libvox/hash/keyed/key_table.h"
#include "libvox/hash/keyed/keys.h"
#include "libvox/measure/key_sets.h"
#include "libvox/measure/key_views.h"

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

TEST_F(KeySets, ASurfaceIsAllVoxelsInsideWithANeighborOutside) {
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

TEST_F(KeySets, NeighborsFollowEachOtherUnlessBitsAreReversed) {
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

// Compares slices with a loop over the dense grid: a slice holds exactly the voxels that are nearest to its
// plane. Views must stay within the part that they show, and know which voxels there are stored.

using measure::RandomSlices;

uint64_t number_of(const Int3& v) {
  return (static_cast<uint64_t>(v.z) * 1000 + static_cast<uint64_t>(v.y)) * 1000 + static_cast<uint64_t>(v.x);
}

TEST(KeyViews, ASliceHasExactlyTheVoxelsThatItsPlaneIsNearestTo) {
  const RandomSlices slices = {19, 40};
  std::set<uint32_t> main_axes;
  for (uint32_t which = 0; which < slices.count; ++which) {
    const measure::Slice slice = slices.slice(which);
    main_axes.insert(slice.main);
    std::set<uint64_t> expected, found;
    const int64_t side = slice.normal[slice.main] < 0 ? -1 : 1, length = side * slice.normal[slice.main];
    for (int32_t z = 0; z < 19; ++z)
      for (int32_t y = 0; y < 19; ++y)
        for (int32_t x = 0; x < 19; ++x) {
          const Int3 v = {x, y, z};
          int64_t height = 0;
          for (uint32_t axis = 0; axis < 3; ++axis) {
            EXPECT_LE(std::abs(slice.normal[axis]), length);
            height += int64_t{slice.normal[axis]} * (v[axis] - slice.point[axis]);
          }
          if (-length < 2 * side * height && 2 * side * height <= length) expected.insert(number_of(v));
        }
    size_t seen = 0;
    for (uint64_t i = which * slices.pixels(); i < (which + 1) * slices.pixels(); ++i)
      if (slices.is_seen(i)) {
        ++seen;
        found.insert(number_of(slices.place(i)));
      }
    EXPECT_EQ(found, expected);
    EXPECT_EQ(seen, expected.size());
    EXPECT_TRUE(expected.contains(number_of(slice.point)));
  }
  EXPECT_EQ(main_axes.size(), 3u);
}

TEST(KeyViews, ASliceOfASurfaceSearchesForItsVoxelsRowByRow) {
  device::CpuDevice device(0, false);
  const hash::CellFormat<uint64_t> format = {24};
  const measure::SurfaceShape shape = {{40}, nullptr, 0};
  const RandomSlices slices = {40, 3};
  const auto view = measure::make_view(device, format, shape, hash::KeyLayout::Morton, slices);
  const hash::KeyGrid grid(hash::KeyLayout::Morton, shape.size());
  uint64_t n = 0, stored = 0;
  for (uint64_t i = 0; i < slices.candidates(); ++i) {
    if (!slices.is_seen(i)) continue;
    const Int3 place = slices.place(i);
    ASSERT_LT(n, view.size());
    EXPECT_EQ(view.keys.data()[n], grid.key(place));
    EXPECT_EQ(view.values.data()[n], shape.is_filled(place) ? shape.value(place) & 0xffffff : hash::kNoValue);
    stored += shape.is_filled(place) ? 1 : 0;
    ++n;
  }
  EXPECT_EQ(n, view.size());
  EXPECT_GT(stored, 0u);
}

TEST(KeyViews, AModelShowsAboutAsManyTexelsOfItsAtlasAsThePapers) {
  const measure::ModelView view = {4096};
  uint64_t seen = 0;
  for (uint64_t i = 0; i < view.candidates(); ++i) seen += view.is_seen(i) ? 1 : 0;
  EXPECT_NEAR(static_cast<double>(seen), 389586, 1000);
  for (const uint32_t side : {8u, 50u, 333u}) {
    const measure::ModelView small = {side};
    for (uint64_t i = 0; i < small.candidates(); ++i) {
      if (!small.is_seen(i)) continue;
      const Int3 place = small.place(i);
      EXPECT_TRUE(place.x >= 0 && place.y >= 0 && place.z == 0);
      EXPECT_LT(static_cast<uint32_t>(std::max(place.x, place.y)), side);
    }
  }
}

// Compares the sectors that 32 searches read together, and maximum ages, with plain loops over the cells of a
// table.

using Cells = std::vector<uint64_t>;

class WarpSectors : public testing::Test {
 protected:
  std::unique_ptr<hash::KeyTable<device::CpuDevice, uint64_t>> build(const char* name, const Cells& cells,
                                                                     double load_factor = 0.8) {
    auto table = hash::make_key_table<device::CpuDevice, uint64_t>(
        device_, {.table = name, .load_factor = load_factor});
    built_ = table->build(cells.data(), cells.size());
    return table;
  }

  // Returns random keys of 40 bits.
  static Cells random_cells(uint64_t count, uint64_t seed) {
    Cells cells;
    for (uint64_t i = 0; i < count; ++i) cells.push_back(mix64(i + seed) >> 24);
    return cells;
  }

  device::CpuDevice device_{0, false};
  hash::KeyTableBuild built_;
};

TEST_F(WarpSectors, AreTheDifferentOnesOfEachStepOf32Searches) {
  const Cells stored = random_cells(500, 0), others = random_cells(500, 1 << 20);
  const auto table = build("open", stored, 0.9);
  const hash::RandomProbes sequence(table->slots(), hash::attempt_seed({}, 1));
  for (const size_t n : {0, 1, 31, 32, 33, 1000}) {
    Cells keys;
    for (size_t i = 0; i < n; ++i) keys.push_back(i % 5 == 0 ? others[i / 2] : stored[i / 3]);
    uint64_t expected = 0;
    for (size_t warp = 0; warp < n; warp += 32) {
      std::set<std::pair<uint32_t, uintptr_t>> read;  // step and sector
      for (size_t i = warp; i < std::min(warp + 32, n); ++i)
        for (uint32_t age = 1; age <= built_.most_probes; ++age) {
          const uint64_t* const cell = table->cells() + sequence.place(sequence.start(keys[i]), age);
          read.emplace(age, reinterpret_cast<uintptr_t>(cell) / 32);
          if (*cell == hash::kEmptyCell<uint64_t> || *cell == keys[i]) break;
        }
      expected += read.size();
    }
    EXPECT_EQ(table->count_warp_sectors(keys.data(), n), expected) << n;
  }
}

TEST_F(WarpSectors, AreOneForFourNeighborsInACoherentTable) {
  Cells cells;
  for (uint64_t i = 0; i < 3200; ++i) cells.push_back(i);
  const auto table = build("robin", cells, 0.5);
  EXPECT_LE(*table->count_warp_sectors(cells.data(), cells.size()), 3200u / 4 + 100);
  EXPECT_GE(*table->count_warp_sectors(cells.data(), cells.size()), 3200u / 4);
  const auto random = build("robin-random", cells, 0.5);
  EXPECT_GE(*random->count_warp_sectors(cells.data(), cells.size()), 3000u);
}

TEST_F(WarpSectors, AreNotSaidByTablesThatAGroupSearches) {
  const Cells cells = random_cells(100, 0);
  EXPECT_FALSE(build("slabset", cells)->count_warp_sectors(cells.data(), cells.size()));
  EXPECT_TRUE(build("slabset", cells)->maximum_ages().empty());
}

template <class Sequence>
std::vector<uint8_t> oldest_of_slots(const hash::KeyTable<device::CpuDevice, uint64_t>& table) {
  const Sequence sequence(table.slots(), hash::attempt_seed({}, 1));
  std::vector<uint8_t> oldest(table.slots());
  for (uint64_t slot = 0; slot < table.slots(); ++slot) {
    if (table.cells()[slot] == hash::kEmptyCell<uint64_t>) continue;
    const uint64_t key = table.cells()[slot] & table.cell_mask();
    uint8_t& age = oldest[sequence.place(sequence.start(key), 1)];
    age = std::max(age, static_cast<uint8_t>(hash::age_at(sequence, key, slot)));
  }
  return oldest;
}

TEST_F(WarpSectors, MaximumAgesAreThoseOfTheOldestKeysThatLookAtASlotFirst) {
  const Cells cells = random_cells(5000, 0);
  const auto coherent = build("robin", cells);
  ASSERT_EQ(built_.attempts, 1u);
  EXPECT_EQ(coherent->maximum_ages(), oldest_of_slots<hash::CoherentProbes>(*coherent));
  const auto random = build("robin-random", cells);
  ASSERT_EQ(built_.attempts, 1u);
  EXPECT_EQ(random->maximum_ages(), oldest_of_slots<hash::RandomProbes>(*random));
}

}  // namespace
}  // namespace vox
