#include <gtest/gtest.h>

#include "libvox/base/error.h"
#include "libvox/bricks/volume_cast.h"
#include "libvox/render/render.h"
#include "libvox/render/volume_render.h"
#include "tests/common/test_engine.h"
#include "tests/common/volumes.h"
#include "tests/dag/dense_dag.h"
#include "tests/render/pictures.h"

namespace vox {
namespace {

constexpr uint32_t kSide = 64;

// A grid, and a picture of one of its planes that is made by examining every voxel.
class DenseSlice {
 public:
  DenseSlice(const DenseGrid& grid, const render::SliceOptions& options, uint32_t log2_cell)
      : grid_(grid), options_(options), cell_(1 << log2_cell) {
    // The box contains all voxels and not only those of the plane, so that all layers have the same frame.
    for (int32_t z = 0; z < int32_t{kSide}; ++z)
      for (int32_t y = 0; y < int32_t{kSide}; ++y)
        for (int32_t x = 0; x < int32_t{kSide}; ++x)
          if (material({x, y, z}) != dag::kEmptyVoxel) include({x, y, z});
    if (box_.empty()) box_ = cube_at({0, 0, 0}, kSide);
  }

  render::ImageSize cells() const {
    const Int3 low = cell_of(box_.min), high = cell_of(box_.max - Int3{1, 1, 1});
    const Int3 count = high - low + Int3{1, 1, 1};
    const bool across_z = options_.axis == 0, along_z = options_.axis == 1;
    return {uint32_t(across_z ? count.z : count.x), uint32_t(along_z ? count.z : count.y)};
  }

  // Returns the color of a cell: x to the right, y down.
  scene::Rgba8 cell(uint32_t x, uint32_t y) const {
    const Int3 low = cell_of(box_.min), high = cell_of(box_.max - Int3{1, 1, 1});
    const auto right = int32_t(x), down = int32_t(y);
    Int3 at = {};
    if (options_.axis == 0) at = {0, high.y - down, high.z - right};
    if (options_.axis == 1) at = {low.x + right, 0, low.z + down};
    if (options_.axis == 2) at = {low.x + right, high.y - down, 0};
    // The loop looks for the first filled voxel in Morton order inside the cell.
    for (uint64_t code = 0; code < uint64_t(cell_) * uint64_t(cell_) * uint64_t(cell_); ++code) {
      Int3 voxel = at * cell_;
      for (uint32_t bit = 0; bit < 6; ++bit) {
        voxel.x += int32_t(code >> (3 * bit) & 1) << bit;
        voxel.y += int32_t(code >> (3 * bit + 1) & 1) << bit;
        voxel.z += int32_t(code >> (3 * bit + 2) & 1) << bit;
      }
      const auto plane = int32_t(options_.at);
      if (options_.axis == 0) voxel.x += plane & ~(cell_ - 1);
      if (options_.axis == 1) voxel.y += plane & ~(cell_ - 1);
      if (options_.axis == 2) voxel.z += plane & ~(cell_ - 1);
      if ((options_.axis == 0 ? voxel.x : options_.axis == 1 ? voxel.y : voxel.z) != plane) continue;
      if (const int found = material(voxel); found != dag::kEmptyVoxel)
        return opaque(distinct_palette().colors[uint32_t(found)]);
    }
    return opaque(options_.empty);
  }

 private:
  int material(Int3 v) const { return grid_(uint32_t(v.x), uint32_t(v.y), uint32_t(v.z)); }
  Int3 cell_of(Int3 v) const { return {v.x / cell_, v.y / cell_, v.z / cell_}; }
  void include(Int3 v) {
    const VoxelBox voxel = {v, v + Int3{1, 1, 1}};
    box_ = box_.empty() ? voxel : hull(box_, voxel);
  }

