// Compares pictures of volumes with those of a caster over the dense volume, and those of all kinds of bricks
// with one another.
#include "libvox/render/volume_render.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "libvox/base/error.h"
#include "libvox/base/length.h"
#include "libvox/bricks/volume_iso.h"
#include "libvox/scene/oklab.h"
#include "tests/bricks/dense_access.h"
#include "tests/common/test_engine.h"
#include "tests/common/thoroughness.h"
#include "tests/render/dense_cast.h"
#include "tests/render/pictures.h"

namespace vox {
namespace {

using namespace testing_bricks;

constexpr render::ImageSize kImage = {53, 40};
constexpr std::array<volume::ValueType, 4> kTypes = {volume::ValueType::U8, volume::ValueType::U16,
                                                     volume::ValueType::I16, volume::ValueType::F32};

bricks::FrozenBricks bricks_of(const volume::Volume& volume, uint32_t log2_side,
                               uint32_t types = bricks::kAllBrickTypes) {
  return test_engine()
      ->build_bricks(volume, {.log2_side = log2_side, .types = types, .threshold = {}})
      .bricks;
}

render::VolumeRenderOptions view_of(const volume::VolumeInfo& info, const char* view = "iso") {
  const VoxelBox box = render::VolumeSpace(info).around(info.box());
  return {.pose = render::framing({&box, 1}, view, 20, 40, kImage), .size = kImage};
}

// Returns views of a volume from beside it, from inside, and along an axis.
std::vector<render::VolumeRenderOptions> views_of(const volume::VolumeInfo& info) {
  std::vector<render::VolumeRenderOptions> list = {view_of(info), view_of(info, "left"), view_of(info)};
  list[1].opacity = 0.05;
  list[2].pose.eye = Vec3d{0.3, 0.4, 0.45} * info.size.x;
  list[2].pose.target = {1, 2, 3};
  list.push_back(view_of(info));
  const int32_t half = info.size.y / 2;
  const double middle = half;  // for rays inside planes of the grid
  list[3].pose = {{-40, middle, middle}, {0, middle, middle}, 50};
  list[3].opacity = 1;
  list[3].size = {41, 41};
  return list;
}

render::Picture shown(const bricks::FrozenBricks& bricks, const render::VolumeRenderOptions& options) {
  return test_engine()->volume_renderer(bricks)->render(options);
}

// A volume with waves of all values and an empty corner.
volume::Volume waves(Int3 size, volume::ValueType type) {
  return memory_volume(size, type, [=](Int3 v) {
    if (v.x + v.y < size.x / 2) return 0u;
    const double number =
        110 + 70 * std::sin(v.x * 0.31 + v.z * 0.12) + 50 * std::cos(v.y * 0.43 - v.z * 0.2);
    return bits_near(type, number);
  });
}

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
      for (const render::VolumeRenderOptions& options : views_of(volume.info)) {
        const DenseCast dense = {volume.info.size, values, low, high, options};
        const render::Picture picture = shown(bricks, options);
        EXPECT_EQ(picture.low, low);
        EXPECT_EQ(picture.high, high);
        // A value halfway between two colours may take either one; this may happen at one pixel of a
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
std::vector<scene::Rgba8> cast(const Access& access, bricks::CastView view, double opacity) {
  const std::vector<bricks::CastColor> colors =
      render::cast_colors({.pose = {}, .size = {}, .opacity = opacity});
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
      for (uint32_t log2_side = bricks::kMinBrickLog2; log2_side <= bricks::kMaxBrickLog2; ++log2_side)
        all.push_back(bricks_of(volume, log2_side));
      for (const uint32_t types : {bricks::kThesisBrickTypes, 0b1001u})
        all.push_back(bricks_of(volume, 3, types));
      const DenseAccess dense(volume, all[0].background);
      for (const render::VolumeRenderOptions& options : views_of(volume.info)) {
        const bricks::CastView view = render::cast_view(all[0], render::color_range(all[0]), options);
        std::vector<scene::Rgba8> expected;
        volume::with_word_type(type, [&]<class T>() { expected = cast<T>(dense, view, options.opacity); });
        for (const bricks::FrozenBricks& bricks : all)
          EXPECT_EQ(shown(bricks, options).image.pixels, expected) << bricks.log2_side;
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
      for (render::VolumeRenderOptions options : views_of(volume.info)) {
        options.scale = scale;
        options.curve = curve;
        const DenseCast dense = {volume.info.size, values, low, high, options};
        EXPECT_LE(share_apart(shown(bricks, options), dense, 2.5), 0.002) << curve.size();
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
    for (render::VolumeRenderOptions options : views_of(volume.info))
      for (const double iso : {0.3, 0.8}) {
        options.iso = iso;
        const DenseCast dense = {volume.info.size, values, low, high, options};
        EXPECT_LE(share_apart(shown(bricks, options), dense, 4), 0.02) << iso;
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
    for (render::VolumeRenderOptions options : views_of(volume.info)) {
      options.iso = 0.6;
      const bricks::CastView view = render::cast_view(bricks, render::color_range(bricks), options);
      const auto expected = surface<uint16_t>(dense, view, options);
      const render::Picture picture = shown(bricks, options);
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
    for (size_t i = 1; i < known.size(); ++i)  // brightness increases, so the scales are readable in grey
      EXPECT_GE(scene::linear_to_oklab(scene::srgb_to_linear(known[i])).x + 1e-3,
                scene::linear_to_oklab(scene::srgb_to_linear(known[i - 1])).x);
}

// Access that counts the values that are read.
struct CountingAccess {
  bricks::BricksRef bricks;
  uint64_t* reads;

  template <class T>
  T get(Int3 v) const {
    ++*reads;
    return bricks.get<T>(v);
  }
  bool empty_brick(Int3 v) const { return bricks.empty_brick(v); }
};

// The volume has opaque cubes of 16³, far apart, so that a cube that rays wrongly skip is noticed.
volume::Volume far_cubes() {
  return memory_volume({90, 80, 85}, volume::ValueType::U8, [](Int3 v) {
    return noise({v.x >> 4, v.y >> 4, v.z >> 4}, 1) % 8 == 0 ? 200 + noise(v, 2) % 50 : 0u;
  });
}

TEST(VolumeRender, PassesOverEmptyBricksWithoutAnyDifference) {
  const volume::Volume volume = far_cubes();
  for (uint32_t log2_side = bricks::kMinBrickLog2; log2_side <= 4; ++log2_side) {
    const bricks::FrozenBricks bricks = bricks_of(volume, log2_side);
    uint64_t fewer = 0, all = 0;
    for (const render::VolumeRenderOptions& options : views_of(volume.info)) {
      bricks::CastView view = render::cast_view(bricks, render::color_range(bricks), options);
      EXPECT_EQ(view.log2_empty, log2_side);
      const auto passing = cast<uint8_t>(CountingAccess{bricks::ref(bricks), &fewer}, view, options.opacity);
      view.log2_empty = 0;
      EXPECT_EQ(passing, cast<uint8_t>(CountingAccess{bricks::ref(bricks), &all}, view, options.opacity));
    }
    EXPECT_LT(fewer, all * 9 / 10) << log2_side;
  }
}

// A file may have such bricks, although we write none.
TEST(VolumeRender, LooksAtEmptyBricksThatAreNotTransparent) {
  const volume::Volume volume = ball_volume({40, 40, 40}, volume::ValueType::U8);
  bricks::FrozenBricks bricks = bricks_of(volume, 3);
  const DenseAccess words(volume, bricks.background);
  bricks.background = 100;
  for (const render::VolumeRenderOptions& options : views_of(volume.info)) {
    const bricks::CastView view = render::cast_view(bricks, render::color_range(bricks), options);
    EXPECT_EQ(shown(bricks, options).image.pixels, cast<uint8_t>(words, view, options.opacity));
  }
}

TEST(VolumeRender, ShowsNothingButTheBackgroundOfWhatIsEmpty) {
  for (const volume::ValueType type : kTypes)
    for (const double number : {0.0, -3.0}) {
      if (number < 0 && (type == volume::ValueType::U8 || type == volume::ValueType::U16)) continue;
      const volume::Volume volume = constant_volume({20, 20, 20}, type, number);
      for (const render::VolumeRenderOptions& options : views_of(volume.info))
        for (const scene::Rgba8 pixel : shown(bricks_of(volume, 3), options).image.pixels)
          ASSERT_EQ(pixel, opaque(options.background));
    }
}

TEST(VolumeRender, AVolumeOfOneValueIsSeenAsABox) {
  const volume::Volume volume = constant_volume({20, 20, 20}, volume::ValueType::U16, 500);
  render::VolumeRenderOptions options = view_of(volume.info, "front");
  options.opacity = 1;
  const render::Picture picture = shown(bricks_of(volume, 3), options);
  EXPECT_NE(at(picture, 26, 20), opaque(options.background));
  EXPECT_EQ(at(picture, 1, 20), opaque(options.background));
}

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
    render::VolumeRenderOptions options = view_of(volume.info);
    options.size = {160, 120};
    const render::Picture picture = shown(bricks_of(volume, 2), options);
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
TEST(VolumeRender, HonoursTheSpacing) {
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
  render::VolumeRenderOptions options = view_of(fine.info);
  const render::Picture a = shown(bricks_of(fine, 3), options), b = shown(bricks_of(coarse, 3), options);
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
  const render::VolumeRenderOptions options = view_of(forwards.info);
  const render::Picture picture = shown(bricks_of(forwards, 3), options);
  EXPECT_LE(differing(picture, shown(bricks_of(backwards, 3), options), 2), 20u);
  EXPECT_GT(differing(picture, shown(bricks_of(forwards, 3), view_of(forwards.info, "back")), 2), 500u);
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
  render::VolumeRenderOptions options = view_of(volume.info);
  options.labels = render::distinct_colors();
  options.opacity = 1;
  const render::Picture picture = shown(bricks, options);
  std::array<int, 3> seen = {};
  for (const scene::Rgba8 pixel : picture.image.pixels) {
    if (pixel == opaque(options.background)) continue;
    // True if the pixel has this colour under some light.
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

TEST(Labels, AreWholeNumbersOfWhichNeighboursAreEqual) {
  const auto survey = [](volume::ValueType type, const BitsOf& bits) {
    return render::survey_labels(memory_volume({60, 40, 30}, type, bits), 0);
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

TEST(VolumeRender, RefusesWhatMakesNoPicture) {
  bricks::FrozenBricks bricks = bricks_of(ball_volume({20, 20, 20}, volume::ValueType::U8), 3);
  const render::VolumeRenderOptions good = view_of(bricks.info);
  const auto expect_refused = [&](const render::VolumeRenderOptions& options) {
    EXPECT_THROW(shown(bricks, options), Error);
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
    EXPECT_THROW(test_engine()->volume_renderer(bricks), Error) << spacing;
  }
}

}  // namespace
}  // namespace vox
