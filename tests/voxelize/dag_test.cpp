// The DAG that an engine makes of its voxels, independent of how it was built and of tiles of rows.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "libvox/base/process.h"
#include "libvox/dag/verify.h"
#include "libvox/voxelize/row_tiles.h"
#include "tests/common/test_engine.h"
#include "tests/dag/dense_dag.h"
#include "tests/voxelize/brute_force.h"
#include "tests/voxelize/soup.h"

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
          build_soup(*engine, textured_sphere(resolution, 10, resolution), resolution, options).dag;
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
  dag::FrozenDag dag = build_soup(*engine, soup, 64, {.solid = true, .inside = kParity}).dag;
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
  dag::FrozenDag dag = build_soup(*engine, textured_sphere(50, 8, 1), 50).dag;
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
      dag::FrozenDag dag = build_soup(*engine, soup, resolution, options).dag;
      EXPECT_TRUE(dag.empty());
      EXPECT_EQ(dag.unique_nodes(), 0u);
      EXPECT_TRUE(same_dag(reference_dag(to_dense(dag), resolution, options.materials), dag));
      EXPECT_NO_THROW(dag::verify(dag));
    }
}

// Returns the DAG that one thread on the CPU builds in a single chunk.
dag::FrozenDag plain_build(const Soup& soup, uint32_t resolution, const voxelize::BuildOptions& options) {
  return build_soup(*make_engine({.device = "cpu", .threads = 1}), soup, resolution, options).dag;
}

TEST(Digest, IsTheSameForEveryNumberOfThreads) {
  Soup soup = textured_sphere(120, 24, 2);
  for (const voxelize::BuildOptions& options : kinds_of_build()) {
    dag::FrozenDag expected = plain_build(soup, 120, options);
    for (uint32_t threads : {1u, 2u, 5u})
      EXPECT_TRUE(same_dag(expected, build_soup(*test_engine({.threads = threads}), soup, 120, options).dag))
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
      voxelize::BuildResult result = build_soup(*engine, soup, kResolution, options);
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
    voxelize::BuildResult result = build_soup(*test_engine({.memory_limit = limit}), soup, 500, options);
    EXPECT_TRUE(same_dag(expected, result.dag)) << (spare >> 20) << " MiB";
    EXPECT_LE(result.peak_device_bytes, limit);
  }
}

TEST(Digest, DoesNotDependOnWhatTheEngineBuiltBefore) {
  auto engine = test_engine();
  Soup first = textured_sphere(40, 10, 5), second = textured_sphere(33, 10, 6);
  dag::FrozenDag before = build_soup(*engine, first, 40).dag;
  build_soup(*engine, second, 33, {.materials = false});
  EXPECT_TRUE(same_dag(before, build_soup(*engine, first, 40).dag));
}

TEST(Digest, ChangesWithAVoxelAMaterialAndTheResolution) {
  auto engine = test_engine();
  std::set<std::string> digests;
  for (double corner : {3.5, 4.5})
    for (uint8_t index : {uint8_t{2}, uint8_t{3}})
      for (uint32_t resolution : {16u, 15u}) {
        Soup soup(index);
        soup.add({Vec3d{corner, 1, 1}, Vec3d{1, 9, 1}, Vec3d{1, 1, 9}});
        digests.insert(dag::to_string(build_soup(*engine, soup, resolution).dag.digest));
      }
  EXPECT_EQ(digests.size(), 8u);
}

// Tests tiles of a mesh that are converted separately with snapped origins.

// The filled voxels of the world with their materials.
using Voxel = std::tuple<int64_t, int64_t, int64_t>;
using Voxels = std::map<Voxel, int>;

