// Compares slices with a loop over the dense grid: a slice holds exactly the voxels that are nearest to its
// plane. Views must stay within the part that they show, and know which voxels there are stored.
#include "libvox/measure/key_views.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "libvox/device/cpu_device.h"
#include "libvox/measure/key_sets.h"

namespace vox {
namespace {

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

}  // namespace
}  // namespace vox
