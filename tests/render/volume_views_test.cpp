// Where pictures of volumes show what, how labels are shown, and slices of scenes and volumes.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "libvox/base/error.h"
#include "libvox/base/geometry.h"
#include "libvox/bricks/volume_cast.h"
#include "libvox/bricks/volume_iso.h"
#include "libvox/render/render.h"
#include "libvox/render/volume_render.h"
#include "libvox/scene/oklab.h"
#include "tests/bricks/brick_volumes.h"
#include "tests/common/random.h"
#include "tests/common/test_engine.h"
#include "tests/dag/dense_dag.h"
#include "tests/render/dense_cast.h"
#include "tests/render/traced.h"

namespace vox {
namespace {

// Returns the position of a point in the image, in pixels.
Vec2<double> projected(const render::VolumeRenderOptions& options, Vec3d point) {
  const auto unit = [](Vec3d v) { return v * (1 / std::sqrt(dot(v, v))); };
  const Vec3d forward = unit(options.pose.target - options.pose.eye);
  const Vec3d right = unit(cross(forward, Vec3d{0, 1, 0})), down = cross(forward, right);
  const Vec3d from = point - options.pose.eye;
  const double pixels = std::min(options.size.width, options.size.height) /
                        (2 * std::tan(options.pose.fov / 360 * 3.14159265358979324)) / dot(from, forward);
  return {options.size.width / 2.0 + dot(from, right) * pixels,
          options.size.height / 2.0 + dot(from, down) * pixels};
}

TEST(VolumeRender, AVoxelIsWhereTheProjectionSays) {
  for (const Int3 voxel : {Int3{3, 17, 8}, Int3{16, 2, 15}, Int3{10, 10, 2}}) {
    const volume::Volume volume = one_voxel_volume({20, 20, 20}, volume::ValueType::U8, voxel);
    render::VolumeRenderOptions options = volume_view(volume.info);
    options.size = {160, 120};
    const render::Picture picture = shown_volume(bricks_of(volume, 2), options);
    const Vec3d middle = {voxel.x + 0.5, voxel.y + 0.5, voxel.z + 0.5};
    const Vec2<double> center = projected(options, middle);
    // The voxel is visible as far as it is interpolated into the voxels around it.
    Vec2<double> low = center, high = center;
    for (int corner = 0; corner < 8; ++corner) {
      const Vec3d reach = {corner & 1 ? 1.0 : -1.0, corner & 2 ? 1.0 : -1.0, corner & 4 ? 1.0 : -1.0};
      const Vec2<double> edge = projected(options, middle + reach);
      low = {std::min(low.x, edge.x), std::min(low.y, edge.y)};
      high = {std::max(high.x, edge.x), std::max(high.y, edge.y)};
    }
    EXPECT_NE(at(picture, uint32_t(center.x), uint32_t(center.y)), opaque(options.background));
    for (uint32_t y = 0; y < 120; ++y)
      for (uint32_t x = 0; x < 160; ++x) {
        const bool outside = x + 1 < low.x || x > high.x || y + 1 < low.y || y > high.y;
        EXPECT_TRUE(!outside || at(picture, x, y) == opaque(options.background)) << x << ' ' << y;
      }
  }
}

size_t differing(const render::Picture& a, const render::Picture& b, int tolerance) {
  size_t count = 0;
  for (size_t i = 0; i < a.image.pixels.size(); ++i) {
    const scene::Rgba8 p = a.image.pixels[i], q = b.image.pixels[i];
    const int most = std::max({std::abs(p.r - q.r), std::abs(p.g - q.g), std::abs(p.b - q.b)});
    count += most > tolerance ? 1 : 0;
  }
  return count;
}

// The second volume has every other layer of the first, with layers twice as thick.
TEST(VolumeRender, HonorsTheSpacing) {
  const auto linear = [](int32_t scale) {
    return [scale](Int3 v) { return uint32_t(v.x * 4 + (v.y * scale + (scale - 1) / 2) * 3 + v.z); };
  };
  const volume::Volume fine = memory_volume({30, 32, 30}, volume::ValueType::U8, linear(1));
  volume::Volume coarse = memory_volume({30, 16, 30}, volume::ValueType::U8, linear(2));
  coarse.info.spacing = {3, 6, 3};
  coarse.info.origin = {100, -50, 7};
  const render::VolumeSpace space(coarse.info);
  EXPECT_EQ(space.around(coarse.info.box()), fine.info.box());
  EXPECT_EQ(space.corner(), coarse.info.origin);
  EXPECT_EQ(space.unit(), 3);
  render::VolumeRenderOptions options = volume_view(fine.info);
  const render::Picture a = shown_volume(bricks_of(fine, 3), options),
                        b = shown_volume(bricks_of(coarse, 3), options);
  size_t covered_alike = 0;
  for (size_t i = 0; i < a.image.pixels.size(); ++i)
    covered_alike +=
        (a.image.pixels[i] == opaque(options.background)) == (b.image.pixels[i] == opaque(options.background))
            ? 1
            : 0;
  EXPECT_GT(covered_alike, a.image.pixels.size() * 98 / 100);
}

TEST(VolumeRender, AxesThatRunBackwardsAreMirrored) {
  const volume::Volume forwards = waves({30, 20, 25}, volume::ValueType::I16);
  volume::Volume backwards = memory_volume({30, 20, 25}, volume::ValueType::I16, [&](Int3 v) {
    int16_t value = 0;
    const Int3 from = {29 - v.x, v.y, 24 - v.z};
    forwards.read({from, from + Int3{1, 1, 1}}, reinterpret_cast<std::byte*>(&value));
    return uint32_t(uint16_t(value));
  });
  backwards.info.spacing = {-1, 1, -1};
  backwards.info.origin = {30, 0, 25};
  EXPECT_EQ(render::VolumeSpace(backwards.info).corner(), (Vec3d{0, 0, 0}));
  EXPECT_EQ(render::VolumeSpace(backwards.info).around({{0, 0, 0}, {10, 5, 6}}),
            (VoxelBox{{20, 0, 19}, {30, 5, 25}}));
  const render::VolumeRenderOptions options = volume_view(forwards.info);
  const render::Picture picture = shown_volume(bricks_of(forwards, 3), options);
  EXPECT_LE(differing(picture, shown_volume(bricks_of(backwards, 3), options), 2), 20u);
  EXPECT_GT(differing(picture, shown_volume(bricks_of(forwards, 3), volume_view(forwards.info, "back")), 2),
            500u);
}

TEST(VolumeRender, FramesTheBricksThatHoldSomething) {
  const bricks::FrozenBricks bricks =
      bricks_of(one_voxel_volume({50, 40, 30}, volume::ValueType::U8, {47, 9, 11}), 3);
  EXPECT_EQ(render::outline(bricks), (std::vector<VoxelBox>{{{40, 8, 8}, {48, 16, 16}}}));
  EXPECT_TRUE(render::outline(bricks_of(constant_volume({9, 9, 9}, volume::ValueType::U8, 0), 3)).empty());
  VoxelBox all = {{9, 9, 9}, {0, 0, 0}};
  for (const VoxelBox& box :
       render::outline(bricks_of(constant_volume({9, 9, 9}, volume::ValueType::U8, 1), 3)))
    all = hull(all, box);
  EXPECT_EQ(all, (VoxelBox{{0, 0, 0}, {9, 9, 9}}));
}

TEST(VolumeRender, TheOutlineOfALargeVolumeIsOfFewBoxesThatHoldAllThatIsFilled) {
  const Int3 size = {300, 40, 30};
  const volume::Volume volume =
      memory_volume(size, volume::ValueType::U8, [](Int3 v) { return v.x % 50 < 3 && v.y < 9 ? 5u : 0u; });
  const std::vector<VoxelBox> boxes = render::outline(bricks_of(volume, 2));
  EXPECT_LE(boxes.size(), 64u * 64u);
  for (int32_t x = 0; x < size.x; ++x)
    for (int32_t y = 0; y < 9; ++y)
      EXPECT_TRUE(x % 50 >= 3 ||
                  std::ranges::any_of(boxes,
                                      [&](const VoxelBox& box) {
                                        return !intersection(box, cube_at({x, y, 17}, 1)).empty();
                                      }))
          << x;
}

// Two labels lie side by side and one far away. No 20 may appear between 10 and 30.
TEST(VolumeRender, LabelsAreNotMixed) {
  const volume::Volume volume = memory_volume({30, 20, 20}, volume::ValueType::U8, [](Int3 v) {
    return v.y > 15 ? 0u : v.x < 10 ? 10u : v.x < 20 ? 30u : 200u;
  });
  const bricks::FrozenBricks bricks = bricks_of(volume, 3);
  render::VolumeRenderOptions options = volume_view(volume.info);
  options.labels = render::distinct_colors();
  options.opacity = 1;
  const render::Picture picture = shown_volume(bricks, options);
  std::array<int, 3> seen = {};
  for (const scene::Rgba8 pixel : picture.image.pixels) {
    if (pixel == opaque(options.background)) continue;
    // True if the pixel has this color under some light.
    const auto is_lit = [&](scene::Rgb8 color) {
      const double light =
          std::max({double(pixel.r) / color.r, double(pixel.g) / color.g, double(pixel.b) / color.b});
      const auto near = [&](uint8_t part, uint8_t of) {
        return std::fabs(part - std::min(255.0, of * light)) < 2;
      };
      return near(pixel.r, color.r) && near(pixel.g, color.g) && near(pixel.b, color.b);
    };
    const std::array<uint32_t, 3> labels = {10, 30, 200};
    int found = 0;
    for (size_t i = 0; i < 3; ++i)
      if (is_lit(options.labels[bricks::label_slot(labels[i])])) {
        ++seen[i];
        ++found;
      }
    EXPECT_EQ(found, 1) << int(pixel.r) << ' ' << int(pixel.g) << ' ' << int(pixel.b);
  }
  for (const int count : seen) EXPECT_GT(count, 50);
}

TEST(Labels, AreWholeNumbersOfWhichNeighborsAreEqual) {
  const auto survey = [](volume::ValueType type, const BitsOf& bits) {
    const volume::Volume volume = memory_volume({60, 40, 30}, type, bits);
    render::LabelSurvey found = render::survey_labels(volume, 0);
    for (uint32_t log2_side = bricks::kMinBrickLog2; log2_side <= 4; ++log2_side) {
      const render::LabelSurvey of_bricks = render::survey_labels(bricks_of(volume, log2_side));
      EXPECT_EQ(of_bricks.labels, found.labels) << log2_side;
      EXPECT_EQ(of_bricks.likely, found.likely) << log2_side;
    }
    return found;
  };
  const BitsOf organs = [](Int3 v) { return v.y < 5 ? 0u : uint32_t(v.x / 20 + v.z / 15 * 3) * 300 + 7; };
  const render::LabelSurvey labels = survey(volume::ValueType::U16, organs);
  EXPECT_TRUE(labels.likely);
  EXPECT_EQ(labels.labels, (std::vector<uint32_t>{7, 307, 607, 907, 1207, 1507}));
  const BitsOf smooth = [](Int3 v) { return uint32_t(v.x + v.y * 2 + v.z); };
  EXPECT_FALSE(survey(volume::ValueType::U8, smooth).likely);
  EXPECT_FALSE(survey(volume::ValueType::F32, organs).likely);
  EXPECT_FALSE(
      survey(volume::ValueType::U8, [](Int3 v) { return v.x < 30 ? 0u : 200u; }).likely);  // a single object
}

TEST(Labels, ThatFollowEachOtherHaveDifferentColors) {
  for (uint32_t label = 0; label < 1 << 16; ++label) {
    if (label < bricks::kCastColors) {
      EXPECT_EQ(bricks::label_slot(label), label);
    }
    for (uint32_t further = label + 1; further < label + 254; ++further)
      ASSERT_NE(bricks::label_slot(label), bricks::label_slot(further)) << label << ' ' << further;
  }
}

TEST(Labels, HaveColorsThatCanBeToldApart) {
  const render::LabelColors colors = render::distinct_colors();
  ASSERT_EQ(colors.size(), bricks::kCastColors);
  const auto lab = [&](size_t i) { return scene::linear_to_oklab(scene::srgb_to_linear(colors[i])); };
  for (size_t a = 1; a <= 16; ++a)
    for (size_t b = 1; b < a; ++b) EXPECT_GT(length(lab(a) - lab(b)), 0.04) << a << ' ' << b;
  const render::LabelColors materials = render::material_colors(distinct_palette());
  for (uint32_t m = 0; m < scene::kPaletteSize; ++m)
    EXPECT_EQ(materials[m + 1], distinct_palette().colors[m]);
}

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