Voxels voxels_of(Engine& engine, const Soup& soup, const voxelize::Grid& grid,
                 const voxelize::BuildOptions& options) {
  const Dense dense = to_dense(engine.build(soup.scene, soup.indexed, grid, options).dag);
  const auto side = static_cast<int32_t>(dense.side);
  Voxels voxels;
  for (int32_t z = 0; z < side; ++z)
    for (int32_t y = 0; y < side; ++y)
      for (int32_t x = 0; x < side; ++x)
        if (dense.filled({x, y, z}))
          voxels[{x + static_cast<int64_t>(grid.first_voxel->x),
                  y + static_cast<int64_t>(grid.first_voxel->y),
                  z + static_cast<int64_t>(grid.first_voxel->z)}] = dense.at({x, y, z});
  return voxels;
}

Voxels within(const Voxels& voxels, const voxelize::Grid& grid) {
  auto inside = [&](int64_t voxel, double first) {
    return voxel >= static_cast<int64_t>(first) && voxel < static_cast<int64_t>(first) + grid.resolution;
  };
  Voxels result;
  for (const auto& [voxel, material] : voxels)
    if (inside(std::get<0>(voxel), grid.first_voxel->x) && inside(std::get<1>(voxel), grid.first_voxel->y) &&
        inside(std::get<2>(voxel), grid.first_voxel->z))
      result[voxel] = material;
  return result;
}

constexpr double kVoxel = 0.1;  // its multiples are not exact in binary

// Returns triangles with every second vertex on faces of voxels, in numbers with one decimal.
Soup decimals(uint64_t seed) {
  Soup soup;
  const uint32_t other = soup.add_material({.index = 3});
  Random random(seed);
  for (int i = 0; i < 60; ++i) {
    Corners corners;
    const Vec3d center = random.in_cube(-2, 2);
    for (Vec3d& p : corners) {
      p = center + random.in_cube(-0.6, 0.6);
      if (random.below(2))
        p = {std::round(p.x * 10) / 10, std::round(p.y * 10) / 10, std::round(p.z * 10) / 10};
    }
    soup.add(corners, i % 2 ? other : 0);
  }
  return soup;
}

TEST(Tiles, OfTrianglesConvertedApartFillWhatTheWholeMeshFills) {
  const auto engine = test_engine();
  for (uint64_t seed : {1u, 2u, 3u, 4u})
    for (scene::Coverage coverage : {scene::Coverage::Conservative, scene::Coverage::Thin}) {
      const voxelize::BuildOptions options = {.coverage = coverage, .materials = false};
      const Soup whole = decimals(seed);
      const voxelize::GridOptions grid = {.voxel_size = kVoxel, .snap = true};
      Soup tiles[2];
      for (const scene::Triangle& triangle : whole.scene.triangles) {
        Corners corners;
        for (size_t i = 0; i < 3; ++i) corners[i] = whole.scene.positions[triangle.position[i]];
        tiles[corners[0].x + corners[1].x + corners[2].x < 0.6 ? 0 : 1].add(corners);
      }
      Voxels together;
      for (const Soup& tile : tiles)
        together.merge(voxels_of(*engine, tile, voxelize::fit_grid(tile.scene, grid), options));
      EXPECT_EQ(together, voxels_of(*engine, whole, voxelize::fit_grid(whole.scene, grid), options));
    }
}

TEST(Tiles, ThatClipBoxesCutAreTheWholeMeshThere) {
  const auto engine = test_engine();
  for (uint64_t seed : {5u, 6u}) {
    const Soup soup = decimals(seed);
    const Voxels whole =
        voxels_of(*engine, soup, voxelize::fit_grid(soup.scene, {.voxel_size = kVoxel, .snap = true}), {});
    size_t seen = 0;
    for (double x : {-3.2, -1.6, 0.0, 1.6})
      for (double y : {-3.2, -1.6, 0.0, 1.6})
        for (double z : {-3.2, -1.6, 0.0, 1.6}) {
          const voxelize::Box clip = {{x, y, z}, {x + 1.6, y + 1.6, z + 1.6}};
          const voxelize::Grid grid =
              voxelize::fit_grid(soup.scene, {.voxel_size = kVoxel, .snap = true, .clip = clip});
          ASSERT_EQ(grid.resolution, 16u);
          const Voxels tile = voxels_of(*engine, soup, grid, {});
          EXPECT_EQ(tile, within(whole, grid));
          seen += tile.size();
        }
    EXPECT_EQ(seen, whole.size());
  }
}

