// Compares pictures of volumes with those of a caster over the dense volume, and those of all kinds of bricks
// with one another.
#include "libvox/render/volume_render.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "libvox/base/error.h"
#include "libvox/base/geometry.h"
#include "libvox/bricks/empty_space.h"
#include "libvox/bricks/sparse_root.h"
#include "libvox/bricks/volume_iso.h"
#include "libvox/device/cpu_device.h"
#include "libvox/scene/oklab.h"
#include "tests/bricks/brick_volumes.h"
#include "tests/common/random.h"
#include "tests/common/test_engine.h"
#include "tests/render/dense_cast.h"
#include "tests/render/traced.h"

namespace vox {
namespace {

using namespace testing_bricks;

std::vector<double> numbers(const volume::Volume& volume) {
  std::vector<double> list;
  for (const uint32_t bits : dense_words(volume, {.type = volume.info.type}))
    list.push_back(volume::value_number(volume.info.type, bits));
  return list;
}

TEST(VolumeRender, IsNearTheBruteForcePicture) {
  for (const volume::ValueType type : kTypes)
    for (const volume::Volume& volume :
         {waves({40, 33, 37}, type), ball_volume({30, 30, 30}, type), signed_volume({24, 24, 24}, type, 2)}) {
      const bricks::FrozenBricks bricks = bricks_of(volume, 3);
      const std::vector<double> values = numbers(volume);
      const auto [low, high] = std::ranges::minmax(values);
      for (const render::VolumeRenderOptions& options : volume_views(volume.info)) {
        const DenseCast dense = {volume.info.size, values, low, high, options};
        const render::Picture picture = shown_volume(bricks, options);
        EXPECT_EQ(picture.low, low);
        EXPECT_EQ(picture.high, high);
        // A value halfway between two colors may take either one; this may happen at one pixel of a
        // thousand.
        size_t apart = 0;
        for (uint32_t y = 0; y < options.size.height; ++y)
          for (uint32_t x = 0; x < options.size.width; ++x) {
            const scene::Rgba8 pixel = at(picture, x, y);
            const Vec3d exact = dense.pixel(x, y);
            const double most = std::max(
                {std::fabs(pixel.r - exact.x), std::fabs(pixel.g - exact.y), std::fabs(pixel.b - exact.z)});
            apart += most > 2 ? 1 : 0;
          }
        EXPECT_LE(apart, picture.image.pixels.size() / 1000 + 1) << volume::value_type_name(type);
      }
    }
}

template <class T, class Access>
std::vector<scene::Rgba8> cast(const Access& access, bricks::CastView view,
                               const render::VolumeRenderOptions& options) {
  const std::vector<bricks::CastColor> colors = render::cast_colors(options);
  std::vector<bricks::CastPixel> pixels(size_t{view.width} * view.height);
  view.colors = colors.data();
  view.pixels = pixels.data();
  const bricks::CastVolume<Access, T> body = {access, view};
  for (uint64_t i = 0; i < view.tiles().count(); ++i) body(i);
  std::vector<scene::Rgba8> result;
  for (const bricks::CastPixel p : pixels) result.push_back({p.r, p.g, p.b, p.a});
  return result;
}

TEST(VolumeRender, IsTheSameOfAllBricksAndOfTheDenseVolume) {
  for (const volume::ValueType type : sampled(std::vector(std::begin(kTypes), std::end(kTypes))))
    for (const volume::Volume& volume : {waves({70, 33, 37}, type), signed_volume({66, 45, 71}, type, 1)}) {
      std::vector<bricks::FrozenBricks> all;
      for (uint32_t log2_side = bricks::kMinBrickLog2; log2_side <= bricks::kMostTriedLog2; ++log2_side)
        all.push_back(bricks_of(volume, log2_side));
      for (const uint32_t types : {bricks::kThesisBrickTypes, 0b1001u})
        all.push_back(bricks_of(volume, 3, types));
      for (const size_t i : {size_t{0}, size_t{2}}) all.push_back(bricks::with_sparse_root(all[i]));
      const DenseAccess dense(volume, all[0].background);
      for (const render::VolumeRenderOptions& options : volume_views(volume.info)) {
        const bricks::CastView view = render::cast_view(all[0], render::color_range(all[0]), options);
        std::vector<scene::Rgba8> expected;
        volume::with_word_type(type, [&]<class T>() { expected = cast<T>(dense, view, options); });
        for (const bricks::FrozenBricks& bricks : all)
          EXPECT_EQ(shown_volume(bricks, options).image.pixels, expected) << bricks.log2_side;
      }
    }
}

// Returns the share of pixels that differ from the reference by more than `tolerance`.
double share_apart(const render::Picture& picture, const DenseCast& dense, double tolerance) {
  size_t apart = 0;
  const render::ImageSize size = dense.options.size;
  for (uint32_t y = 0; y < size.height; ++y)
    for (uint32_t x = 0; x < size.width; ++x) {
      const scene::Rgba8 pixel = at(picture, x, y);
      Vec3d exact = dense.pixel(x, y);
      exact = {std::min(exact.x, 255.0), std::min(exact.y, 255.0), std::min(exact.z, 255.0)};
      apart += std::max({std::fabs(pixel.r - exact.x), std::fabs(pixel.g - exact.y),
                         std::fabs(pixel.b - exact.z)}) > tolerance;
    }
  return double(apart) / double(picture.image.pixels.size());
}

TEST(VolumeRender, ColorsAndCurvesAreThoseThatAreAskedFor) {
  const volume::Volume volume = waves({40, 33, 37}, volume::ValueType::U16);
  const bricks::FrozenBricks bricks = bricks_of(volume, 3);
  const std::vector<double> values = numbers(volume);
  const auto [low, high] = std::ranges::minmax(values);
  const std::vector<render::OpacityCurve> curves = {
      {}, {{0.2, 0}, {0.5, 0.6}, {0.7, 0}, {1, 0.3}}, {{0.5, 0.1}}, {{0, 0.3}, {1, 0}}};
  for (const render::ValueScale& scale : {render::gray_scale(), render::bone_scale()})
    for (const render::OpacityCurve& curve : curves)
      for (render::VolumeRenderOptions options : volume_views(volume.info)) {
        options.scale = scale;
        options.curve = curve;
        const DenseCast dense = {volume.info.size, values, low, high, options};
        EXPECT_LE(share_apart(shown_volume(bricks, options), dense, 2.5), 0.002) << curve.size();
      }
}

// Steps of half a voxel may miss a surface that a ray only grazes; where a ray meets a surface, the picture
// is the same.
TEST(VolumeRender, AnIsosurfaceIsWhereValuesReachIt) {
  for (const volume::ValueType type : kTypes) {
    const volume::Volume volume = ball_volume({36, 32, 30}, type);
    const bricks::FrozenBricks bricks = bricks_of(volume, 3);
    const std::vector<double> values = numbers(volume);
    const auto [low, high] = std::ranges::minmax(values);
    for (render::VolumeRenderOptions options : volume_views(volume.info))
      for (const double iso : {0.3, 0.8}) {
        options.iso = iso;
        const DenseCast dense = {volume.info.size, values, low, high, options};
        EXPECT_LE(share_apart(shown_volume(bricks, options), dense, 4), 0.02) << iso;
      }
  }
}

template <class T, class Access>
std::vector<bricks::CastPixel> surface(const Access& access, bricks::CastView view,
                                       const render::VolumeRenderOptions& options) {
  const std::vector<bricks::CastColor> colors = render::cast_colors(options);
  std::vector<bricks::CastPixel> pixels(size_t{view.width} * view.height);
  view.colors = colors.data();
  view.pixels = pixels.data();
  const bricks::CastIso<Access, T> body = {access, view};
  for (uint64_t i = 0; i < view.tiles().count(); ++i) body(i);
  return pixels;
}

TEST(VolumeRender, AnIsosurfaceIsTheSameOfAllBricksAndOfTheDenseVolume) {
  const volume::Volume volume = waves({70, 33, 37}, volume::ValueType::I16);
  for (const uint32_t log2_side : {2u, 3u, 5u}) {
    const bricks::FrozenBricks bricks = bricks_of(volume, log2_side);
    const DenseAccess dense(volume, bricks.background);
    for (render::VolumeRenderOptions options : volume_views(volume.info)) {
      options.iso = 0.6;
      const bricks::CastView view = render::cast_view(bricks, render::color_range(bricks), options);
      const auto expected = surface<uint16_t>(dense, view, options);
      const render::Picture picture = shown_volume(bricks, options);
      for (size_t i = 0; i < expected.size(); ++i) {
        const bricks::CastPixel p = expected[i];
        ASSERT_EQ(picture.image.pixels[i], (scene::Rgba8{p.r, p.g, p.b, p.a})) << i;
      }
    }
  }
}

TEST(VolumeRender, LabelsHaveTheColorsOfAListOverAndOverAgain) {
  const std::array<scene::Rgb8, 3> list = {{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}};
  const render::LabelColors colors = render::repeated_colors(list);
  for (uint32_t label = 1; label < bricks::kCastColors; ++label)
    EXPECT_EQ(colors[bricks::label_slot(label)], list[(label - 1) % 3]);
}

TEST(ValueScale, GoesThroughItsStops) {
  const std::array<scene::Rgb8, 3> stops = {{{10, 0, 0}, {200, 180, 90}, {0, 0, 250}}};
  const render::ValueScale scale = render::scale_through(stops);
  EXPECT_EQ(render::scale_color(scale, 0), stops[0]);
  EXPECT_EQ(render::scale_color(scale, 1), stops[2]);
  const scene::Rgb8 middle = render::scale_color(scale, 0.5);
  EXPECT_NEAR(middle.r, 200, 3);
  EXPECT_NEAR(middle.b, 90, 3);
  for (const render::ValueScale& known :
       {render::gray_scale(), render::bone_scale(), render::viridis_scale()})
    for (size_t i = 1; i < known.size(); ++i)  // brightness increases, so the scales are readable in gray
      EXPECT_GE(scene::linear_to_oklab(scene::srgb_to_linear(known[i])).x + 1e-3,
                scene::linear_to_oklab(scene::srgb_to_linear(known[i - 1])).x);
}

// Access that counts the values that are read.
struct CountingAccess {
  bricks::DenseRootRef bricks;
  uint64_t* reads;

