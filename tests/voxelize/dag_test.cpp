// Tests the DAG that an engine makes from its voxels: it is canonical and independent of how it was built.
#include <gtest/gtest.h>

#include <set>

#include "libvox/base/memory.h"
#include "tests/common/test_engine.h"
#include "tests/voxelize/coverage.h"
#include "tests/voxelize/textured.h"

namespace vox {
namespace {

testing::AssertionResult same_dag(const dag::FrozenDag& expected, const dag::FrozenDag& actual) {
  auto failure = [] { return testing::AssertionFailure(); };
  if (actual.resolution != expected.resolution || actual.materials != expected.materials)
    return failure() << "another kind of scene";
  if (actual.voxels != expected.voxels)
    return failure() << actual.voxels << " voxels instead of " << expected.voxels;
  if (actual.levels.size() != expected.levels.size())
    return failure() << actual.levels.size() << " levels instead of " << expected.levels.size();
  for (size_t i = 0; i < expected.levels.size(); ++i) {
    const dag::DagLevel &a = actual.levels[i], &e = expected.levels[i];
    if (a.nodes != e.nodes || a.svo_nodes != e.svo_nodes)
      return failure() << "level " << i << " has " << a.nodes << " nodes of " << a.svo_nodes << " instead of "
                       << e.nodes << " of " << e.svo_nodes;
    if (a.words != e.words) return failure() << "level " << i << " has other words";
  }
  if (actual.digest != expected.digest)
    return failure() << "digest " << dag::to_string(actual.digest) << " instead of "
                     << dag::to_string(expected.digest);
  return testing::AssertionSuccess();
}

std::vector<voxelize::BuildOptions> kinds_of_build() {
  return {{},
          {.materials = false},
          {.coverage = scene::Coverage::Thin},
          {.solid = true},
          {.coverage = scene::Coverage::Thin, .materials = false, .solid = true}};
}

TEST(Dag, IsTheCanonicalFormOfItsVoxels) {
  auto engine = test_engine();
  for (uint32_t resolution : {4u, 5u, 8u, 9u, 31u, 64u, 100u})
    for (const voxelize::BuildOptions& options : kinds_of_build()) {
      dag::FrozenDag dag =
          build(*engine, textured_sphere(resolution, 10, resolution), resolution, options).dag;
      SCOPED_TRACE(fmt::format("R = {}", resolution));
      ASSERT_GT(dag.voxels, 0u);
      EXPECT_TRUE(same_dag(reference_dag(to_dense(dag), resolution, options.materials), dag));
      EXPECT_NO_THROW(dag::verify(dag));
      EXPECT_EQ(dag::compute_digest(dag), dag.digest);
    }
}

TEST(Dag, RepeatedAndFilledRegionsShareNodes) {
  Soup soup(4);
  for (int i = 0; i < 64; ++i) {  // 4 x 4 x 4 equal boxes of 8³ voxels, 16 apart
    Soup box = cube(0.3, 7.6);
    Int3 at = morton_decode(static_cast<uint64_t>(i));
    Vec3d offset = {at.x * 16.0, at.y * 16.0, at.z * 16.0};
    for (Vec3d& p : box.scene.positions) p = p + offset;
    scene::append_scene(soup.scene, std::move(box.scene));
  }
  for (scene::Triangle& triangle : soup.scene.triangles) triangle.material = 0;
  soup.scene.materials.resize(1);
  auto engine = test_engine();
  dag::FrozenDag dag = build(*engine, soup, 64, {.solid = true}).dag;
  EXPECT_EQ(dag.voxels, 64u * 512u);
  ASSERT_EQ(dag.levels.size(), 5u);
  for (const dag::DagLevel& level : dag.levels) ASSERT_EQ(level.nodes, 1u);
  EXPECT_EQ(dag.levels[4].svo_nodes, 64u * 8u);
  EXPECT_EQ(dag.levels[3].svo_nodes, 64u);
  EXPECT_TRUE(dag::is_homogeneous(dag.levels[3].words[0]));
  EXPECT_EQ(dag::homogeneous_material(dag.levels[3].words[0]), 4u);
  EXPECT_EQ(dag::child_mask(dag.levels[2].words[0]), 1u);
}

TEST(Dag, RandomAccessFindsWhatTheArrayHolds) {
  auto engine = test_engine();
  dag::FrozenDag dag = build(*engine, textured_sphere(50, 8, 1), 50).dag;
  Dense dense = to_dense(dag);
  uint64_t voxels = 0;
  for (uint32_t z = 0; z < 64; ++z)
    for (uint32_t y = 0; y < 64; ++y)
      for (uint32_t x = 0; x < 64; ++x) {
        Int3 p = {static_cast<int32_t>(x), static_cast<int32_t>(y), static_cast<int32_t>(z)};
        ASSERT_EQ(dag::voxel_at(dag, x, y, z), dense.at(p));
        voxels += dense.filled(p);
      }
  EXPECT_EQ(voxels, dag.voxels);
  EXPECT_EQ(dag::voxel_at(dag, 64, 0, 0), dag::kEmptyVoxel);
  EXPECT_EQ(dag::voxel_at(dag, 0, UINT32_MAX, 0), dag::kEmptyVoxel);
}

TEST(Dag, OfNothingInTheGridIsEmpty) {
  auto engine = test_engine();
  Soup soup;
  soup.add({Vec3d{-5, -5, -5}, Vec3d{-4, -5, -5}, Vec3d{-5, -4, -3}});
  soup.add({Vec3d{50, 50, 50}, Vec3d{70, 50, 50}, Vec3d{50, 60, 50}});
  for (const voxelize::BuildOptions& options : kinds_of_build())
    for (uint32_t resolution : {4u, 33u}) {
      dag::FrozenDag dag = build(*engine, soup, resolution, options).dag;
      EXPECT_TRUE(dag.empty());
      EXPECT_EQ(dag.unique_nodes(), 0u);
      EXPECT_TRUE(same_dag(reference_dag(to_dense(dag), resolution, options.materials), dag));
      EXPECT_NO_THROW(dag::verify(dag));
    }
}

// Returns the DAG that one thread on the CPU builds in a single chunk.
dag::FrozenDag plain_build(const Soup& soup, uint32_t resolution, const voxelize::BuildOptions& options) {
  return build(*make_engine({.device = "cpu", .threads = 1}), soup, resolution, options).dag;
}

TEST(Digest, IsTheSameForEveryNumberOfThreads) {
  Soup soup = textured_sphere(120, 24, 2);
  for (const voxelize::BuildOptions& options : kinds_of_build()) {
    dag::FrozenDag expected = plain_build(soup, 120, options);
    for (uint32_t threads : {1u, 2u, 5u})
      EXPECT_TRUE(same_dag(expected, build(*test_engine({.threads = threads}), soup, 120, options).dag))
          << threads << " threads";
  }
}

TEST(Digest, IsTheSameForEveryChunkSize) {
  constexpr uint32_t kResolution = 600;  // a chunk is at least one chunk cell of 256³ voxels
  Soup soup = textured_sphere(kResolution, 16, 3);
  auto engine = test_engine();
  for (voxelize::BuildOptions options :
       {voxelize::BuildOptions{}, {.coverage = scene::Coverage::Thin, .materials = false}}) {
    dag::FrozenDag expected = plain_build(soup, kResolution, options);
    uint64_t chunks = UINT64_MAX;
    for (uint64_t pairs : {64u, 1000u, 400000u}) {
      options.chunk_pairs = pairs;
      voxelize::BuildResult result = build(*engine, soup, kResolution, options);
      EXPECT_TRUE(same_dag(expected, result.dag)) << "chunks of " << pairs << " pairs";
      EXPECT_GT(result.chunks, pairs == 64 ? 10u : 0u);
      EXPECT_LE(result.chunks, chunks);
      chunks = result.chunks;
    }
  }
}

TEST(Digest, IsTheSameUnderEveryMemoryLimit) {
  Soup soup = textured_sphere(500, 24, 4);
  voxelize::BuildOptions options = {.coverage = scene::Coverage::Thin};
  dag::FrozenDag expected = plain_build(soup, 500, options);
  // With materials, the tables for all sizes of nodes and leaves take 120 MiB even when they are empty.
  for (uint64_t spare : {uint64_t{160} << 20, uint64_t{300} << 20, uint64_t{2} << 30}) {
    uint64_t limit = resident_bytes() + spare;
    voxelize::BuildResult result = build(*test_engine({.memory_limit = limit}), soup, 500, options);
    EXPECT_TRUE(same_dag(expected, result.dag)) << (spare >> 20) << " MiB";
    EXPECT_LE(result.peak_device_bytes, limit);
  }
}

TEST(Digest, DoesNotDependOnWhatTheEngineBuiltBefore) {
  auto engine = test_engine();
  Soup first = textured_sphere(40, 10, 5), second = textured_sphere(33, 10, 6);
  dag::FrozenDag before = build(*engine, first, 40).dag;
  build(*engine, second, 33, {.materials = false});
  EXPECT_TRUE(same_dag(before, build(*engine, first, 40).dag));
}

TEST(Digest, ChangesWithAVoxelAMaterialAndTheResolution) {
  auto engine = test_engine();
  std::set<std::string> digests;
  for (double corner : {3.5, 4.5})
    for (uint8_t index : {uint8_t{2}, uint8_t{3}})
      for (uint32_t resolution : {16u, 15u}) {
        Soup soup(index);
        soup.add({Vec3d{corner, 1, 1}, Vec3d{1, 9, 1}, Vec3d{1, 1, 9}});
        digests.insert(dag::to_string(build(*engine, soup, resolution).dag.digest));
      }
  EXPECT_EQ(digests.size(), 8u);
}

}  // namespace
}  // namespace vox