TEST(Tiles, OfSolidsAreSolidWhereTheWholeIs) {
  const auto engine = test_engine();
  const voxelize::BuildOptions solid = {.materials = false, .solid = true};
  const Soup soup = bumpy_sphere({0.35, 0.1, -0.2}, 1.3, 12, 0.3, 7);
  const Voxels whole =
      voxels_of(*engine, soup, voxelize::fit_grid(soup.scene, {.voxel_size = kVoxel, .snap = true}), solid);
  for (double x : {-1.6, 0.0}) {
    const voxelize::Box clip = {{x, -1.6, -1.6}, {x + 1.6, 1.6, 1.6}};
    const voxelize::Grid grid =
        voxelize::fit_grid(soup.scene, {.voxel_size = kVoxel, .snap = true, .clip = clip});
    EXPECT_EQ(voxels_of(*engine, soup, grid, solid), within(whole, grid));
  }
}

// Tests that --solid fills the same voxels whatever the tiles of rows, and in grids of up to 2^20 voxels a side.

using voxelize::BuildOptions;
using voxelize::BuildResult;

void expect_same_in_tiles(const Soup& soup, uint32_t resolution, BuildOptions options) {
  options.solid = true;
  options.inside = mix64(resolution) % 2 == 0 ? kParity : voxelize::InsideRule::Winding;
  const auto engine = test_engine();
  const BuildResult one = build_soup(*engine, soup, resolution, options);
  for (const uint32_t side : {1u, 512u})
    for (const uint64_t pairs : {0u, 9000u}) {
      if (test_on_gpu() && side == 1 && pairs > 0) continue;
      SCOPED_TRACE(testing::Message() << "tiles of " << side << ", chunks of " << pairs);
      options.tile_side = side;
      options.chunk_pairs = pairs;
      const BuildResult result = build_soup(*engine, soup, resolution, options);
      expect_equal(one.dag, result.dag);
      EXPECT_EQ(one.solid.open_rays, result.solid.open_rays);
      EXPECT_EQ(one.solid.disputed_voxels, result.solid.disputed_voxels);
      EXPECT_EQ(one.solid.duplicates, result.solid.duplicates);
      if (side == 1 && !one.dag.empty()) {
        EXPECT_GT(result.chunks, 3u);
      }
    }
}

TEST(RowTiles, OfAnySizeMakeTheSameScene) {
  expect_same_in_tiles(textured_sphere(1030, 10, 12), 1030, {});
  expect_same_in_tiles(bumpy_sphere({600, 550, 500}, 490, 9, 0.1, 13), 1081,
                       {.coverage = scene::Coverage::Thin});
  expect_same_in_tiles(cube(100.2, 1500.9), 1600, {.materials = false});
  expect_same_in_tiles(Soup(), 3000, {});
}

// The surface begins left of the grid, surfaces overlap there, and rays leave the grid inside.
TEST(RowTiles, BeginWithTheCrossingsLeftOfTheGrid) {
  expect_same_in_tiles(bumpy_sphere({100, 550, 550}, 900, 9, 0.1, 16), 1100, {});
  expect_same_in_tiles(bumpy_sphere({550, 550, 550}, 820, 9, 0.1, 17), 1100, {.materials = false});
  // The ball covers few tiles.
  expect_same_in_tiles(bumpy_sphere({-20, 700, 300}, 90, 9, 0.1, 18), 1100, {});
  Soup open = all_of({cube(-100.2, 900.9), bumpy_sphere({0, 400, 400}, 300, 9, 0.1, 19)});
  open.scene.triangles.erase(open.scene.triangles.begin() + 10, open.scene.triangles.begin() + 12);
  expect_same_in_tiles(open, 1024, {});
}

