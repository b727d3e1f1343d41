// Whole pictures of scenes, by one rank and by several.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "libvox/base/error.h"
#include "libvox/engine/engine.h"
#include "libvox/ranks/ranks.h"
#include "libvox/render/picture_share.h"
#include "libvox/render/render.h"
#include "tests/common/random.h"
#include "tests/common/test_engine.h"
#include "tests/dag/dense_dag.h"
#include "tests/ranks/rank_engines.h"
#include "tests/render/traced.h"

namespace vox {
namespace {

constexpr render::ImageSize kSize = {64, 50};  // not a multiple of a tile's size

render::RenderOptions options_for(const dag::FrozenDag& dag, const char* view = "iso") {
  render::RenderOptions options;
  options.size = kSize;
  options.pose = render::framing(render::outline(dag), view, 0, 40, kSize);
  return options;
}

render::Picture taken(Engine& engine, const dag::FrozenDag& dag, const render::RenderOptions& options) {
  return render::make_renderer(engine.handle(), dag, distinct_palette())->render(options);
}
render::Picture picture(const dag::FrozenDag& dag, const render::RenderOptions& options) {
  return taken(*test_engine(), dag, options);
}

TEST(Render, EveryPixelOfTheNormalsIsThatOfTheVoxelItsRayHits) {
  const dag::FrozenDag dag = dense_dag(32, true, shell);
  const DenseScene dense(32, shell);
  render::RenderOptions options = options_for(dag);
  options.shade = render::Shade::Normal;
  options.lod = render::LevelOfDetail::Off;
  const render::Picture shown = picture(dag, options);
  const render::Camera camera = render::make_camera(options.pose, kSize, 5);
  for (uint32_t y = 0; y < kSize.height; ++y)
    for (uint32_t x = 0; x < kSize.width; ++x) {
      const render::Ray ray = render::make_ray(5, camera.eye, camera.direction(x + 0.5, y + 0.5), 0);
      const render::Hit hit = dense.trace(ray).hit;
      const Int3 normal = render::face_normal(ray, hit);
      const auto code = [](int n) { return n < 0 ? uint8_t{0} : n == 0 ? uint8_t{188} : uint8_t{255}; };
      const scene::Rgba8 expected = hit.found()
                                        ? scene::Rgba8{code(normal.x), code(normal.y), code(normal.z), 255}
                                        : opaque(options.sky);
      ASSERT_EQ(at(shown, x, y), expected) << x << ' ' << y;
    }
}

// Returns what a picture shows of a scene of cubes that repeats each voxel of `grid` in all places that it covers.
DenseGrid in_cubes(const DenseGrid& grid, Vec3<uint32_t> sides) {
  return [=](uint32_t x, uint32_t y, uint32_t z) { return grid(x / sides.x, y / sides.y, z / sides.z); };
}

TEST(Render, VoxelsThatAreNoCubesLookLikeTheCubesThatTheyCover) {
  constexpr Vec3<uint32_t> kSides = {2, 1, 4};
  const DenseGrid ball = [](uint32_t x, uint32_t y, uint32_t z) {
    const double dx = 2 * x + 1 - 32.0, dy = y + 0.5 - 32, dz = 4 * z + 2 - 32.0;
    return dx * dx + dy * dy + dz * dz < 900 ? static_cast<int>((x + y + z) % 16) : dag::kEmptyVoxel;
  };
  const dag::FrozenDag stretched = dense_dag(64, true, [&](uint32_t x, uint32_t y, uint32_t z) {
    return x < 32 && z < 16 ? ball(x, y, z) : dag::kEmptyVoxel;
  });
  const dag::FrozenDag cubes = dense_dag(64, true, in_cubes(ball, kSides));
  const auto engine = test_engine();
  const auto of_stretched =
      render::make_renderer(engine->handle(), stretched, distinct_palette(), {.voxel_size = {0.2, 0.1, 0.4}});
  const auto of_cubes = render::make_renderer(engine->handle(), cubes, distinct_palette());
  for (const char* view : {"iso", "front", "top", "left"})
    for (const render::Shade shade : {render::Shade::Material, render::Shade::Normal, render::Shade::Depth}) {
      render::RenderOptions options = options_for(cubes, view);
      options.shade = shade;
      options.lod = render::LevelOfDetail::Off;
      options.skies = render::Sky::Gradient;
      const render::Picture a = of_stretched->render(options), b = of_cubes->render(options);
      int differ = 0;
      for (uint32_t y = 0; y < kSize.height; ++y)
        for (uint32_t x = 0; x < kSize.width; ++x) {
          const auto apart = [](uint8_t left, uint8_t right) { return std::abs(left - right) > 1; };
          const scene::Rgba8 left = at(a, x, y), right = at(b, x, y);
          differ += apart(left.r, right.r) || apart(left.g, right.g) || apart(left.b, right.b);
        }
      EXPECT_LE(differ, 16) << view << ' ' << static_cast<int>(shade);  // of 3,200, on edges
      EXPECT_NEAR(a.low, b.low, 1e-6);
      EXPECT_NEAR(a.high, b.high, 0.1 * b.high);  // one scene's voxels end elsewhere
    }
}

TEST(Render, AFloorInTheSunHasThePalettesColorAndAShadowIsDarker) {
  // The scene is a floor with a post on it; the sun stands in the direction of x and y.
  const dag::FrozenDag dag = dense_dag(32, true, [](uint32_t x, uint32_t y, uint32_t z) {
    if (y == 0) return 3;
    return x == 16 && z == 16 && y < 9 ? 5 : dag::kEmptyVoxel;
  });
  render::RenderOptions options = options_for(dag, "top");
  options.to_sun = {1, 1, 0};
  options.pose.eye = {16.5, 2000, 16.5};  // straight down, so that every pixel's point on the floor is known
  options.pose.target = {16.5, 0, 16.5};
  options.pose.fov = 0.6;
  const render::Picture lit = picture(dag, options);
  options.shadows = render::Shadows::Off;
  const render::Picture unlit = picture(dag, options);
  int darker = 0;
  for (uint32_t y = 0; y < kSize.height; ++y)
    for (uint32_t x = 0; x < kSize.width; ++x) {
      const double side = 2 * 1999 * std::tan(0.3 * 3.14159265358979 / 180) / kSize.height;
      const double px = 16.5 + (x + 0.5 - kSize.width / 2.0) * side,
                   pz = 16.5 + (y + 0.5 - kSize.height / 2.0) * side;
      // The post's shadow is as long as the post: 8 voxels away from the sun.
      const bool clear = px < 7.8 || px > 17.3 || pz < 15.7 || pz > 17.3;
      const bool shadow = px > 8.3 && px < 15.7 && pz > 16.2 && pz < 16.8;
      if (clear) {
        EXPECT_EQ(at(lit, x, y), at(unlit, x, y)) << x << ' ' << y;
      }
      if (shadow) {
        EXPECT_LT(at(lit, x, y).g, at(unlit, x, y).g) << x << ' ' << y;
      }
      darker += shadow;
    }
  EXPECT_GT(darker, 5);
}

TEST(Render, AnOpenFloorSeesAllOfTheSkyAndACornerSeesLess) {
  const DenseGrid room = [](uint32_t x, uint32_t y, uint32_t) {
    return y == 0 || x == 0 ? 3 : dag::kEmptyVoxel;
  };
  const dag::FrozenDag dag = dense_dag(32, true, room);
  render::RenderOptions options = options_for(dag, "top");
  options.pose.eye = {16, 2000, 16};
  options.pose.target = {16, 0, 16};
  options.pose.fov = 0.85;
  options.ao_reach = 8;
  const render::Picture without = picture(dag, options);
  options.ao_rays = 64;
  const render::Picture with = picture(dag, options);
  const auto color = [](const render::Picture& p, uint32_t x) { return at(p, x, kSize.height / 2).g; };
  const uint32_t middle = kSize.width / 2;
  EXPECT_EQ(color(with, middle), color(without, middle));
  uint32_t wall = 0;  // finds the first pixel of the floor beside the wall's top
  while (color(without, wall) == 182) ++wall;
  EXPECT_LT(color(with, wall + 3) + 5, color(without, wall + 3));
}

TEST(Render, DepthGoesFromTheNearestToTheFarthestColor) {
  const dag::FrozenDag dag = dense_dag(64, true, everywhere);
  render::RenderOptions options = options_for(dag, "front");
  options.shade = render::Shade::Depth;
  const render::Picture shown = picture(dag, options);
  EXPECT_EQ(at(shown, kSize.width / 2, kSize.height / 2), opaque(render::ramp_color(0)));
  EXPECT_NEAR(shown.low, options.pose.eye.z - 64, 1e-9);
  EXPECT_GT(shown.high, shown.low + 64);
}

TEST(Render, MoreSamplesGiveColorsBetweenThoseOfFaces) {
  const dag::FrozenDag dag = dense_dag(16, true, everywhere);
  render::RenderOptions options = options_for(dag);
  options.shade = render::Shade::Normal;
  options.samples = 16;
  int between = 0;
  for (const scene::Rgba8 pixel : picture(dag, options).image.pixels)
    between += pixel.r != 188 && pixel.r != 255 && pixel.r != options.sky.r;
  EXPECT_GT(between, 20);
}

TEST(Render, AnEmptySceneIsSky) {
  const dag::FrozenDag dag = dense_dag(16, true, nowhere);
  const render::RenderOptions options = options_for(dag);
  for (const scene::Rgba8 pixel : picture(dag, options).image.pixels) ASSERT_EQ(pixel, opaque(options.sky));
}

TEST(Render, FromInsideMatterThereIsAPicture) {
  const dag::FrozenDag dag = dense_dag(16, true, everywhere);
  render::RenderOptions options = options_for(dag);
  options.pose = {{8, 8, 8}, {20, 9, 9}, 60};
  options.ao_rays = 4;
  for (const render::Shade shade : {render::Shade::Material, render::Shade::Depth, render::Shade::Normal,
                                    render::Shade::Level, render::Shade::Sharing}) {
    options.shade = shade;
    const render::Picture shown = picture(dag, options);
    for (const scene::Rgba8 pixel : shown.image.pixels) ASSERT_EQ(pixel, shown.image.pixels[0]);
    EXPECT_NE(shown.image.pixels[0], opaque(options.sky));
  }
}

TEST(Render, TheDeviceMakesThePictureThatTheProcessorMakes) {
  const auto cpu = make_engine({.device = "cpu"});
  const dag::FrozenDag dag = dense_dag(64, true, shell);
  for (const render::Shade shade : {render::Shade::Material, render::Shade::Depth, render::Shade::Normal,
                                    render::Shade::Level, render::Shade::Sharing})
    for (const double nearer : {1.0, 0.1, 20.0}) {
      render::RenderOptions options = options_for(dag);
      options.shade = shade;
      options.pose.eye = options.pose.target + (options.pose.eye - options.pose.target) * nearer;
      options.samples = 3;
      options.ao_rays = 8;
      EXPECT_TRUE(picture(dag, options).image.pixels == taken(*cpu, dag, options).image.pixels);
      options.normals = nearer > 1 ? render::Normals::Auto : render::Normals::Smooth;
      options.colors = render::LevelColors::Mean;
      options.sampling = render::Sampling::Edges;
      options.skies = render::Sky::Gradient;
      options.ground = render::Ground::On;
      const render::Picture one = taken(*make_engine({.device = "cpu", .threads = 1}), dag, options);
      EXPECT_TRUE(picture(dag, options).image.pixels == one.image.pixels);
      EXPECT_TRUE(taken(*cpu, dag, options).image.pixels == one.image.pixels);
    }
}

TEST(Render, SamplesOnEdgesAreThoseOfAllPixels) {
  const dag::FrozenDag dag = dense_dag(64, true, shell);
  render::RenderOptions options = options_for(dag);
  const render::Picture single = picture(dag, options);
  options.samples = 4;
  const render::Picture all = picture(dag, options);
  options.sampling = render::Sampling::Edges;
  const render::Picture edges = picture(dag, options);
  size_t refined = 0;
  for (size_t i = 0; i < all.image.pixels.size(); ++i) {
    const scene::Rgba8 pixel = edges.image.pixels[i];
    EXPECT_TRUE(pixel == all.image.pixels[i] || pixel == single.image.pixels[i]);
    refined += pixel != single.image.pixels[i];
  }
  EXPECT_GT(edges.refined, 100u);
  EXPECT_GE(edges.refined, refined);
  EXPECT_EQ(edges.rays, all.image.pixels.size() + 4 * edges.refined);
}

TEST(Render, RefusesWhatIsNoPicture) {
  const dag::FrozenDag dag = dense_dag(16, true, everywhere);
  const auto refused = [&](auto change) {
    render::RenderOptions options = options_for(dag);
    change(options);
    EXPECT_THROW(picture(dag, options), Error);
  };
  refused([](render::RenderOptions& o) { o.size = {0, 100}; });
  refused([](render::RenderOptions& o) { o.size = {100000, 100000}; });
  refused([](render::RenderOptions& o) { o.pose.eye = o.pose.target; });
  refused([](render::RenderOptions& o) { o.samples = 0; });
  refused([](render::RenderOptions& o) { o.to_sun = {0, 0, 0}; });
}

// Tests pictures that are made band by band: together the bands are the whole picture.

using render::RowBand;

constexpr render::ImageSize kPicture = {83, 141};
constexpr RowBand kBands[] = {{0, 32}, {32, 96}, {96, 128}, {128, 141}};

render::RenderOptions view_of(const dag::FrozenDag& dag) {
  render::RenderOptions options;
  options.size = kPicture;
  options.pose = render::framing(render::outline(dag), "iso", 0, 40, kPicture);
  return options;
}

void expect_bands_are_the_whole(render::Renderer& renderer, render::RenderOptions options) {
  const render::Picture whole = renderer.render(options);
  std::vector<scene::Rgba8> pixels;
  uint64_t rays = 0, refined = 0;
  for (const RowBand& band : kBands) {
    options.band = band;
    const render::Picture part = renderer.render(options);
    EXPECT_EQ(part.image.width, kPicture.width);
    EXPECT_EQ(part.image.height, band.end - band.begin);
    EXPECT_EQ(part.low, whole.low);
    EXPECT_EQ(part.high, whole.high);
    pixels.insert(pixels.end(), part.image.pixels.begin(), part.image.pixels.end());
    rays += part.rays;
    refined += part.refined;
  }
  EXPECT_EQ(pixels, whole.image.pixels);
  EXPECT_EQ(rays, whole.rays);
  EXPECT_EQ(refined, whole.refined);
}

TEST(RowBand, BandsAreTheWholePictureInEveryMode) {
  const auto engine = test_engine();
  const dag::FrozenDag dag = dense_dag(64, true, shell);
  const auto renderer = render::make_renderer(engine->handle(), dag, distinct_palette());
  for (const render::Shade shade : {render::Shade::Material, render::Shade::Depth, render::Shade::Normal,
                                    render::Shade::Level, render::Shade::Sharing}) {
    render::RenderOptions options = view_of(dag);
    options.shade = shade;
    expect_bands_are_the_whole(*renderer, options);
    options.samples = 3;
    expect_bands_are_the_whole(*renderer, options);
    options.sampling = render::Sampling::Edges;
    options.ao_rays = shade == render::Shade::Material ? 4 : 0;
    options.normals = render::Normals::Smooth;
    options.skies = render::Sky::Gradient;
    expect_bands_are_the_whole(*renderer, options);
  }
}

TEST(RowBand, OnlyBandsOfThePictureAreMade) {
  const auto engine = test_engine();
  const dag::FrozenDag dag = dense_dag(16, true, shell);
  const auto renderer = render::make_renderer(engine->handle(), dag, distinct_palette());
  for (const RowBand wrong : {RowBand{0, 0}, {16, 64}, {0, 40}, {64, 32}, {128, 160}, {160, 170}}) {
    render::RenderOptions options = view_of(dag);
    options.band = wrong;
    EXPECT_THROW(renderer->render(options), Error) << wrong.begin << ' ' << wrong.end;
  }
}

// Tests pictures that several ranks render together: they equal those that one rank renders.

render::RenderOptions view_of(const dag::FrozenDag& dag, render::ImageSize size) {
  render::RenderOptions options;
  options.size = size;
  options.samples = 4;
  options.sampling = render::Sampling::Edges;
  options.pose = render::framing(render::outline(dag), "iso", 0, 40, size);
  return options;
}

void expect_same(const render::Picture& together, const render::Picture& one) {
  EXPECT_EQ(together.image.width, one.image.width);
  EXPECT_EQ(together.image.height, one.image.height);
  EXPECT_EQ(together.image.pixels, one.image.pixels);
  EXPECT_EQ(together.low, one.low);
  EXPECT_EQ(together.high, one.high);
  EXPECT_EQ(together.rays, one.rays);
  EXPECT_EQ(together.refined, one.refined);
}

TEST(PictureShare, AGroupTakesThePicturesOfOne) {
  const dag::FrozenDag dag = dense_dag(64, true, shell);
  const auto engine = test_engine();
  const auto one = render::make_renderer(engine->handle(), dag, distinct_palette());
  for (const uint32_t ranks : {1, 2, 3, 5}) {
    const Engine group = rank_engines(ranks);
    const auto together = render::make_renderer(group.handles(), dag, distinct_palette());
    for (const render::ImageSize size : {render::ImageSize{70, 500}, {33, 97}, {200, 20}, {1, 1}})
      for (const render::Shade shade :
           {render::Shade::Material, render::Shade::Depth, render::Shade::Sharing}) {
        render::RenderOptions options = view_of(dag, size);
        options.shade = shade;
        expect_same(together->render(options), one->render(options));
      }
    EXPECT_EQ(together->slice({.axis = 1, .at = 5, .most = {64, 64}}).image.pixels,
              one->slice({.axis = 1, .at = 5, .most = {64, 64}}).image.pixels);
  }
}

// Bands of later pictures are rendered before earlier pictures are finished.
TEST(PictureShare, RanksTakePicturesOfAFilmOneAfterTheOther) {
  const dag::FrozenDag dag = dense_dag(32, true, shell);
  const auto engine = test_engine();
  const auto one = render::make_renderer(engine->handle(), dag, distinct_palette());
  constexpr render::ImageSize kSizes[] = {{40, 300}, {40, 30}, {40, 70}, {40, 900}, {40, 64}};
  std::vector<render::Picture> film;
  ranks::run_thread_ranks(3, [&](ranks::Ranks& ranks) {
    const auto own = make_engine({.device = test_device(), .memory_limit = uint64_t{4} << 30});
    const auto shared =
        render::shared_renderer(ranks, render::make_renderer(own->handle(), dag, distinct_palette()));
    for (const render::ImageSize size : kSizes) {
      render::Picture picture = shared->render(view_of(dag, size));
      if (ranks.rank() == 0)
        film.push_back(std::move(picture));
      else
        EXPECT_TRUE(picture.image.pixels.empty());
    }
  });
  ASSERT_EQ(film.size(), std::size(kSizes));
  for (size_t i = 0; i < film.size(); ++i) expect_same(film[i], one->render(view_of(dag, kSizes[i])));
}

TEST(PictureShare, APictureThatOneCannotTakeFailsOnAll) {
  const dag::FrozenDag dag = dense_dag(16, true, shell);
  const Engine group = rank_engines(3);
  const auto together = render::make_renderer(group.handles(), dag, distinct_palette());
  render::RenderOptions options = view_of(dag, {64, 640});
  options.to_sun = {0, 0, 0};
  EXPECT_THROW(together->render(options), Error);
  options = view_of(dag, {64, 640});
  options.size = {0, 10};
  EXPECT_THROW(together->render(options), Error);
}

TEST(PictureShare, PicturesOfVolumesAreTheSame) {
  const volume::Volume volume = memory_volume({40, 30, 50}, volume::ValueType::U8, [](Int3 v) {
    return v.x + v.y < 20 ? 0u : static_cast<uint32_t>(v.x * v.y + v.z) & 0xff;
  });
  const auto engine = test_engine();
  const bricks::FrozenBricks bricks =
      bricks::build_bricks(engine->handle(), volume,
                           {.log2_side = 3, .types = bricks::kAllBrickTypes, .threshold = {}})
          .bricks;
  const VoxelBox box = render::VolumeSpace(bricks.info).around(bricks.info.box());
  constexpr render::ImageSize kSize = {120, 213};
  render::VolumeRenderOptions options = {.pose = render::framing({&box, 1}, "iso", 20, 40, kSize),
                                         .size = kSize};
  const auto one = render::make_volume_renderer(engine->handle(), bricks);
  for (const uint32_t ranks : {1, 2, 3}) {
    const Engine group = rank_engines(ranks);
    const auto together = render::make_volume_renderer(group.handles(), bricks);
    EXPECT_EQ(together->range().low, one->range().low);
    EXPECT_EQ(together->range().high, one->range().high);
    for (const std::optional<double> iso : {std::optional<double>(), std::optional(0.4)}) {
      options.iso = iso;
      expect_same(together->render(options), one->render(options));
    }
  }
}

}  // namespace
}  // namespace vox
