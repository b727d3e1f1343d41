// Pictures of scenes in other forms, with far levels or symmetric, are those of the same scenes in the usual form.
#include <gtest/gtest.h>

#include <algorithm>

#include "libvox/base/error.h"
#include "libvox/dag/symmetric_dag.h"
#include "libvox/render/render.h"
#include "libvox/render/symmetric_rays.h"
#include "tests/common/random.h"
#include "tests/common/test_engine.h"
#include "tests/dag/dense_dag.h"
#include "tests/measure/dense_cubes.h"
#include "tests/render/traced.h"

namespace vox {
namespace {

// Tests scenes with far levels, whose nodes rays find by their numbers, and scenes that rays read in place. Small
// scenes stand for those with 2^32 words a level: their pictures must be those of the same scenes with offsets.

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

// Pictures by rays through the symmetric form of a scene, compared with those through its SVDAG.

std::vector<render::RenderOptions> pictures_of(const dag::FrozenDag& dag) {
  std::vector<render::RenderOptions> pictures;
  for (const render::Shade shade :
       {render::Shade::Material, render::Shade::Depth, render::Shade::Normal, render::Shade::Level})
    for (const double farther : {0.3, 1.0, 8.0}) {
      render::RenderOptions options;
      options.size = {64, 50};
      options.pose =
          render::framing(render::outline(dag), farther == 1 ? "front" : "iso", 0, 40, options.size);
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
      options.sampling = render::Sampling::Edges;
      pictures.push_back(options);
    }
  return pictures;
}

void expect_same_pictures(render::Renderer& plain, render::Renderer& symmetric, const dag::FrozenDag& dag,
                          const std::string& name) {
  for (const render::RenderOptions& options : sampled(pictures_of(dag)))
    EXPECT_TRUE(plain.render(options).image.pixels == symmetric.render(options).image.pixels) << name;
  const uint32_t side = dag.side();
  for (uint32_t axis = 0; axis < 3; ++axis)
    for (const uint32_t layer : {0u, side / 3, side - 1})
      for (const uint32_t pixels : {side, side / 4}) {
        const render::SliceOptions slice = {.axis = axis, .at = layer, .most = {pixels, pixels}};
        EXPECT_TRUE(plain.slice(slice).image.pixels == symmetric.slice(slice).image.pixels) << name;
      }
}

// Cubes of 16 voxels a side, each with the same small box of voxels in it, turned at random.
int turned_boxes(uint32_t x, uint32_t y, uint32_t z) {
  const auto symmetry =
      static_cast<uint32_t>(mix64(x / 16 + 100 * (y / 16) + 10000 * (z / 16)) % kSymmetries);
  const uint32_t in[3] = {x % 16, y % 16, z % 16};
  uint32_t to[3] = {};
  for (uint32_t axis = 0; axis < 3; ++axis) to[kAxisPermutations[symmetry / 8][axis]] = in[axis];
  for (uint32_t axis = 0; axis < 3; ++axis)
    if ((symmetry >> axis & 1) != 0) to[axis] = 15 - to[axis];
  return to[0] < 3 && to[1] < 7 && to[2] < 12 && to[2] > 4 ? 0 : dag::kEmptyVoxel;
}

std::vector<CompressedScene> scenes_for_rays() {
  return {{"blocks", 64, blocks},
          {"pieces of 16", 64, turned_pieces(16, 3)},
          {"pieces of 4", 64, turned_pieces(4, 2)},
          {"shell", 64, shell},
          {"boxes", 64, turned_boxes},
          {"one leaf", 4, ball(4)},
          {"everywhere", 16, everywhere},
          {"nowhere", 16, nowhere}};
}

TEST(SymmetricRays, GiveThePicturesOfTheSvdag) {
  const auto engine = test_engine();
  for (const CompressedScene& scene : scenes_for_rays()) {
    const dag::FrozenDag dag = dense_dag(scene.resolution, false, scene.grid);
    const dag::SymmetricDag symmetric = dag::symmetric_dag(engine->handle(), dag);
    const auto plain = render::make_renderer(engine->handle(), dag, distinct_palette());
    const auto turned =
        render::make_renderer(engine->handle(), dag, distinct_palette(), {.symmetric = &symmetric});
    expect_same_pictures(*plain, *turned, dag, scene.name);
  }
}

TEST(SymmetricRays, FindTheColorsOfVoxels) {
  const auto engine = test_engine();
  for (const CompressedScene& scene : scenes_for_rays()) {
    const dag::FrozenDag dag = dense_dag(scene.resolution, false, scene.grid);
    if (dag.empty()) continue;
    const dag::SymmetricDag symmetric = dag::symmetric_dag(engine->handle(), dag);
    std::vector<uint32_t> list(dag.voxels);
    for (size_t i = 0; i < list.size(); ++i) list[i] = static_cast<uint32_t>(mix64(i)) & 0xffffff;
    const attributes::PackedValues colors = attributes::packed_values(list);
    const auto plain = render::make_renderer(engine->handle(), dag, scene::Palette(), {.colors = &colors});
    const auto turned = render::make_renderer(engine->handle(), dag, scene::Palette(),
                                              {.colors = &colors, .symmetric = &symmetric});
    expect_same_pictures(*plain, *turned, dag, scene.name);
  }
}

TEST(SymmetricRays, NeedAColorForEachVoxel) {
  const auto engine = test_engine();
  const dag::FrozenDag dag = dense_dag(64, false, shell);
  const dag::SymmetricDag symmetric = dag::symmetric_dag(engine->handle(), dag);
  const std::vector<uint32_t> list(dag.voxels - 1);
  const attributes::PackedValues colors = attributes::packed_values(list);
  EXPECT_THROW(render::make_renderer(engine->handle(), dag, scene::Palette(), {.colors = &colors}), Error);
  EXPECT_THROW(render::make_renderer(engine->handle(), dag, scene::Palette(),
                                     {.colors = &colors, .symmetric = &symmetric}),
               Error);
}

// Rays that begin anywhere and go anywhere, also such as no camera has, hit the same boxes.
TEST(SymmetricRays, HitWhatTheyHitInTheSvdag) {
  device::CpuDevice device(0, false);
  for (const CompressedScene& scene : scenes_for_rays()) {
    const Traced traced(scene.resolution, scene.grid);
    const dag::FrozenDag plain = dense_dag(scene.resolution, false, scene.grid);
    const render::RayDag<device::CpuDevice> rays(device, plain);
    render::SymmetricRays<device::CpuDevice> symmetric(device, dag::symmetric_dag(device, plain));
    Random random(5);
    uint32_t hits = 0;
    for (uint32_t i = 0; i < 200 * kThoroughness; ++i) {
      const render::Ray ray = random_ray(traced, random);
      const render::Hit expected = render::trace(rays.ref(), ray);
      const auto hit = render::trace(symmetric.ref(), ray);
      EXPECT_TRUE(hit == expected) << scene.name;
      hits += expected.found();
    }
    EXPECT_TRUE(plain.empty() || hits > 10) << scene.name;
  }
}

// Boxes of nodes that are wider than 1024 voxels are rounded, in the same way on both sides.
TEST(SymmetricRays, HaveTheBoxesOfWideNodes) {
  device::CpuDevice device(0, false);
  const dag::FrozenDag plain = [] {
    dag::FrozenDag dag = dense_dag(64, false, turned_boxes);
    // Six levels more, each with its one child in another octant.
    for (const uint32_t octant : {5u, 2u, 7u, 1u, 6u, 3u}) {
      dag::DagLevel root;
      root.words = {1u << octant, 0};
      root.nodes = 1;
      dag.levels.insert(dag.levels.begin(), std::move(root));
    }
    dag.resolution = 4096;
    dag::place_nodes(dag);
    return dag;
  }();
  render::RayDag<device::CpuDevice> rays(device, plain);
  rays.set_boxes(render::bound_nodes(device, rays.ref(), dag::kLeafLog2 + 1), dag::kLeafLog2 + 1);
  render::SymmetricRays<device::CpuDevice> symmetric(device, dag::symmetric_dag(device, plain));
  symmetric.make_boxes(device);
  const render::RayDagRef a = rays.ref();
  const render::SymmetricRayRef b = symmetric.ref();
  Random random(6);
  uint32_t found = 0;
  for (uint32_t i = 0; i < 2000 * kThoroughness; ++i) {
    const auto place = [&] { return static_cast<int32_t>(random.below(4096)); };
    const Int3 voxel = {place(), place(), place()};
    for (uint32_t log2 = 3; log2 <= 12; ++log2) {
      const uint32_t* const node = a.node_at(voxel, log2);
      const render::SymmetricNode same = b.node_at(voxel, log2);
      ASSERT_EQ(node == nullptr, same == nullptr);
      if (node == nullptr) continue;
      ++found;
      const render::NodeBox expected = a.box(node, log2), box = b.box(same, log2);
      EXPECT_TRUE(box.low == expected.low && box.high == expected.high) << log2;
    }
  }
  EXPECT_GT(found, 1000u);
}

TEST(SymmetricRays, DoNotShowHowNodesAreShared) {
  const auto engine = test_engine();
  const dag::FrozenDag dag = dense_dag(64, false, shell);
  const dag::SymmetricDag symmetric = dag::symmetric_dag(engine->handle(), dag);
  const auto renderer =
      render::make_renderer(engine->handle(), dag, distinct_palette(), {.symmetric = &symmetric});
  render::RenderOptions options;
  options.size = {20, 20};
  options.pose = render::framing(render::outline(dag), "iso", 0, 40, options.size);
  options.shade = render::Shade::Sharing;
  EXPECT_THROW(renderer->render(options), Error);
}

}  // namespace
}  // namespace vox
