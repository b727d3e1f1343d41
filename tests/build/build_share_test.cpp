// Tests scenes that several ranks build together: they are bit for bit the scenes that one device builds.

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "libvox/base/error.h"
#include "libvox/build/piece_plan.h"
#include "libvox/build/shared_store.h"
#include "libvox/ranks/ranks.h"
#include "tests/common/random.h"
#include "tests/common/test_engine.h"
#include "tests/dag/dense_dag.h"
#include "tests/ranks/rank_engines.h"
#include "tests/voxelize/soup.h"

namespace vox {
namespace {

using voxelize::BuildOptions;

std::vector<uint32_t> rank_counts() {
  return test_on_gpu() || kThoroughness == 1 ? std::vector<uint32_t>{3} : std::vector<uint32_t>{2, 5};
}

// Expects that ranks together build the same scene as one engine.
void expect_together(const Soup& soup, uint32_t resolution, const BuildOptions& options = {},
                     const std::vector<uint32_t>& counts = rank_counts()) {
  const voxelize::BuildResult one = build_soup(*test_engine(), soup, resolution, options);
  EXPECT_NO_THROW(dag::verify(one.dag));
  for (const uint32_t ranks : counts) {
    SCOPED_TRACE(ranks);
    Engine engine = rank_engines(ranks);
    const voxelize::BuildResult together = build_soup(engine, soup, resolution, options);
    expect_equal(one.dag, together.dag);
    EXPECT_EQ(one.solid.open_rays, together.solid.open_rays);
    EXPECT_EQ(one.solid.disputed_voxels, together.solid.disputed_voxels);
    EXPECT_EQ(one.solid.duplicates, together.solid.duplicates);
  }
}

TEST(BuildShare, EveryNumberOfRanksBuildsWhatOneDeviceBuilds) {
  expect_together(textured_sphere(600, 12, 1), 600, {}, {1, 2, 3, 5});
  expect_together(textured_sphere(550, 9, 2), 550, {.materials = false});
  expect_together(textured_sphere(300, 9, 3), 300, {.coverage = scene::Coverage::Thin});
}

TEST(BuildShare, SolidScenesAreTheSame) {
  expect_together(textured_sphere(600, 10, 13), 600, {.solid = true, .tile_side = 256});
  expect_together(bumpy_sphere({260, 250, 255}, 100, 8, 0.2, 4), 520, {.solid = true});
  expect_together(textured_sphere(260, 9, 5), 260, {.materials = false, .solid = true});
  expect_together(textured_sphere(530, 10, 12), 530, {.coverage = scene::Coverage::Thin, .solid = true});
  expect_together(bumpy_sphere({350, 300, 280}, 270, 9, 0.1, 13), 620, {.materials = false, .solid = true});
}

// Rounds have few rows, and rows take several chunks.
TEST(BuildShare, SolidScenesOfTinyChunksAreTheSame) {
  const uint64_t more = test_on_gpu() ? 10 : 1;
  expect_together(textured_sphere(600, 7, 14), 600, {.solid = true, .chunk_pairs = 5000 * more});
  expect_together(bumpy_sphere({300, 280, 320}, 270, 5, 0.2, 15), 610,
                  {.materials = false, .solid = true, .chunk_pairs = 1700 * more});
}

// The surface begins left of the grid, and its rays leave the grid inside.
TEST(BuildShare, SolidScenesThatTheGridCutsOffAreTheSame) {
  expect_together(bumpy_sphere({50, 300, 300}, 490, 9, 0.1, 16), 600, {.solid = true});
  expect_together(bumpy_sphere({300, 300, 300}, 450, 9, 0.1, 17), 600, {.materials = false, .solid = true});
  Soup open = cube(60.2, 480.9);
  open.scene.triangles.resize(10);  // without its +x side
  expect_together(open, 512, {.solid = true});
  const Soup twice =
      all_of({bumpy_sphere({50, 300, 300}, 490, 9, 0.1, 16), cube(170.3, 440.8), cube(330.6, 540.8)});
  expect_together(all_of({twice, twice}), 570, {.materials = false, .solid = true});
}

// The depths include a scene of a single leaf, which is the root.
TEST(BuildShare, ScenesOfEveryDepthAreTheSame) {
  for (const uint32_t resolution : {1u, 4u, 5u, 8u, 31u, 64u, 256u, 257u})
    expect_together(textured_sphere(resolution, 6, resolution), resolution);
}

TEST(BuildShare, TinyChunksAndExchangesAreTheSame) {
  expect_together(textured_sphere(520, 9, 6), 520, {.chunk_pairs = 5000});
  expect_together(bumpy_sphere({40, 40, 40}, 30, 5, 0.2, 7), 80, {.chunk_pairs = 7});
}

// With one or few chunk cells, most ranks have nothing to build but still own nodes.
TEST(BuildShare, RanksWithoutCellsTakePart) {
  Soup corner = cube(1.5, 90.25);
  expect_together(corner, 4096);
  corner.add({{{5000, 5000, 5000}, {5100, 5010, 5000}, {5000, 5040, 5090}}});
  expect_together(corner, 8192, {.materials = false});
}

TEST(BuildShare, FilledChunkCellsAreHomogeneous) {
  const Soup filled = filled_chunk_cell();
  const BuildOptions options = {.materials = false};
  const dag::FrozenDag one = build_soup(*test_engine(), filled, 512, options).dag;
  EXPECT_TRUE(dag::is_homogeneous(one.levels[1].words[0]));
  Engine engine = rank_engines(3);
  expect_equal(one, build_soup(engine, filled, 512, options).dag);
}

TEST(BuildShare, AnEmptySceneIsEmpty) {
  expect_together(Soup(), 300);
  expect_together(Soup(), 3000, {.solid = true});
  Soup outside;
  outside.add({{{-50, -50, -50}, {-20, -50, -50}, {-50, -20, -50}}});
  expect_together(outside, 300);
}

TEST(BuildShare, PartsInOrderAreTheWhole) {
  const Soup soup = textured_sphere(500, 8, 8);
  const voxelize::Grid grid = unit_grid(500);
  const voxelize::BuildOptions options = {};
  const build::SceneInput input = {soup.scene, soup.indexed, grid, options};
  std::vector<build::SceneShare> shares(3);
  ranks::run_thread_ranks(3, [&](ranks::Ranks& ranks) {
    const auto engine = make_engine({.device = test_device(), .memory_limit = uint64_t{4} << 30});
    engine->build_shares(input, {}, &ranks, [&](ranks::Ranks&, build::SceneShare share) {
      shares[ranks.rank()] = std::move(share);
    });
  });
  const dag::FrozenDag one = build_soup(*test_engine(), soup, 500).dag;
  for (size_t level = 0; level < one.levels.size(); ++level) {
    uint64_t nodes = 0, words = 0;
    for (const build::SceneShare& share : shares) {
      EXPECT_EQ(share.part->levels[level].first, nodes);
      EXPECT_EQ(share.whole.dag.levels[level].nodes, one.levels[level].nodes);
      nodes += share.part->levels[level].nodes;
      words += share.part->levels[level].words.size();
    }
    EXPECT_EQ(nodes, one.levels[level].nodes);
    EXPECT_EQ(words, one.levels[level].words.size());
  }
  uint64_t kept = 0;
  for (const build::SceneShare& share : shares) kept += share.figures.items_kept;
  EXPECT_GE(kept, one.unique_nodes() / 2);
  EXPECT_LE(kept, one.unique_nodes());  // a node and a leaf with equal words are one item
}

TEST(BuildShare, WhoHasMoreMemoryOwnsMore) {
  const Soup soup = textured_sphere(400, 8, 8);
  const voxelize::Grid grid = unit_grid(400);
  const voxelize::BuildOptions options = {};
  std::vector<uint64_t> kept(3);
  ranks::run_thread_ranks(3, [&](ranks::Ranks& ranks) {
    const uint64_t limits[] = {uint64_t{8} << 30, uint64_t{16} << 30, uint64_t{40} << 30};
    const auto engine = make_engine({.device = test_device(), .memory_limit = limits[ranks.rank()]});
    engine->build_shares({soup.scene, soup.indexed, grid, options}, {}, &ranks,
                         [&](ranks::Ranks&, const build::SceneShare& share) {
                           kept[ranks.rank()] = share.figures.items_kept;
                         });
  });
  EXPECT_NEAR(static_cast<double>(kept[1]) / static_cast<double>(kept[0]), 2, 0.2);
  EXPECT_NEAR(static_cast<double>(kept[2]) / static_cast<double>(kept[0]), 5, 0.5);
}

TEST(BuildShare, TooLittleMemoryIsAnErrorOnAllRanks) {
  Engine engine = rank_engines({uint64_t{4} << 30, uint64_t{1} << 20});
  EXPECT_THROW(build_soup(engine, textured_sphere(600, 9, 6), 600), Error);
}

TEST(BuildShare, DevicesMayBeMixed) {
  if (test_device() == "cpu") GTEST_SKIP() << "VOX_TEST_DEVICE names no other";
  const Soup soup = textured_sphere(900, 10, 9);
  const dag::FrozenDag one = build_soup(*test_engine(), soup, 900).dag;
  const auto mixed = make_engine({.device = "cuda:0,cpu,cpu"});
  expect_equal(one, build_soup(*mixed, soup, 900).dag);
  const auto cpu_first = make_engine({.device = "cpu,cuda:0"});
  expect_equal(one, build_soup(*cpu_first, soup, 900).dag);
}

TEST(BuildShare, GpusOfOneHostBuildTogether) {
  std::unique_ptr<Engine> engine;
  try {
    engine = make_engine({.device = "cuda:0,1"});
  } catch (const Error&) {
    GTEST_SKIP() << "there are no two GPUs";
  }
  const Soup soup = textured_sphere(2000, 20, 10);
  expect_equal(build_soup(*test_engine(), soup, 2000).dag, build_soup(*engine, soup, 2000).dag);
  expect_equal(build_soup(*test_engine(), soup, 700, {.solid = true}).dag,
               build_soup(*engine, soup, 700, {.solid = true}).dag);
}

}  // namespace
}  // namespace vox

