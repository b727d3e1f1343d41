// Tests scenes that a device builds in rounds: they are bit for bit the scenes that it builds at once.
#include "libvox/build/build_scene.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <vector>

#include "libvox/base/process.h"
#include "libvox/scene/palette.h"
#include "libvox/scene/procedural/procedural.h"
#include "tests/common/random.h"
#include "tests/common/test_engine.h"
#include "tests/dag/dense_dag.h"
#include "tests/ranks/rank_engines.h"
#include "tests/voxelize/soup.h"

namespace vox {
namespace {

using build::SpillOptions;
using voxelize::BuildOptions;

// Expects the same result for rounds, pieces and portions of several sizes as for a build at once.
void expect_same_on(const voxelize::Grid& grid, const scene::Scene& scene, const scene::IndexedScene& indexed,
                    const BuildOptions& options) {
  const auto engine = test_engine({.memory_limit = uint64_t{4} << 30});
  const voxelize::BuildResult once = engine->build(scene, indexed, grid, options);
  // On a GPU a portion has a fixed cost, equal to that of a million nodes.
  const uint64_t portion = std::max<uint64_t>(100, once.dag.unique_nodes() / 100);
  const SpillOptions many = {.pieces = 40, .nodes_at_once = portion, .least_portions = 3};
  const SpillOptions few = {
      .pieces = 3, .nodes_at_once = 10 * portion, .least_portions = test_on_gpu() ? 3u : 50u};
  std::vector<SpillOptions> ways = {few};
  if (!test_on_gpu() && kThoroughness > 1) ways.push_back({});
  if (!test_on_gpu()) ways.push_back(many);
  EXPECT_NO_THROW(dag::verify(once.dag));
  BuildOptions in_tiles = options;
  for (const SpillOptions& spill : ways) {
    SCOPED_TRACE(testing::Message() << grid.resolution << "³, " << spill.pieces << " pieces");
    in_tiles.tile_side = in_tiles.tile_side == 0 ? 256 : 0;
    const BuiltScene result = built_in(*engine, {scene, indexed, grid, in_tiles}, {.spill = spill});
    expect_equal(once.dag, result.whole.dag);
    EXPECT_EQ(once.solid.open_rays, result.whole.solid.open_rays);
    EXPECT_EQ(once.solid.disputed_voxels, result.whole.solid.disputed_voxels);
    EXPECT_EQ(once.solid.duplicates, result.whole.solid.duplicates);
    for (size_t level = 0; level < once.dag.levels.size(); ++level)
      ASSERT_EQ(once.dag.levels[level].places.starts(), result.whole.dag.levels[level].places.starts());
    EXPECT_LE(result.figures.rounds, std::max(spill.pieces, 1u));
    const bool is_large = once.dag.unique_nodes() > 50000;
    EXPECT_GE(result.figures.rounds, spill.pieces > 1 && is_large ? 2u : 1u);
    EXPECT_GE(result.figures.nodes + 64, once.dag.unique_nodes() / 2);
  }
  Engine several = rank_engines(3);
  in_tiles.tile_side = 256;
  const BuiltScene result = built_in(several, {scene, indexed, grid, in_tiles}, {.spill = ways.back()});
  expect_equal(once.dag, result.whole.dag);
  EXPECT_EQ(once.solid.open_rays, result.whole.solid.open_rays);
  EXPECT_EQ(once.solid.disputed_voxels, result.whole.solid.disputed_voxels);
  EXPECT_EQ(once.solid.duplicates, result.whole.solid.duplicates);
}

void expect_same(const Soup& soup, uint32_t resolution, const BuildOptions& options = {}) {
  expect_same_on(unit_grid(resolution), soup.scene, soup.indexed, options);
}

std::vector<uint32_t> resolutions_on_device() {
  if (test_on_gpu() || kThoroughness == 1) return {1, 31, 257};
  return {1, 4, 5, 8, 31, 64, 256, 257};
}

TEST(BuildInRounds, MakesWhatIsMadeAtOnce) {
  expect_same(textured_sphere(600, 12, 1), 600);
  expect_same(textured_sphere(550, 9, 2), 550, {.materials = false});
  expect_same(textured_sphere(300, 9, 3), 300, {.coverage = scene::Coverage::Thin});
  expect_same(bumpy_sphere({700, 650, 600}, 500, 30, 0.1, 8), 1400);
}

// The depths include a scene of a single leaf, which is the root.
TEST(BuildInRounds, ScenesOfEveryDepthAreTheSame) {
  for (const uint32_t resolution : resolutions_on_device())
    expect_same(textured_sphere(resolution, 6, resolution), resolution);
}

TEST(BuildInRounds, ACornerOfALargeGridIsTheSame) {
  Soup corner = cube(1.5, 90.25);
  expect_same(corner, 4096);
  corner.add({{{5000, 5000, 5000}, {5100, 5010, 5000}, {5000, 5040, 5090}}});
  expect_same(corner, 8192, {.materials = false});
}

TEST(BuildInRounds, FilledChunkCellsAreHomogeneous) {
  const Soup filled = filled_chunk_cell();
  expect_same(filled, 512, {.materials = false});
}

TEST(BuildInRounds, AnEmptySceneIsEmpty) {
  expect_same(Soup(), 300);
  Soup outside;
  outside.add({{{-50, -50, -50}, {-20, -50, -50}, {-50, -20, -50}}});
  expect_same(outside, 3000);
}

// On a processor the limit bounds the whole process, including the memory that it already uses.
TEST(BuildInRounds, WithLittleMemoryThereAreMoreRounds) {
  if (kThoroughness == 1) GTEST_SKIP() << "a sanitizer takes memory, too";
  const Soup soup = textured_sphere(3000, 40, 6);
  auto engine = test_engine({.memory_limit = uint64_t{8} << 30});
  const voxelize::BuildResult once = build_soup(*engine, soup, 3000);
  engine.reset();
  const uint64_t room = once.peak_device_bytes / 3;
  const auto small = test_engine({.memory_limit = room + (test_device() == "cpu" ? resident_bytes() : 0)});
  const BuiltScene result =
      built_in(*small, {soup.scene, soup.indexed, unit_grid(3000), {}}, {.spill = SpillOptions()});
  expect_equal(once.dag, result.whole.dag);
  EXPECT_GT(result.figures.rounds, 2u);
  EXPECT_LE(result.whole.peak_device_bytes, room);
}

TEST(BuildInRounds, SolidScenesAreTheSame) {
  expect_same(textured_sphere(600, 10, 12), 600, {.solid = true});
  expect_same(textured_sphere(530, 9, 5), 530, {.materials = false, .solid = true});
  expect_same(bumpy_sphere({350, 300, 280}, 270, 9, 0.1, 13), 620,
              {.coverage = scene::Coverage::Thin, .solid = true});
  for (const uint32_t resolution : resolutions_on_device())
    expect_same(textured_sphere(resolution, 6, resolution), resolution, {.solid = true});
  expect_same(Soup(), 3000, {.solid = true});
}

// Bodies of all sizes overlap, and a ray is inside after an odd number of surfaces.
TEST(BuildInRounds, SolidScenesOfRandomBodiesAreTheSame) {
  for (uint64_t seed = 1; seed <= (test_on_gpu() || kThoroughness == 1 ? 1 : 3); ++seed) {
    Random random(seed);
    Soup bodies;
    for (uint32_t body = 0; body < 8; ++body) {
      const auto at = [&] { return random.uniform(-30, 550); };
      const Soup one =
          random.below(2) == 0
              ? bumpy_sphere({at(), at(), at()}, random.uniform(15, 200), 4, 0.2, seed + body)
              : tetrahedron({at(), at(), at()}, {at(), at(), at()}, {at(), at(), at()}, {at(), at(), at()});
      for (const scene::Triangle& triangle : one.scene.triangles) {
        const auto corner = [&](size_t i) { return one.scene.positions[triangle.position[i]]; };
        bodies.add({corner(0), corner(1), corner(2)});
      }
    }
    expect_same(bodies, 520, {.materials = seed % 2 == 0, .solid = true});
  }
}

// The surface begins left of the grid, and its rays leave the grid inside.
TEST(BuildInRounds, SolidScenesThatTheGridCutsOffAreTheSame) {
  expect_same(bumpy_sphere({50, 300, 300}, 490, 9, 0.1, 16), 600, {.solid = true});
  expect_same(bumpy_sphere({300, 300, 300}, 450, 9, 0.1, 17), 600, {.materials = false, .solid = true});
  Soup open = cube(60.2, 480.9);
  open.scene.triangles.resize(10);  // without its +x side
  expect_same(open, 512, {.solid = true});
}

// Chunk cells without a triangle are filled from above. Others have triangles and are completely full all
// the same.
TEST(BuildInRounds, ChunkCellsInsideAClosedCubeAreFilled) {
  expect_same(cube(100.2, 900.9), 1000, {.solid = true});
  expect_same(cube(-90, 1100), 1000, {.materials = false, .solid = true});
  expect_same(cube(256.5, 768.5), 900, {.solid = true});
}

TEST(BuildInRounds, ASolidVillageIsTheSame) {
  const scene::Scene village = scene::make_village({.texture_size = 16});
  const scene::IndexedScene indexed =
      scene::index_scene(village, scene::mesh_palette(village), scene::MaterialMode::Mesh);
  expect_same_on(voxelize::fit_grid(village, {.resolution = 900}), village, indexed, {.solid = true});
}

// The levels of the result are read from nameless files when they are used.
TEST(BuildInRounds, AResultThatStaysInAFolderIsTheSame) {
  const auto folder = std::filesystem::temp_directory_path();
  for (const BuildOptions& options : {BuildOptions(), BuildOptions{.materials = false, .solid = true}})
    for (const uint32_t resolution : {4u, 700u}) {
      const Soup soup = resolution == 4 ? textured_sphere(4, 6, 4) : textured_sphere(700, 40, 18);
      const auto engine = test_engine({.memory_limit = uint64_t{4} << 30});
      const voxelize::BuildResult once = build_soup(*engine, soup, resolution, options);
      for (const uint64_t nodes_at_once : {uint64_t{0}, once.dag.unique_nodes() / 5 + 1}) {
        const SpillOptions spill = {.place = SpillPlace(folder),
                                    .pieces = 5,
                                    .nodes_at_once = nodes_at_once,
                                    .least_portions = 3,
                                    .result_stays = true};
        const BuiltScene result =
            built_in(*engine, {soup.scene, soup.indexed, unit_grid(resolution), options}, {.spill = spill});
        EXPECT_TRUE(result.whole.dag.paged);
        expect_equal(once.dag, result.whole.dag);
        for (size_t level = 0; level < once.dag.levels.size(); ++level)
          ASSERT_EQ(once.dag.levels[level].places.starts(), result.whole.dag.levels[level].places.starts());
        EXPECT_NO_THROW(dag::verify(result.whole.dag));
      }
    }
}

}  // namespace
}  // namespace vox
