// The inside of meshes with holes, flipped and duplicate triangles and overlapping parts, compared with generalized winding
// numbers (Jacobson et al. 2013), which are sums of solid angles in double precision.

#include "libvox/voxelize/mesh_faults.h"

#include <gtest/gtest.h>
#include <oneapi/tbb/parallel_for.h>

#include <atomic>
#include <cmath>
#include <numbers>

#include "libvox/dag/frozen_dag.h"
#include "tests/common/random.h"
#include "tests/common/test_engine.h"
#include "tests/voxelize/brute_force.h"
#include "tests/voxelize/soup.h"

namespace vox {
namespace {

voxelize::BuildResult solid_of(Soup soup, uint32_t resolution, voxelize::BuildOptions options = {}) {
  options.solid = true;
  options.materials = false;
  voxelize::close_holes(soup.scene, soup.indexed, unit_grid(resolution));
  return build_soup(*test_engine(), soup, resolution, options);
}

struct Compared {
  uint64_t inside = 0;  // by winding numbers, not of the surface
  uint64_t wrong = 0;
};

// Compares those of `samples` random voxels that are not of the surface.
Compared compare(const Soup& soup, uint32_t resolution, uint64_t samples) {
  const dag::FrozenDag solid = solid_of(soup, resolution).dag,
                       surface = build_soup(*test_engine(), soup, resolution, {.materials = false}).dag;
  const uint64_t all = uint64_t{resolution} * resolution * resolution;
  std::atomic<uint64_t> inside = 0, wrong = 0;
  tbb::parallel_for(uint64_t{0}, samples, [&](uint64_t i) {
    const uint64_t voxel = mix64(i) % all;
    const auto x = static_cast<uint32_t>(voxel % resolution),
               y = static_cast<uint32_t>(voxel / resolution % resolution),
               z = static_cast<uint32_t>(voxel / resolution / resolution);
    if (dag::voxel_at(surface, x, y, z) != dag::kEmptyVoxel) return;
    const bool is_inside = std::fabs(brute::winding_number(soup.scene, {x + 0.5, y + 0.5, z + 0.5})) > 0.5;
    inside += is_inside ? 1 : 0;
    wrong += is_inside != (dag::voxel_at(solid, x, y, z) != dag::kEmptyVoxel) ? 1 : 0;
  });
  return {inside, wrong};
}

TEST(CloseHoles, LeavesClosedMeshesAsTheyAre) {
  for (Soup soup : {bumpy_sphere({20, 20, 20}, 15, 12, 0.1, 1),
                    tetrahedron({4, 4, 4}, {30, 5, 6}, {7, 30, 8}, {9, 9, 33})}) {
    const size_t triangles = soup.scene.triangles.size();
    const voxelize::ClosedHoles closed = voxelize::close_holes(soup.scene, soup.indexed, unit_grid(40));
    EXPECT_EQ(closed.open_edges, 0u);
    EXPECT_EQ(soup.scene.triangles.size(), triangles);
    EXPECT_EQ(soup.indexed.materials.size(), 1u);
  }
}

TEST(CloseHoles, FindsTheCyclesOfOpenEdges) {
  Soup ball = bumpy_sphere({20, 20, 20}, 15, 12, 0.1, 1);
  std::vector<scene::Triangle>& triangles = ball.scene.triangles;
  triangles.erase(triangles.begin() + 200, triangles.begin() + 202);  // two that make a rectangle
  triangles.erase(triangles.begin() + 90);
  const voxelize::ClosedHoles closed = voxelize::close_holes(ball.scene, ball.indexed, unit_grid(40));
  EXPECT_EQ(closed.open_edges, 7u);
  EXPECT_EQ(closed.holes, 2u);
  EXPECT_EQ(closed.membranes, 4u + 1);
  EXPECT_GT(closed.largest, 2);
  EXPECT_LT(closed.largest, 10);
  EXPECT_EQ(voxelize::close_holes(ball.scene, ball.indexed, unit_grid(40)).open_edges, 0u);
}

// The top and the bottom of a box have more corners on their borders than its sides.
TEST(CloseHoles, CloseGapsBetweenFacesThatWereTriangulatedApart) {
  const auto at = [](double around, double y) {
    return Vec3d{32 + 24 * std::cos(around), y, 32 + 24 * std::sin(around)};
  };
  const auto turn = [](int i, int of) { return 2 * std::numbers::pi * i / of; };
  Soup drum;
  for (int i = 0; i < 12; ++i) {
    const double a = turn(i, 12), b = turn(i + 1, 12);
    drum.add({at(a, 10.3), at(a, 50.3), at(b, 50.3)});
    drum.add({at(a, 10.3), at(b, 50.3), at(b, 10.3)});
  }
  for (int i = 0; i < 60; ++i) {
    const double a = turn(i, 60), b = turn(i + 1, 60);
    drum.add({at(a, 50.3), {32, 50.3, 32}, at(b, 50.3)});
    drum.add({at(b, 10.3), {32, 10.3, 32}, at(a, 10.3)});
  }
  Soup closed = drum;
  const voxelize::ClosedHoles found = voxelize::close_holes(closed.scene, closed.indexed, unit_grid(64));
  EXPECT_GE(found.open_edges, 24u * 6);
  EXPECT_GE(found.holes, 20u);
  const Compared compared = compare(drum, 64, 20'000);
  EXPECT_GT(compared.inside, 3000u);
  EXPECT_LE(compared.wrong * 500, compared.inside);
}

// Returns the soup with every triangle apart from all others: `gap` voxels smaller along each side, and turned at random.
Soup torn(const Soup& whole, double gap) {
  Random random(7);
  Soup apart;
  for (const scene::Triangle& triangle : whole.scene.triangles) {
    std::array<Vec3d, 3> corners = {};
    for (size_t c = 0; c < 3; ++c) corners[c] = whole.scene.positions[triangle.position[c]];
    const Vec3d middle = (corners[0] + corners[1] + corners[2]) * (1. / 3);
    for (Vec3d& corner : corners) corner = corner + (middle - corner) * (gap / length(middle - corner));
    if (random.below(3) == 0) std::swap(corners[0], corners[1]);
    apart.add(corners);
  }
  return apart;
}

// Returns the number of voxels that only one of two scenes fills, apart from those of the surface.
uint64_t differing_voxels(const dag::FrozenDag& a, const dag::FrozenDag& b, const dag::FrozenDag& surface) {
  uint64_t differ = 0;
  for (uint32_t z = 0; z < a.resolution; ++z)
    for (uint32_t y = 0; y < a.resolution; ++y)
      for (uint32_t x = 0; x < a.resolution; ++x) {
        if (dag::voxel_at(surface, x, y, z) != dag::kEmptyVoxel) continue;
        differ += (dag::voxel_at(a, x, y, z) == dag::kEmptyVoxel) !=
                  (dag::voxel_at(b, x, y, z) == dag::kEmptyVoxel);
      }
  return differ;
}

TEST(CloseHoles, JoinsPartsThatShareNoVerticesIfTheirGapsAreNarrow) {
  const Soup ball = bumpy_sphere({32, 32, 32}, 25, 16, 0.1, 1);
  const dag::FrozenDag whole = solid_of(ball, 64).dag;
  const auto filled = [](const Soup& soup, double gap) {
    Soup closed = soup;
    const voxelize::ClosedHoles found =
        voxelize::close_holes(closed.scene, closed.indexed, unit_grid(64), gap);
    EXPECT_EQ(found.sheets > 0, gap == 0);
    return build_soup(*test_engine(), closed, 64, {.materials = false, .solid = true}).dag;
  };
  const dag::FrozenDag joined = filled(torn(ball, 0.3), 1);
  const dag::FrozenDag surface = build_soup(*test_engine(), ball, 64, {.materials = false}).dag;
  EXPECT_LE(differing_voxels(joined, whole, surface) * 500, whole.voxels);
  // Each triangle alone is a sheet, which fills nothing.
  EXPECT_LT(filled(torn(ball, 0.3), 0).voxels * 3, whole.voxels);
}

TEST(CloseHoles, GapsOfSixSquaresAroundACube) {
  Soup box;
  const auto square = [&](Vec3d at, Vec3d a, Vec3d b) {
    box.add({at, at + a, at + a + b});
    box.add({at, at + a + b, at + b});
  };
  const double low = 10.3, high = 50.3, side = 39;  // the squares end half a voxel before the next one
  square({low + 0.5, low + 0.5, low}, {0, side, 0}, {side, 0, 0});
  square({low + 0.5, low + 0.5, high}, {side, 0, 0}, {0, side, 0});
  square({low, low + 0.5, low + 0.5}, {0, 0, side}, {0, side, 0});
  square({high, low + 0.5, low + 0.5}, {0, side, 0}, {0, 0, side});
  square({low + 0.5, low, low + 0.5}, {side, 0, 0}, {0, 0, side});
  square({low + 0.5, high, low + 0.5}, {0, 0, side}, {side, 0, 0});
  Soup closed = box;
  voxelize::close_holes(closed.scene, closed.indexed, unit_grid(64), 1.5);
  const dag::FrozenDag filled =
      build_soup(*test_engine(), closed, 64, {.materials = false, .solid = true}).dag;
  for (uint32_t z = 0; z < 64; ++z)
    for (uint32_t y = 0; y < 64; ++y)
      for (uint32_t x = 0; x < 64; ++x) {
        const auto is_deep = [](uint32_t at) { return at > 11 && at < 49; };
        const auto is_far = [](uint32_t at) { return at < 9 || at > 51; };
        if (is_deep(x) && is_deep(y) && is_deep(z)) {
          ASSERT_NE(dag::voxel_at(filled, x, y, z), dag::kEmptyVoxel) << x << ' ' << y << ' ' << z;
        }
        if (is_far(x) || is_far(y) || is_far(z)) {
          ASSERT_EQ(dag::voxel_at(filled, x, y, z), dag::kEmptyVoxel) << x << ' ' << y << ' ' << z;
        }
      }
}

// The sides of cube() face both ways, and a mesh may have any order of corners.
TEST(TurnTriangles, MakesAllFaceTheSameSide) {
  const dag::FrozenDag box =
      build_soup(*test_engine(), cube(4.2, 27.9), 32, {.solid = true, .inside = kParity}).dag;
  EXPECT_EQ(solid_of(cube(4.2, 27.9), 32, {.materials = false}).dag.voxels, box.voxels);
  Soup ball = bumpy_sphere({20, 20, 20}, 15, 12, 0.1, 1);
  const uint64_t voxels = solid_of(ball, 40).dag.voxels;
  Random random(3);
  uint64_t turned = 0;
  for (scene::Triangle& triangle : ball.scene.triangles)
    if (random.below(2) == 0) std::swap(triangle.position[0], triangle.position[1]), ++turned;
  EXPECT_EQ(solid_of(ball, 40).dag.voxels, voxels);
  const voxelize::ClosedHoles closed = voxelize::close_holes(ball.scene, ball.indexed, unit_grid(40));
  EXPECT_EQ(std::min(closed.turned, ball.scene.triangles.size() - closed.turned),
            std::min(turned, ball.scene.triangles.size() - turned));
  EXPECT_EQ(closed.membranes, 0u);
}

TEST(TurnTriangles, TakesTrianglesThatLieOnOthersAlong) {
  const Soup ball = bumpy_sphere({20, 20, 20}, 15, 12, 0.1, 1);
  Soup dirty;
  Random random(3);
  for (const scene::Triangle& triangle : ball.scene.triangles) {
    Corners corners = {};
    for (size_t c = 0; c < 3; ++c) corners[c] = ball.scene.positions[triangle.position[c]];
    if (random.below(3) == 0) std::swap(corners[0], corners[1]);
    dirty.add(corners);
    if (random.below(3) == 0) dirty.add({corners[1], corners[2], corners[0]});
  }
  const voxelize::BuildResult result = solid_of(dirty, 40);
  EXPECT_EQ(result.dag.digest, solid_of(ball, 40).dag.digest);
  EXPECT_EQ(result.solid.open_rays, 0u);
}

TEST(TurnTriangles, LeavesPartsThatAreTurnedAsAWhole) {
  Soup both =
      all_of({bumpy_sphere({20, 20, 20}, 15, 12, 0.1, 1), turned(bumpy_sphere({20, 20, 20}, 6, 12, 0.1, 2))});
  EXPECT_EQ(voxelize::close_holes(both.scene, both.indexed, unit_grid(40)).turned, 0u);
  both.scene.triangles.pop_back();
  EXPECT_EQ(voxelize::close_holes(both.scene, both.indexed, unit_grid(40)).turned, 0u);
  EXPECT_EQ(dag::voxel_at(solid_of(both, 40).dag, 20, 20, 20), dag::kEmptyVoxel);
}

TEST(CloseHoles, TakesNoLongerForManyTrianglesAtOneVertex) {
  Soup star;
  Random random(2);
  for (int i = 0; i < 200'000; ++i) {
    const Vec3d corner = random.in_cube(2, 60);
    star.add({Vec3d{32, 32, 32}, corner, corner + Vec3d{1, 0.5, 0.25}});
  }
  EXPECT_GT(voxelize::close_holes(star.scene, star.indexed, unit_grid(64)).open_edges, 500'000u);
}

// Ground is no body: nothing fills its valleys.
TEST(CloseHoles, LeavesSheetsOut) {
  Soup ground;
  const auto at = [](int x, int z) {
    return Vec3d{2.2 + 5 * x, 20 + 9 * std::sin(x * 0.9) * std::cos(z * 0.7), 2.3 + 5 * z};
  };
  for (int x = 0; x < 10; ++x)
    for (int z = 0; z < 10; ++z) {
      ground.add({at(x, z), at(x, z + 1), at(x + 1, z)});
      ground.add({at(x + 1, z), at(x, z + 1), at(x + 1, z + 1)});
    }
  const uint64_t surface = build_soup(*test_engine(), ground, 60, {.materials = false}).dag.voxels;
  EXPECT_EQ(solid_of(ground, 60).dag.voxels, surface);
  const Soup ball = bumpy_sphere({30, 45, 30}, 10, 12, 0.1, 1);
  const voxelize::BuildResult both = solid_of(all_of({ground, ball}), 60);
  EXPECT_EQ(both.solid.open_rays, 0u);
  EXPECT_EQ(both.dag.voxels, surface + solid_of(ball, 60).dag.voxels);
  Soup closed = all_of({ground, ball});
  const voxelize::ClosedHoles found = voxelize::close_holes(closed.scene, closed.indexed, unit_grid(60));
  EXPECT_EQ(found.sheets, 1u);
  EXPECT_EQ(found.holes, 0u);
  EXPECT_EQ(found.membranes, 200u);
}

TEST(TurnTriangles, OfSingleOnesGivesTheSameInside) {
  const Soup ball = bumpy_sphere({20, 20, 20}, 15, 12, 0.1, 1);
  Soup flipped = ball;
  for (size_t i = 0; i < flipped.scene.triangles.size(); i += 40)
    std::swap(flipped.scene.triangles[i].position[0], flipped.scene.triangles[i].position[1]);
  const voxelize::BuildResult result = solid_of(flipped, 40);
  EXPECT_EQ(result.solid.open_rays, 0u);
  EXPECT_EQ(result.solid.duplicates, 0u);
  const auto difference =
      static_cast<int64_t>(result.dag.voxels) - static_cast<int64_t>(solid_of(ball, 40).dag.voxels);
  EXPECT_EQ(difference, 0);
}

TEST(CloseHoles, MembranesFillNoVoxelsOfTheSurface) {
  Soup box = bumpy_sphere({20, 20, 20}, 15, 6, 0, 1);
  box.scene.triangles.resize(box.scene.triangles.size() / 2);  // half of it is open
  const dag::FrozenDag surface = build_soup(*test_engine(), box, 40, {}).dag;
  Soup closed = box;
  voxelize::close_holes(closed.scene, closed.indexed, unit_grid(40));
  EXPECT_EQ(build_soup(*test_engine(), closed, 40, {}).dag.digest, surface.digest);
  const dag::FrozenDag solid = build_soup(*test_engine(), closed, 40, {.solid = true}).dag;
  EXPECT_GT(solid.voxels, 2 * surface.voxels);
  EXPECT_NO_THROW(dag::verify(solid));
}

TEST(InsideByWinding, OfClosedMeshesIsExact) {
  const Soup a = bumpy_sphere({24, 32, 32}, 18, 10, 0.1, 1), b = bumpy_sphere({40, 30, 34}, 17, 10, 0.1, 2),
             c = bumpy_sphere({30, 42, 26}, 14, 10, 0.1, 3), inner = bumpy_sphere({26, 32, 32}, 8, 8, 0.1, 4),
             outside = bumpy_sphere({-4, 30, 30}, 20, 10, 0.1, 5);
  for (const Soup& soup : {a, all_of({a, b, c}), turned(all_of({a, b, c})), all_of({a, inner}),
                           all_of({a, turned(inner)}), all_of({a, b, outside})}) {
    const Compared compared = compare(soup, 64, 4'000 * kThoroughness);
    EXPECT_GT(compared.inside, 150 * kThoroughness);
    EXPECT_EQ(compared.wrong, 0u) << "of " << compared.inside;
  }
}

// Removes, flips and repeats some of the triangles of up to three overlapping spheres.
Soup dirty_mesh(uint64_t seed) {
  Random random(seed);
  std::vector<Soup> parts;
  for (uint32_t i = 0; i <= random.below(3); ++i)
    parts.push_back(bumpy_sphere(Vec3d{32, 32, 32} + random.in_cube(-9, 9), random.uniform(12, 20),
                                 8 + random.below(5), 0.08, seed + i));
  Soup dirty;
  const double gaps = random.uniform(0, 0.02), flips = random.uniform(0, 0.02),
               twice = random.uniform(0, 0.05);
  const Soup all = all_of(parts);
  for (const scene::Triangle& triangle : all.scene.triangles) {
    Corners corners = {};
    for (size_t c = 0; c < 3; ++c) corners[c] = all.scene.positions[triangle.position[c]];
    const double fate = random.uniform(0, 1);
    if (fate < gaps) continue;
    if (fate < gaps + flips) std::swap(corners[0], corners[1]);
    dirty.add(corners);
    if (fate > 1 - twice) dirty.add(corners);
  }
  return dirty;
}

TEST(InsideByWinding, OfDirtyMeshesIsNearlyThatOfWindingNumbers) {
  const uint64_t meshes = 20 * kThoroughness;
  Compared all;
  uint64_t bad = 0;
  for (uint64_t seed = 1; seed <= meshes; ++seed) {
    const Compared one = compare(dirty_mesh(seed), 64, 4000);
    all.inside += one.inside;
    all.wrong += one.wrong;
    bad += one.wrong * 100 > one.inside ? 1 : 0;
  }
  EXPECT_LE(all.wrong * 500, all.inside) << all.wrong << " of " << all.inside;  // 99.8 % are right
  EXPECT_LE(bad * 20, meshes);
}

TEST(InsideByWinding, OfAMeshWithoutATenthOfItsTrianglesIsNearlyFull) {
  const Soup whole = bumpy_sphere({32, 32, 32}, 28, 24, 0.03, 3);
  Soup torn;
  Random random(4);
  for (const scene::Triangle& triangle : whole.scene.triangles)
    if (random.below(10) != 0)
      torn.add({whole.scene.positions[triangle.position[0]], whole.scene.positions[triangle.position[1]],
                whole.scene.positions[triangle.position[2]]});
  const voxelize::BuildResult result = solid_of(torn, 64);
  EXPECT_EQ(result.solid.open_rays, 0u);
  const Compared compared = compare(torn, 64, 20'000);
  EXPECT_LE(compared.wrong * 500, compared.inside);
}

TEST(Interior, IsTheMaterialOfAllVoxelsThatAreNotOfTheSurface) {
  Soup ball = bumpy_sphere({130, 130, 130}, 110, 12, 0.1, 7);
  const uint32_t other = ball.add_material({.index = 11});
  for (size_t i = 0; i < ball.scene.triangles.size(); i += 3) ball.scene.triangles[i].material = other;
  for (const uint64_t pairs : {0u, 500u}) {
    const dag::FrozenDag surface = build_soup(*test_engine(), ball, 260, {}).dag,
                         solid = build_soup(*test_engine(), ball, 260,
                                            {.solid = true, .interior = 5, .chunk_pairs = pairs})
                                     .dag;
    EXPECT_NO_THROW(dag::verify(solid));
    EXPECT_GT(solid.voxels, 10 * surface.voxels);
    Random random(8);
    for (int i = 0; i < 20'000; ++i) {
      const uint32_t x = random.below(260), y = random.below(260), z = random.below(260);
      const int material = dag::voxel_at(solid, x, y, z), outside = dag::voxel_at(surface, x, y, z);
      ASSERT_TRUE(material == outside || (outside == dag::kEmptyVoxel && material == 5)) << material;
    }
  }
}

TEST(InsideByWinding, IsTheSameInChunksAndTiles) {
  const Soup soup =
      all_of({bumpy_sphere({250, 300, 300}, 200, 30, 0, 1), bumpy_sphere({380, 310, 300}, 210, 30, 0, 2),
              bumpy_sphere({0, 300, 300}, 150, 30, 0, 3)});
  Soup torn = soup;
  for (size_t i = 0; i < torn.scene.triangles.size(); i += 50)
    std::swap(torn.scene.triangles[i], torn.scene.triangles.back()), torn.scene.triangles.pop_back();
  for (const Soup& mesh : {soup, torn}) {
    const voxelize::BuildResult whole = solid_of(mesh, 599);
    EXPECT_NO_THROW(dag::verify(whole.dag));
    EXPECT_EQ(solid_of(mesh, 599, {.chunk_pairs = 4000, .tile_side = 0}).dag.digest, whole.dag.digest);
    EXPECT_EQ(solid_of(mesh, 599, {.chunk_pairs = 0, .tile_side = 256}).dag.digest, whole.dag.digest);
  }
}

TEST(InsideByParity, LeavesOverlapsEmptyWhichWindingFills) {
  const Soup both =
      all_of({bumpy_sphere({14, 20, 20}, 10, 12, 0, 1), bumpy_sphere({24, 20, 20}, 10, 12, 0, 1)});
  const voxelize::BuildResult parity = solid_of(both, 40, {.inside = voxelize::InsideRule::Parity}),
                              winding = solid_of(both, 40);
  EXPECT_GT(parity.solid.disputed_voxels, 300u);
  EXPECT_EQ(winding.solid.disputed_voxels, parity.solid.disputed_voxels);
  EXPECT_EQ(winding.dag.voxels, parity.dag.voxels + parity.solid.disputed_voxels);
  EXPECT_EQ(dag::voxel_at(parity.dag, 19, 20, 20), dag::kEmptyVoxel);
  EXPECT_NE(dag::voxel_at(winding.dag, 19, 20, 20), dag::kEmptyVoxel);
}

}  // namespace
}  // namespace vox
