// Pictures by rays through the symmetric form of a scene, compared with those through its SVDAG.
#include "libvox/render/symmetric_rays.h"

#include <gtest/gtest.h>

#include "libvox/base/error.h"
#include "libvox/dag/symmetric_dag.h"
#include "libvox/render/render.h"
#include "tests/common/random.h"
#include "tests/common/test_engine.h"
#include "tests/measure/dense_cubes.h"
#include "tests/render/pictures.h"
#include "tests/render/traced.h"

namespace vox {
namespace {

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
