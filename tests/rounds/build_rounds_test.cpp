// Tests scenes that a device builds in rounds: they are bit for bit what it builds at once.
#include "libvox/rounds/build_rounds.h"

#include <gtest/gtest.h>

#include "libvox/base/error.h"
#include "libvox/base/memory.h"
#include "tests/common/test_engine.h"
#include "tests/dag/same_dag.h"
#include "tests/voxelize/textured.h"

namespace vox {
namespace {

using rounds::SpillOptions;
using voxelize::BuildOptions;

rounds::RoundsResult in_rounds(Engine& engine, const Soup& soup, uint32_t resolution,
                               const BuildOptions& options, const SpillOptions& spill) {
  return engine.build_in_rounds(soup.scene, soup.indexed, unit_grid(resolution), options, spill);
}

// Rounds, pieces and portions of several sizes make what is made at once.
void expect_same(const Soup& soup, uint32_t resolution, const BuildOptions& options = {}) {
  const auto engine = test_engine({.memory_limit = uint64_t{4} << 30});
  const voxelize::BuildResult once = build(*engine, soup, resolution, options);
  const SpillOptions ways[] = {{},
                               {.pieces = 1},
                               {.pieces = 5},
                               {.pieces = 40, .nodes_at_once = 100, .least_portions = 3},
                               {.pieces = 3, .nodes_at_once = 1000, .least_portions = 50}};
  for (const SpillOptions& spill : ways) {
    SCOPED_TRACE(testing::Message() << resolution << "³, " << spill.pieces << " pieces");
    const rounds::RoundsResult result = in_rounds(*engine, soup, resolution, options, spill);
    expect_equal(once.dag, result.whole.dag);
    for (size_t level = 0; level < once.dag.levels.size(); ++level)
      ASSERT_EQ(once.dag.levels[level].places.starts(), result.whole.dag.levels[level].places.starts());
    EXPECT_NO_THROW(dag::verify(result.whole.dag));
    EXPECT_LE(result.figures.rounds, std::max(spill.pieces, 1u));
    const bool is_large = once.dag.unique_nodes() > 50000;
    EXPECT_GE(result.figures.rounds, spill.pieces > 1 && is_large ? 2u : 1u);
    EXPECT_GE(result.figures.nodes + 64, once.dag.unique_nodes() / 2);
  }
}

TEST(BuildInRounds, MakesWhatIsMadeAtOnce) {
  expect_same(textured_sphere(600, 12, 1), 600);
  expect_same(textured_sphere(550, 9, 2), 550, {.materials = false});
  expect_same(textured_sphere(300, 9, 3), 300, {.coverage = scene::Coverage::Thin});
  expect_same(bumpy_sphere({700, 650, 600}, 500, 30, 0.1, 8), 1400);
}

// Also scenes of a single leaf, which is the root.
TEST(BuildInRounds, ScenesOfEveryDepthAreTheSame) {
  for (const uint32_t resolution : {1u, 4u, 5u, 8u, 31u, 64u, 256u, 257u})
    expect_same(textured_sphere(resolution, 6, resolution), resolution);
}

TEST(BuildInRounds, ACornerOfALargeGridIsTheSame) {
  Soup corner = cube(1.5, 90.25);
  expect_same(corner, 4096);
  corner.add({{{5000, 5000, 5000}, {5100, 5010, 5000}, {5000, 5040, 5090}}});
  expect_same(corner, 8192, {.materials = false});
}

TEST(BuildInRounds, FilledChunkCellsAreHomogeneous) {
  Soup filled;  // every layer of voxels of the first chunk cell has its triangles
  for (int z = 0; z < 256; ++z) {
    filled.add({{{0, 0, z + 0.5}, {256, 0, z + 0.5}, {0, 256, z + 0.5}}});
    filled.add({{{256, 0, z + 0.5}, {256, 256, z + 0.5}, {0, 256, z + 0.5}}});
  }
  filled.add({{{300, 300, 300}, {310, 300, 300}, {300, 310, 300}}});
  expect_same(filled, 512, {.materials = false});
}

TEST(BuildInRounds, AnEmptySceneIsEmpty) {
  expect_same(Soup(), 300);
  Soup outside;
  outside.add({{{-50, -50, -50}, {-20, -50, -50}, {-50, -20, -50}}});
  expect_same(outside, 3000);
}

// A processor's limit bounds the whole process, what it holds already included.
TEST(BuildInRounds, WithLittleMemoryThereAreMoreRounds) {
  const Soup soup = textured_sphere(3000, 40, 6);
  auto engine = test_engine({.memory_limit = uint64_t{8} << 30});
  const voxelize::BuildResult once = build(*engine, soup, 3000);
  engine.reset();
  const uint64_t room = once.peak_device_bytes / 3;
  const auto small = test_engine({.memory_limit = room + (test_device() == "cpu" ? resident_bytes() : 0)});
  const rounds::RoundsResult result = in_rounds(*small, soup, 3000, {}, {});
  expect_equal(once.dag, result.whole.dag);
  EXPECT_GT(result.figures.rounds, 2u);
  EXPECT_LE(result.whole.peak_device_bytes, room);
}

TEST(BuildInRounds, SolidScenesAreRefused) {
  EXPECT_THROW(in_rounds(*test_engine(), cube(2, 9), 16, {.solid = true}, {}), UsageError);
}

}  // namespace
}  // namespace vox
