#include "libvox/render/volume_slice.h"

#include <gtest/gtest.h>

#include "libvox/base/error.h"
#include "libvox/bricks/volume_cast.h"
#include "tests/common/volumes.h"
#include "tests/render/pictures.h"

namespace vox {
namespace {

constexpr Int3 kVolumeSize = {13, 7, 10};

// Returns a value that differs from voxel to voxel; one in seven is the background.
int16_t value_at(Int3 v) {
  const int32_t number = v.x + 20 * v.y + 300 * v.z;
  return number % 7 == 0 ? int16_t{-1000} : static_cast<int16_t>(number - 100);
}

volume::Volume numbered() {
  volume::Volume volume;
  volume.info.size = kVolumeSize;
  volume.info.type = volume::ValueType::I16;
  volume.read = [](const VoxelBox& box, std::byte* to) {
    auto* out = reinterpret_cast<int16_t*>(to);
    for (int32_t z = box.min.z; z < box.max.z; ++z)
      for (int32_t y = box.min.y; y < box.max.y; ++y)
        for (int32_t x = box.min.x; x < box.max.x; ++x) *out++ = value_at({x, y, z});
  };
  return volume;
}

constexpr uint32_t kBackground = static_cast<uint16_t>(-1000);
constexpr volume::ValueRange kRange = {-1000, 3000};  // the whole volume's, slightly wider than its values

TEST(VolumeSlice, EachSquareHasTheColorOfItsVoxelOnTheVolumesScale) {
  for (uint32_t axis = 0; axis < 3; ++axis)
    for (const uint32_t layer : {0u, 6u}) {
      const render::SliceOptions options = {.axis = axis, .at = layer, .most = {60, 60}};
      const render::Picture shown = render::slice_volume(numbered(), kBackground, {kRange}, options);
      const auto plane = int32_t(layer);
      // The directions are right and down in the views from the right, the top and the front.
      const auto voxel = [&](int32_t u, int32_t v) {
        if (axis == 0) return Int3{plane, kVolumeSize.y - 1 - v, kVolumeSize.z - 1 - u};
        if (axis == 1) return Int3{u, plane, v};
        return Int3{u, kVolumeSize.y - 1 - v, plane};
      };
      const int32_t width = axis == 0 ? kVolumeSize.z : kVolumeSize.x,
                    height = axis == 1 ? kVolumeSize.z : kVolumeSize.y;
      const int32_t pixels = 60 / std::max(width, height);
      ASSERT_EQ(shown.image.width, uint32_t(width * pixels));
      ASSERT_EQ(shown.image.height, uint32_t(height * pixels));
      EXPECT_EQ(shown.low, kRange.low);
      EXPECT_EQ(shown.high, kRange.high);
      for (int32_t v = 0; v < height * pixels; ++v)
        for (int32_t u = 0; u < width * pixels; ++u) {
          const int value = value_at(voxel(u / pixels, v / pixels));
          const double share = (value - kRange.low) / (kRange.high - kRange.low);
          const scene::Rgba8 expected =
              opaque(value == -1000 ? options.empty
                                    : render::ramp_color(uint32_t(share * (render::kRampColors - 1) + 0.5)));
          ASSERT_EQ(at(shown, uint32_t(u), uint32_t(v)), expected) << axis << ' ' << u << ' ' << v;
        }
    }
}

TEST(VolumeSlice, LabelsHaveColorsOfTheirOwn) {
  const volume::Volume labels = memory_volume({6, 1, 1}, volume::ValueType::U16,
                                              [](Int3 v) { return v.x == 0 ? 0u : uint32_t(v.x) * 100; });
  const render::ValueColors colors = {{0, 500}, render::distinct_colors()};
  const render::Picture shown = render::slice_volume(labels, 0, colors, {.axis = 2, .at = 0, .most = {6, 1}});
  EXPECT_EQ(at(shown, 0, 0), opaque(render::SliceOptions().empty));
  for (uint32_t x = 1; x < 6; ++x)
    EXPECT_EQ(at(shown, x, 0), opaque(colors.labels[bricks::label_slot(x * 100)]));
}

TEST(VolumeSlice, OfMoreVoxelsThanPixelsEachShowsSomethingOfItsSquare) {
  const render::Picture shown =
      render::slice_volume(numbered(), kBackground, {kRange}, {.axis = 2, .at = 3, .most = {7, 7}});
  EXPECT_EQ(shown.image.width, 7u);
  EXPECT_EQ(shown.image.height, 4u);
  for (const scene::Rgba8 pixel : shown.image.pixels) EXPECT_NE(pixel, opaque(render::SliceOptions().empty));
}

TEST(VolumeSlice, RefusesPlanesThatAreNotThere) {
  EXPECT_THROW(render::slice_volume(numbered(), kBackground, {kRange}, {.axis = 1, .at = 7, .most = {9, 9}}),
               Error);
}

}  // namespace
}  // namespace vox