TEST(RowTiles, FillWhatBruteForceFinds) {
  constexpr uint32_t kSide = 290;
  const auto engine = test_engine();
  for (const Soup& soup :
       {bumpy_sphere({120, 260, 250}, 110, 5, 0.3, 20), bumpy_sphere({-5, 250, 262}, 90, 5, 0.2, 21)}) {
    const std::vector<brute::SnappedTriangle> snapped = brute::snap_scene(soup.scene, unit_grid(kSide));
    Dense expected = brute::cover(snapped, kSide, scene::Coverage::Thin);
    const Dense inside = brute::inside(snapped, kSide, expected.side, 0);
    for (size_t i = 0; i < inside.voxels.size(); ++i)
      if (inside.voxels[i] != dag::kEmptyVoxel) expected.voxels[i] = 0;
    const BuildResult result =
        build_soup(*engine, soup, kSide,
                   {.coverage = scene::Coverage::Thin, .materials = false, .solid = true, .tile_side = 256});
    EXPECT_TRUE(brute::same_coverage(expected, to_dense(result.dag), snapped, kSide));
  }
}

// The box [low, high].
Soup box(Vec3d low, Vec3d high) {
  Soup soup = cube(0, 1);
  for (Vec3d& p : soup.scene.positions)
    p = {low.x + p.x * (high.x - low.x), low.y + p.y * (high.y - low.y), low.z + p.z * (high.z - low.z)};
  return soup;
}

// The boxes cross many tiles, fill chunk cells that no triangle meets, and reach the grid's last voxel.
TEST(RowTiles, LargeGridsAreFilled) {
  struct Case {
    uint32_t resolution;
    Vec3d low, high;
    uint64_t voxels;
  };
  for (const Case& c : std::vector<Case>{
           {100'000, {60'000.5, 40'000.5, 90'000.5}, {61'000.5, 41'000.5, 91'000.5}, 1001ull * 1001 * 1001},
           {1 << 18, {7.5, 262'000.5, 9.5}, {17.5, 262'143.5, 200'017.5}, 11ull * 144 * 200'009},
           {1 << 20, {1'047'555.5, 3.5, 5.5}, {1'048'575.5, 13.5, 1'024.5}, 1021ull * 11 * 1020},
           {1 << 20, {1000.5, 1000.5, 1000.5}, {2100.5, 3100.5, 3200.5}, 1101ull * 2101 * 2201}}) {
    SCOPED_TRACE(c.resolution);
    const auto engine = test_engine();
    const Soup soup = box(c.low, c.high);
    const BuildResult result =
        build_soup(*engine, soup, c.resolution, {.materials = false, .solid = true, .inside = kParity});
    EXPECT_EQ(result.dag.voxels, c.voxels);
    EXPECT_EQ(result.solid.open_rays, 0u);
    EXPECT_NO_THROW(dag::verify(result.dag));
    const BuildResult tiled =
        build_soup(*engine, soup, c.resolution,
                   {.materials = false, .solid = true, .inside = kParity, .tile_side = 1024});
    expect_equal(result.dag, tiled.dag);
  }
}

// A grid whose rows would take 16 GiB is filled with little memory.
TEST(RowTiles, TakeASmallPartOfTheMemory) {
  const auto engine = test_engine({.memory_limit = uint64_t{4} << 30});
  const BuildResult result =
      build_soup(*engine, cube(130'000.5, 130'100.5), 1 << 17, {.solid = true, .inside = kParity});
  EXPECT_EQ(result.dag.voxels, 101u * 101u * 101u);
  EXPECT_LT(result.peak_device_bytes, uint64_t{1} << 30);
}

}  // namespace
}  // namespace vox
