// Tests scenes with far levels, whose nodes rays find by their numbers, and scenes that rays read in place. Small
// scenes stand for those with 2^32 words a level: their pictures must be those of the same scenes with offsets.

#include <gtest/gtest.h>

#include <algorithm>

#include "libvox/render/render.h"
#include "tests/common/random.h"
#include "tests/common/test_engine.h"
#include "tests/dag/dense_dag.h"
#include "tests/render/pictures.h"
#include "tests/render/traced.h"

namespace vox {
namespace {

constexpr render::ImageSize kFarSize = {40, 34};
constexpr render::Shade kShades[] = {render::Shade::Material, render::Shade::Depth, render::Shade::Normal,
                                     render::Shade::Level, render::Shade::Sharing};

// Voxels in 64 kinds of leaves, in any order, so that the level above the leaves has the most words.
int tiles(uint32_t x, uint32_t y, uint32_t z) {
  const uint64_t kind = mix64(x / 4 + 100 * (y / 4) + 10000 * (z / 4)) % 64;
  const uint64_t voxel = mix64(kind << 20 | (x % 4) << 8 | (y % 4) << 4 | z % 4);
  return voxel % 20 == 0 ? static_cast<int>(voxel >> 32 & 15) : dag::kEmptyVoxel;
}

uint64_t most_words(const dag::FrozenDag& dag) {
  uint64_t most = 0;
  for (const dag::DagLevel& level : dag.levels) most = std::max<uint64_t>(most, level.words.size());
  return most;
}

// Returns options for every way of shading. The eye is so far away, or so near, that rays stop at wide nodes, at
// narrow ones, and at voxels.
std::vector<render::RenderOptions> all_pictures(const dag::FrozenDag& dag) {
  std::vector<render::RenderOptions> pictures;
  for (const render::Shade shade : kShades)
    for (const double farther : {0.3, 8.0}) {
      render::RenderOptions options;
      options.size = kFarSize;
      options.pose = render::framing(render::outline(dag), "iso", 0, 40, kFarSize);
      options.pose.eye = options.pose.target + (options.pose.eye - options.pose.target) * farther;
      options.shade = shade;
      options.ao_rays = 4;
      options.samples = 2;
      pictures.push_back(options);
      options.normals = render::Normals::Smooth;
      options.colors = render::LevelColors::Mean;
      options.ground = render::Ground::On;
      pictures.push_back(options);
      options.lod = render::LevelOfDetail::Off;
      pictures.push_back(options);
      options.normals = render::Normals::Faces;
      options.sampling = render::Sampling::Edges;
      pictures.push_back(options);
    }
  return pictures;
}

void expect_same_slices(render::Renderer& a, render::Renderer& b, uint32_t side) {
  for (uint32_t axis = 0; axis < 3; ++axis)
    for (const uint32_t layer : {0u, side / 3, side - 1})
      for (const uint32_t pixels : {side, side / 4, side / 16}) {
        const render::SliceOptions options = {.axis = axis, .at = layer, .most = {pixels, pixels}};
        EXPECT_TRUE(a.slice(options).image.pixels == b.slice(options).image.pixels) << axis << ' ' << layer;
      }
}

TEST(FarLevels, HaveThePicturesOfLevelsWithOffsets) {
  const auto engine = test_engine();
  for (const DenseGrid& grid : {DenseGrid(shell), DenseGrid(blocks), DenseGrid(tiles)}) {
    const dag::FrozenDag dag = dense_dag(64, true, grid);
    const auto near = render::make_renderer(engine->handle(), dag, distinct_palette());
    const auto all = render::make_renderer(engine->handle(), dag, distinct_palette(), {.far_words = 0});
    const auto one =
        render::make_renderer(engine->handle(), dag, distinct_palette(), {.far_words = most_words(dag)});
    for (const render::RenderOptions& options : all_pictures(dag)) {
      const render::Picture expected = near->render(options);
      EXPECT_TRUE(all->render(options).image.pixels == expected.image.pixels) << int(options.shade);
      EXPECT_TRUE(one->render(options).image.pixels == expected.image.pixels) << int(options.shade);
    }
    expect_same_slices(*near, *all, 64);
    expect_same_slices(*near, *one, 64);
  }
}

// Only the leaves are far, or only the level above them.
TEST(FarLevels, AreThoseWithAtLeastSoManyWords) {
  device::CpuDevice device(0, false);
  const auto far_levels = [&](const DenseGrid& grid, uint64_t more) {
    const dag::FrozenDag dag = dense_dag(64, true, grid);
    const render::RayDag<device::CpuDevice> rays(device, dag, most_words(dag) + more);
    uint32_t far = 0;
    for (uint32_t log2 = dag::kLeafLog2; log2 <= rays.ref().log2_side; ++log2)
      far |= rays.ref().is_far(log2) ? 1u << log2 : 0;
    return far;
  };
  EXPECT_EQ(far_levels(shell, 0), 1u << dag::kLeafLog2);
  EXPECT_EQ(far_levels(tiles, 0), 1u << (dag::kLeafLog2 + 1));
  EXPECT_EQ(far_levels(tiles, 1), 0u);
}

TEST(FarLevels, AnEmptySceneAndASingleLeafHavePicturesToo) {
  const auto engine = test_engine();
  for (const DenseGrid& grid : {DenseGrid(nowhere), DenseGrid(everywhere)})
    for (const uint32_t resolution : {4u, 8u}) {
      dag::FrozenDag dag = dense_dag(resolution, true, grid);
      const auto near = render::make_renderer(engine->handle(), dag, distinct_palette());
      const auto far = render::make_renderer(engine->handle(), dag, distinct_palette(), {.far_words = 0});
      dag::FrozenDag paged = dag;
      paged.paged = true;
      const auto in_place = render::make_renderer(engine->handle(), paged, distinct_palette());
      for (const render::RenderOptions& options : all_pictures(dag)) {
        const render::Picture expected = near->render(options);
        EXPECT_TRUE(far->render(options).image.pixels == expected.image.pixels);
        EXPECT_TRUE(in_place->render(options).image.pixels == expected.image.pixels);
      }
    }
}

// Without memory for levels of detail, a picture from afar shows the voxels themselves.
TEST(LevelOfDetail, IsLeftOutWhereTheMemoryHasNoRoomForIt) {
  const auto engine = test_engine();
  const dag::FrozenDag dag = dense_dag(64, true, DenseGrid(tiles));
  const auto full = render::make_renderer(engine->handle(), dag, distinct_palette());
  const auto none = render::make_renderer(engine->handle(), dag, distinct_palette(), {.detail_memory = 0});
  int different = 0;  // pictures that show smaller nodes otherwise
  for (render::RenderOptions options : all_pictures(dag)) {
    options.size = {8, 8};  // a pixel is as wide as several voxels
    options.lod = render::LevelOfDetail::On;
    options.shade = render::Shade::Material;
    options.colors = render::LevelColors::Mean;
    different += full->render(options).image.pixels != none->render(options).image.pixels ? 1 : 0;
    options.shade = render::Shade::Depth;
    const render::Picture got = none->render(options);
    options.lod = render::LevelOfDetail::Off;
    EXPECT_TRUE(full->render(options).image.pixels == got.image.pixels);
  }
  EXPECT_GT(different, 0);
}

// A paged scene is read in place on the CPU. On a GPU it is a copy, which has the same pictures in any case.
TEST(PagedScene, HasTheSamePicturesWithoutLevelOfDetail) {
  const auto engine = test_engine();
  for (const DenseGrid& grid : {DenseGrid(shell), DenseGrid(blocks), DenseGrid(tiles)}) {
    const dag::FrozenDag dag = dense_dag(64, true, grid);
    dag::FrozenDag paged = dag;
    paged.paged = true;
    const auto copied = render::make_renderer(engine->handle(), dag, distinct_palette());
    const auto in_place = render::make_renderer(engine->handle(), paged, distinct_palette());
    for (render::RenderOptions options : all_pictures(dag)) {
      options.lod = render::LevelOfDetail::Off;
      EXPECT_TRUE(copied->render(options).image.pixels == in_place->render(options).image.pixels)
          << int(options.shade);
    }
    expect_same_slices(*copied, *in_place, 64);
  }
}

// Returns the share of pixels that differ between two pictures by more than `seen` in any color.
double share_of_different(const render::Picture& a, const render::Picture& b, int seen) {
  size_t different = 0;
  for (size_t i = 0; i < a.image.pixels.size(); ++i) {
    const scene::Rgba8 p = a.image.pixels[i], q = b.image.pixels[i];
    const int most = std::max({std::abs(p.r - q.r), std::abs(p.g - q.g), std::abs(p.b - q.b)});
    different += most > seen;
  }
  return static_cast<double>(different) / static_cast<double>(a.image.pixels.size());
}

// The boxes of nodes are estimated if rays read a scene in place. A pixel is 5 to 10 voxels
// wide here.
TEST(PagedScene, HasNearlyTheSamePicturesWithLevelOfDetail) {
  const DenseGrid ball = [](uint32_t x, uint32_t y, uint32_t z) {
    const int64_t dx = int64_t{x} - 64, dy = int64_t{y} - 64, dz = int64_t{z} - 64;
    const int64_t r2 = dx * dx + dy * dy + dz * dz;
    return r2 >= 58 * 58 && r2 <= 60 * 60 ? static_cast<int>(x / 16 + z / 16) % 16 : dag::kEmptyVoxel;
  };
  const auto engine = make_engine({.device = "cpu"});
  const dag::FrozenDag dag = dense_dag(128, true, ball);
  dag::FrozenDag paged = dag;
  paged.paged = true;
  const auto copied = render::make_renderer(engine->handle(), dag, distinct_palette());
  const auto in_place = render::make_renderer(engine->handle(), paged, distinct_palette());
  for (const double farther : {1.0, 2.0})
    for (const render::Shade shade : {render::Shade::Depth, render::Shade::Material}) {
      render::RenderOptions options;
      options.size = {30, 25};
      options.pose = render::framing(render::outline(dag), "iso", 0, 40, options.size);
      options.pose.eye = options.pose.target + (options.pose.eye - options.pose.target) * farther;
      options.shade = shade;
      const double share = share_of_different(copied->render(options), in_place->render(options), 12);
      EXPECT_LT(share, 0.02) << farther;  // it is at most 0.004
    }
}

TEST(PagedScene, EstimatedBoxesAreLessThanAQuarterOfANodeWider) {
  int compared = 0, wider = 0;
  for (const DenseGrid& grid : {DenseGrid(shell), DenseGrid(blocks), DenseGrid(tiles), scattered(500)}) {
    const Traced scene(64, grid);
    const render::RayDagRef ref = scene.dag.ref();
    for (uint32_t log2 = dag::kLeafLog2 + 1; log2 <= scene.log2_side(); ++log2) {
      const auto cells = static_cast<int32_t>(64u >> log2), quarter = 1 << (log2 - 2);
      for (int32_t i = 0; i < cells * cells * cells; ++i) {
        const Int3 cell = {i % cells, i / cells % cells, i / cells / cells};
        const uint32_t* node = ref.node_at(cell * (1 << log2), log2);
        if (node == nullptr) continue;
        const render::NodeBox exact = ref.box(node, log2), estimated = ref.estimated_box(node, log2);
        ++compared;
        for (uint32_t axis = 0; axis < 3; ++axis) {
          const int32_t low = exact.low[axis] - estimated.low[axis],
                        high = estimated.high[axis] - exact.high[axis];
          EXPECT_GE(low, 0);
          EXPECT_GE(high, 0);
          EXPECT_LT(low, quarter);
          EXPECT_LT(high, quarter);
          wider += low > 0 || high > 0;
        }
      }
    }
  }
  EXPECT_GT(compared, 1000);
  EXPECT_GT(wider, 100);
}

}  // namespace
}  // namespace vox