  template <class T>
  T get(Int3 v) const {
    ++*reads;
    return bricks.get<T>(v);
  }
  template <class T>
  void corners(Int3 low, Int3 high, T* words) const {
    bricks::corners_one_by_one(*this, low, high, words);
  }
};

// The volume has opaque cubes of 16³, far apart, so that a cube that rays wrongly skip is noticed.
volume::Volume far_cubes() {
  return memory_volume({90, 80, 85}, volume::ValueType::U8, [](Int3 v) {
    return noise({v.x >> 4, v.y >> 4, v.z >> 4}, 1) % 8 == 0 ? 200 + noise(v, 2) % 50 : 0u;
  });
}

TEST(VolumeRender, PassesOverEmptySpaceWithoutAnyDifference) {
  const volume::Volume volume = far_cubes();
  device::CpuDevice device(0, false);
  for (uint32_t log2_side = bricks::kMinBrickLog2; log2_side <= 4; ++log2_side) {
    const bricks::FrozenBricks bricks = bricks_of(volume, log2_side);
    bricks::EmptySpaces<device::CpuDevice> spaces(device, bricks::ref(bricks), bricks.info.type);
    uint64_t fewer = 0, all = 0;
    for (const bool labels : {false, true})
      for (render::VolumeRenderOptions options : volume_views(volume.info)) {
        if (labels) options.labels = render::distinct_colors();
        bricks::CastView view = render::cast_view(bricks, render::color_range(bricks), options);
        EXPECT_EQ(view.skips_empty, 1u);
        const auto expected = cast<uint8_t>(CountingAccess{{bricks::ref(bricks)}, &all}, view, options);
        view.empty_space = spaces.of(view.reach());
        EXPECT_EQ(cast<uint8_t>(CountingAccess{{bricks::ref(bricks)}, &fewer}, view, options), expected);
        EXPECT_EQ(shown_volume(bricks, options).image.pixels, expected);
      }
    EXPECT_LT(fewer, all / 2) << log2_side;
  }
}

// A file may have such bricks, although we write none.
TEST(VolumeRender, LooksAtEmptyBricksThatAreNotTransparent) {
  const volume::Volume volume = ball_volume({40, 40, 40}, volume::ValueType::U8);
  bricks::FrozenBricks bricks = bricks_of(volume, 3);
  const DenseAccess words(volume, bricks.background);
  bricks.background = 100;
  for (const render::VolumeRenderOptions& options : volume_views(volume.info)) {
    const bricks::CastView view = render::cast_view(bricks, render::color_range(bricks), options);
    EXPECT_EQ(shown_volume(bricks, options).image.pixels, cast<uint8_t>(words, view, options));
  }
}

TEST(VolumeRender, ShowsNothingButTheBackgroundOfWhatIsEmpty) {
  for (const volume::ValueType type : kTypes)
    for (const double number : {0.0, -3.0}) {
      if (number < 0 && (type == volume::ValueType::U8 || type == volume::ValueType::U16)) continue;
      const volume::Volume volume = constant_volume({20, 20, 20}, type, number);
      for (const render::VolumeRenderOptions& options : volume_views(volume.info))
        for (const scene::Rgba8 pixel : shown_volume(bricks_of(volume, 3), options).image.pixels)
          ASSERT_EQ(pixel, opaque(options.background));
    }
}

TEST(VolumeRender, AVolumeOfOneValueIsSeenAsABox) {
  const volume::Volume volume = constant_volume({20, 20, 20}, volume::ValueType::U16, 500);
  render::VolumeRenderOptions options = volume_view(volume.info, "front");
  options.opacity = 1;
  const render::Picture picture = shown_volume(bricks_of(volume, 3), options);
  EXPECT_NE(at(picture, 26, 20), opaque(options.background));
  EXPECT_EQ(at(picture, 1, 20), opaque(options.background));
}

TEST(VolumeRender, RefusesWhatMakesNoPicture) {
  bricks::FrozenBricks bricks = bricks_of(ball_volume({20, 20, 20}, volume::ValueType::U8), 3);
  const render::VolumeRenderOptions good = volume_view(bricks.info);
  const auto expect_refused = [&](const render::VolumeRenderOptions& options) {
    EXPECT_THROW(shown_volume(bricks, options), Error);
  };
  for (const double opacity : {-0.1, 1.1, std::numeric_limits<double>::quiet_NaN()}) {
    render::VolumeRenderOptions bad = good;
    bad.opacity = opacity;
    expect_refused(bad);
  }
  render::VolumeRenderOptions bad = good;
  bad.size = {0, 10};
  expect_refused(bad);
  bad.size = {render::kMaxPictureSide + 1, 10};
  expect_refused(bad);
  for (const render::OpacityCurve& curve :
       {render::OpacityCurve{{0.5, 0.1}, {0.5, 0.2}}, {{0.5, 0.1}, {0.4, 0.2}}, {{0, 1.1}}, {{-0.1, 0}}}) {
    bad = good;
    bad.curve = curve;
    expect_refused(bad);
  }
  for (const double iso : {0.0, 1.01, std::numeric_limits<double>::quiet_NaN()}) {
    bad = good;
    bad.iso = iso;
    expect_refused(bad);
  }
  bad = good;
  bad.scale = {{1, 2, 3}};
  expect_refused(bad);
  bad = good;
  bad.pose.target = bad.pose.eye;
  expect_refused(bad);
  bad = good;
  bad.to_sun = {0, 0, 0};
  expect_refused(bad);
  for (const double spacing : {0.0, 1e300, 1e-12, std::numeric_limits<double>::quiet_NaN(),
                               std::numeric_limits<double>::infinity()}) {
    bricks.info.spacing = {1, spacing, 1};
    EXPECT_THROW(render::make_volume_renderer(test_engine()->handle(), bricks), Error) << spacing;
  }
}

}  // namespace
}  // namespace vox