namespace vox::build {
namespace {

// Tests the levels that rank 0 builds on the host above the nodes of all ranks, and the words of nodes with
// many owners.

dag::TopNode node_at(uint64_t code, uint64_t id, int32_t material) {
  return {.code = code, .id = id, .digest = {id * 3, id * 5}, .material = material};
}

// Returns eight equal children of one parent.
std::vector<dag::TopNode> full_family(uint64_t parent, int32_t material) {
  std::vector<dag::TopNode> children;
  for (uint64_t octant = 0; octant < 8; ++octant)
    children.push_back(node_at(parent << 3 | octant, node_id(3, 7), material));
  return children;
}

TEST(TopLevel, ParentsAreThoseOfTheirChildren) {
  Random random(1);
  std::vector<dag::TopNode> children;
  for (uint64_t code = 0; code < 4096; ++code)
    if (random.below(3) == 0)
      children.push_back(node_at(code, node_id(random.below(kMostRanks), random.below(1 << 20)), -1));
  const TopLevel level = parents_of(children, ChildNames::Owners);
  size_t parents = 0, at = 0;
  for (uint64_t code = 0; code < 512; ++code) {
    std::vector<dag::TopNode> own;
    std::ranges::copy_if(children, std::back_inserter(own),
                         [&](const dag::TopNode& c) { return c.code >> 3 == code; });
    if (own.empty()) continue;
    ASSERT_LT(parents, level.nodes.size());
    const dag::TopNode& parent = level.nodes[parents];
    const uint32_t* words = &level.words[at];
    EXPECT_EQ(parent.code, code);
    EXPECT_EQ(parent.material, -1);
    ASSERT_EQ(level.sizes[parents], own.size() + 2);
    at += level.sizes[parents];
    uint32_t mask = 0;
    dag::Digest digest = dag::start_digest(2);
    for (const dag::TopNode& child : own) mask |= 1u << child.code % 8;
    dag::combine(digest, mask);
    for (size_t i = 0; i < own.size(); ++i) {
      EXPECT_EQ(node_id(child_owner(child_owners(words), static_cast<uint32_t>(i)), words[1 + i]), own[i].id);
      dag::combine(digest, own[i].digest.low);
      dag::combine(digest, own[i].digest.high);
    }
    EXPECT_EQ(plain_header(words[0]), mask);
    EXPECT_EQ(parent.digest, digest);
    ++parents;
  }
  EXPECT_EQ(parents, level.nodes.size());
}

TEST(TopLevel, AParentIsHomogeneousWhereAllOfItIsOfOneMaterial) {
  std::vector<dag::TopNode> children = full_family(0, 5), mixed = full_family(1, 5),
                            unknown = full_family(2, -1);
  mixed[3].material = 6;
  children.insert(children.end(), mixed.begin(), mixed.end());
  children.insert(children.end(), unknown.begin(), unknown.end());
  std::vector<dag::TopNode> seven = full_family(3, 5);
  children.insert(children.end(), seven.begin(), seven.end() - 1);
  const TopLevel level = parents_of(children, ChildNames::Owners);
  ASSERT_EQ(level.nodes.size(), 4u);
  EXPECT_EQ(level.nodes[0].material, 5);
  EXPECT_EQ(plain_header(level.words[0]), dag::homogeneous_header(5));
  size_t at = 0;
  for (size_t i = 0; i < 4; at += level.sizes[i++]) {
    EXPECT_EQ(level.nodes[i].material, i == 0 ? 5 : -1);
    EXPECT_EQ(dag::is_homogeneous(plain_header(level.words[at])), i == 0);
  }
}

TEST(TopLevel, NothingIsAboveNothing) {
  const TopLevel level = parents_of({}, ChildNames::Owners);
  EXPECT_TRUE(level.nodes.empty());
  EXPECT_TRUE(level.words.empty());
}

}  // namespace
}  // namespace vox::build