  DenseGrid grid_;
  render::SliceOptions options_;
  int32_t cell_;
  VoxelBox box_ = {};
};

TEST(Slice, IsWhatALookAtEveryVoxelOfThePlaneShows) {
  const auto engine = test_engine();
  int compared = 0;
  for (const DenseGrid& grid : all_grids()) {
    const dag::FrozenDag dag = dense_dag(kSide, true, grid);
    const auto renderer = render::make_renderer(engine->handle(), dag, distinct_palette());
    for (uint32_t axis = 0; axis < 3; ++axis)
      for (const uint32_t layer : {0u, 13u, 30u, 47u})
        for (uint32_t log2_cell = 0; log2_cell < 4; ++log2_cell) {
          const render::SliceOptions options = {.axis = axis, .at = layer, .most = {kSide >> log2_cell, 70}};
          const DenseSlice expected(grid, options, log2_cell);
          const render::Picture shown = renderer->slice(options);
          // A scene smaller than the cube may be shown in smaller cells, which cannot be compared.
          if (expected.cells().width != shown.image.width) continue;
          ++compared;
          ASSERT_EQ(shown.image.height, expected.cells().height);
          for (uint32_t y = 0; y < shown.image.height; ++y)
            for (uint32_t x = 0; x < shown.image.width; ++x)
              ASSERT_EQ(at(shown, x, y), expected.cell(x, y)) << "xyz"[axis] << '=' << layer << ", cells of "
                                                              << (1 << log2_cell) << ": " << x << ' ' << y;
        }
  }
  EXPECT_GT(compared, 250);
}

TEST(Slice, OfFewVoxelsShowsThemAsLargeSquares) {
  const dag::FrozenDag dag = dense_dag(16, true, [](uint32_t x, uint32_t y, uint32_t z) {
    return z == 2 && x >= 3 && x < 7 && y >= 1 && y < 4 ? int(x) : dag::kEmptyVoxel;
  });
  const render::Picture shown = render::make_renderer(test_engine()->handle(), dag, distinct_palette())
                                    ->slice({.axis = 2, .at = 2, .most = {100, 50}});
  ASSERT_EQ(shown.image.width, 4u * 16);
  ASSERT_EQ(shown.image.height, 3u * 16);
  for (uint32_t y = 0; y < 48; ++y)
    for (uint32_t x = 0; x < 64; ++x)
      ASSERT_EQ(at(shown, x, y), opaque(distinct_palette().colors[3 + x / 16])) << x << ' ' << y;
}

TEST(Slice, OfVoxelsThatAreNoCubesHasTheirShape) {
  const dag::FrozenDag dag = dense_dag(16, true, [](uint32_t x, uint32_t y, uint32_t z) {
    return z == 2 && x >= 3 && x < 7 && y >= 1 && y < 4 ? int(x + 4 * y) % 16 : dag::kEmptyVoxel;
  });
  const render::Picture shown =
      render::make_renderer(test_engine()->handle(), dag, distinct_palette(), {.voxel_size = {2, 3, 1}})
          ->slice({.voxel_size = {2, 3, 1}, .axis = 2, .at = 2, .most = {80, 100}});
  ASSERT_EQ(shown.image.width, 80u);   // 4 voxels of 20 pixels
  ASSERT_EQ(shown.image.height, 90u);  // 3 of 30
  for (uint32_t y = 0; y < 90; ++y)
    for (uint32_t x = 0; x < 80; ++x)
      ASSERT_EQ(at(shown, x, y), opaque(distinct_palette().colors[(3 + x / 20 + 4 * (3 - y / 30)) % 16]));
}

TEST(Slice, RefusesPlanesThatAreNotThereAndPicturesWithoutPixels) {
  const auto engine = test_engine();
  const dag::FrozenDag dag = dense_dag(kSide, true, shell);
  const auto renderer = render::make_renderer(engine->handle(), dag, distinct_palette());
  EXPECT_THROW(renderer->slice({.axis = 0, .at = kSide, .most = {9, 9}}), Error);
  EXPECT_THROW(renderer->slice({.axis = 0, .at = UINT32_MAX, .most = {9, 9}}), Error);
  EXPECT_THROW(renderer->slice({.axis = 0, .at = 3, .most = {0, 5}}), Error);
  EXPECT_NO_THROW(renderer->slice({.axis = 0, .at = kSide - 1, .most = {1, 1}}));
}

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
