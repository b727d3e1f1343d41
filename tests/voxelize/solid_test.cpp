// Tests closed surfaces: the voxels that they separate, and the voxels inside them.

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <vector>

#include "libvox/dag/verify.h"
#include "tests/common/test_engine.h"
#include "tests/voxelize/brute_force.h"

namespace vox {
namespace {

constexpr voxelize::InsideRule kParity =
    voxelize::InsideRule::Parity;  // close_holes_test.cpp tests the other one

using brute::SnappedTriangle;

struct Shape {
  std::string name;
  Soup soup;
  uint32_t resolution;
};

std::vector<Shape> closed_shapes() {
  return {
      {"tetrahedron", tetrahedron({2.5, 3, 4}, {29, 5, 6.1}, {9, 28, 3.3}, {12, 11, 27}), 32},
      // On a side of it rays cross at faces between voxels, and some at faces between cells of 4³ voxels.
      {"diagonal tetrahedron", tetrahedron({4.5, 4, 4}, {20.5, 20, 4}, {12.5, 12, 28}, {24, 5, 12}), 32},
      {"flat tetrahedron", tetrahedron({1, 3, 15}, {60, 5, 16}, {9, 57, 17.5}, {22, 21, 21}), 61},
      {"cube on voxel faces", cube(5, 27), 32},
      {"cube", cube(5.3, 40.21), 45},
      {"sphere", bumpy_sphere({16, 16, 16}, 13, 12, 0, 1), 32},
      {"bumpy sphere", bumpy_sphere({48, 48, 48}, 36, 20, 0.25, 2), 96},
      {"spiky ball", bumpy_sphere({32, 32, 32}, 18, 9, 0.7, 3), 64},
      {"sphere of tiny triangles", bumpy_sphere({16.3, 16.1, 15.8}, 12, 40, 0.03, 4), 32},
  };
}

constexpr Int3 kNeighbors[] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};

// Returns the empty voxels that a walk through faces reaches from outside the cube.
Dense flood(const Dense& walls) {
  Dense reached(walls.side);
  std::vector<Int3> open;
  auto visit = [&](Int3 p) {
    if (!walls.contains(p) || walls.filled(p) || reached.filled(p)) return;
    reached.at(p) = 0;
    open.push_back(p);
  };
  auto last = static_cast<int32_t>(walls.side) - 1;
  brute::for_each_voxel({{0, 0, 0}, {last, last, last}}, [&](Int3 p) {
    if (p.x % last == 0 || p.y % last == 0 || p.z % last == 0) visit(p);
  });
  while (!open.empty()) {
    Int3 p = open.back();
    open.pop_back();
    for (Int3 step : kNeighbors) visit(p + step);
  }
  return reached;
}

TEST(Inside, IsTheSameAlongEveryAxisForShapesWhoseInsideIsKnown) {
  std::vector<SnappedTriangle> snapped = brute::snap_scene(cube(2, 6).scene, unit_grid(8));
  for (size_t axis = 0; axis < 3; ++axis) {
    Dense inside = brute::inside(snapped, 8, 8, axis);
    EXPECT_EQ(std::ranges::count(inside.voxels, 0), 64);
    EXPECT_TRUE(inside.filled({2, 2, 2}));
    EXPECT_FALSE(inside.filled({6, 5, 5}));
  }
}

TEST(Thin, NoPathThroughFacesCrossesAClosedSurface) {
  auto engine = test_engine();
  for (const Shape& shape : closed_shapes()) {
    SCOPED_TRACE(shape.name);
    dag::FrozenDag dag = build_soup(*engine, shape.soup, shape.resolution,
                                    {.coverage = scene::Coverage::Thin, .materials = false})
                             .dag;
    Dense surface = to_dense(dag), reached = flood(surface);
    Dense inside = brute::inside(brute::snap_scene(shape.soup.scene, unit_grid(shape.resolution)),
                                 shape.resolution, surface.side, 1);
    uint64_t hidden = 0, leaks = 0;
    for (size_t i = 0; i < inside.voxels.size(); ++i) {
      if (inside.voxels[i] == dag::kEmptyVoxel || surface.voxels[i] != dag::kEmptyVoxel) continue;
      ++hidden;
      leaks += reached.voxels[i] != dag::kEmptyVoxel;
    }
    EXPECT_GT(hidden, 0u);
    EXPECT_EQ(leaks, 0u);
  }
}

TEST(Thin, LeavesOutWhatConservativeAdds) {
  auto engine = test_engine();
  Soup sphere = bumpy_sphere({32, 32, 32}, 28, 20, 0, 1);
  dag::FrozenDag thin =
      build_soup(*engine, sphere, 64, {.coverage = scene::Coverage::Thin, .materials = false}).dag;
  dag::FrozenDag conservative = build_soup(*engine, sphere, 64, {.materials = false}).dag;
  // A voxel of a plane with unit normal n stands for an area of 1 / max |n| with thin coverage, and of 1 /
  // (|n.x| + |n.y| + |n.z|) with conservative coverage. The means of the denominators over all directions are
  // 0.8316 and 1.5.
  double area = 4 * 3.14159 * 28 * 28;
  EXPECT_NEAR(static_cast<double>(thin.voxels), 0.8316 * area, 0.03 * area);
  EXPECT_NEAR(static_cast<double>(conservative.voxels), 1.5 * area, 0.05 * area);
}

TEST(Solid, HoldsTheSurfaceAndEverythingInside) {
  auto engine = test_engine();
  for (const Shape& shape : closed_shapes())
    for (scene::Coverage coverage : {scene::Coverage::Conservative, scene::Coverage::Thin}) {
      SCOPED_TRACE(shape.name + ", " + brute::name(coverage));
      voxelize::BuildResult result =
          build_soup(*engine, shape.soup, shape.resolution,
                     {.coverage = coverage, .materials = false, .solid = true, .inside = kParity});
      EXPECT_EQ(result.solid.open_rays, 0u);
      std::vector<SnappedTriangle> snapped = brute::snap_scene(shape.soup.scene, unit_grid(shape.resolution));
      Dense expected = brute::cover(snapped, shape.resolution, coverage);
      Dense inside = brute::inside(snapped, shape.resolution, expected.side, 1);
      for (size_t i = 0; i < inside.voxels.size(); ++i)
        if (inside.voxels[i] != dag::kEmptyVoxel) expected.voxels[i] = 0;
      ASSERT_TRUE(brute::same_coverage(expected, to_dense(result.dag), snapped, shape.resolution));
    }
}

TEST(Solid, CountsSurfaceThatTheGridCutsOff) {
  auto engine = test_engine();
  // The ball extends beyond the grid on every side except +x.
  Soup ball = bumpy_sphere({3, 16, 16}, 20, 16, 0.1, 5);
  std::vector<SnappedTriangle> snapped = brute::snap_scene(ball.scene, unit_grid(32));
  Dense expected = brute::cover(snapped, 32, scene::Coverage::Thin);
  Dense inside = brute::inside(snapped, 32, 32, 0);
  for (size_t i = 0; i < inside.voxels.size(); ++i)
    if (inside.voxels[i] != dag::kEmptyVoxel) expected.voxels[i] = 0;
  voxelize::BuildResult result =
      build_soup(*engine, ball, 32,
                 {.coverage = scene::Coverage::Thin, .materials = false, .solid = true, .inside = kParity});
  EXPECT_TRUE(brute::same_coverage(expected, to_dense(result.dag), snapped, 32));
}

TEST(Solid, ChunksDoNotCutTheInside) {
  auto engine = test_engine();
  Soup ball = bumpy_sphere({300, 300, 300}, 250, 16, 0.1, 6);
  voxelize::BuildOptions options = {
      .coverage = scene::Coverage::Thin, .materials = false, .solid = true, .inside = kParity};
  dag::FrozenDag whole = build_soup(*engine, ball, 600, options).dag;
  options.chunk_pairs = 64;
  voxelize::BuildResult result = build_soup(*engine, ball, 600, options);
  EXPECT_GT(result.chunks, 1u);
  EXPECT_EQ(result.dag.voxels, whole.voxels);
  EXPECT_EQ(result.dag.digest, whole.digest);
  EXPECT_EQ(result.solid.open_rays, 0u);
  EXPECT_NEAR(static_cast<double>(whole.voxels), 4.0 / 3 * 3.14159 * 250 * 250 * 250, 2.5e6);
}

// If the surface lies left of the grid, rays are already inside when they enter chunk cells without surface.
// Whole nodes above the chunk cells are filled there, in rows with surface further on and in rows without
// any.
TEST(Solid, IsFilledFromTheLeftEndOfTheGridOn) {
  constexpr uint32_t kSide = 1100;
  struct Ball {
    Vec3d middle;
    double radius;
  };
  for (const Ball& ball : {Ball{{100, 550, 550}, 900}, Ball{{550, 550, 550}, 820}}) {
    const Soup soup = bumpy_sphere(ball.middle, ball.radius, 30, 0, 8);
    voxelize::BuildOptions options = {.materials = false, .solid = true, .inside = kParity};
    const dag::FrozenDag dag = build_soup(*test_engine(), soup, kSide, options).dag;
    EXPECT_NO_THROW(dag::verify(dag));  // checks the counts, too
    options.chunk_pairs = 5000;
    EXPECT_EQ(build_soup(*test_engine(), soup, kSide, options).dag.digest, dag.digest);
    Random random(9);
    for (int i = 0; i < 20000; ++i) {
      const uint32_t x = random.below(kSide), y = random.below(kSide), z = random.below(kSide);
      const Vec3d from = Vec3d{x + 0.5, y + 0.5, z + 0.5} - ball.middle;
      const double distance = std::sqrt(dot(from, from));
      if (std::fabs(distance - ball.radius) < 0.03 * ball.radius) continue;  // the ball has flat sides
      ASSERT_EQ(dag::voxel_at(dag, x, y, z) != dag::kEmptyVoxel, distance < ball.radius)
          << x << ", " << y << ", " << z;
    }
  }
}

TEST(Solid, ReportsRaysThatLeaveAnOpenMeshInside) {
  auto engine = test_engine();
  Soup box = cube(4.2, 27.9);
  EXPECT_EQ(build_soup(*engine, box, 32, {.solid = true, .inside = kParity}).solid.open_rays, 0u);
  box.scene.triangles.resize(10);  // without its +x side
  uint64_t rays = build_soup(*engine, box, 32, {.solid = true, .inside = kParity}).solid.open_rays;
  EXPECT_GE(rays, 22u * 22u);
  EXPECT_LE(rays, 24u * 24u);
}

TEST(Solid, TheInsideTakesMaterialsOfTheSurface) {
  auto engine = test_engine();
  Soup ball = bumpy_sphere({20, 20, 20}, 15, 12, 0.1, 7);
  uint32_t other = ball.add_material({.index = 11});
  for (scene::Triangle& triangle : ball.scene.triangles)
    if (ball.scene.positions[triangle.position[0]].x > 20) triangle.material = other;
  Dense surface = to_dense(build_soup(*engine, ball, 40, {}).dag);
  Dense solid = to_dense(build_soup(*engine, ball, 40, {.solid = true, .inside = kParity}).dag);
  for (size_t i = 0; i < solid.voxels.size(); ++i) {
    int material = solid.voxels[i];
    ASSERT_TRUE(material == dag::kEmptyVoxel || material == 0 || material == 11) << material;
    if (surface.voxels[i] != dag::kEmptyVoxel) {
      ASSERT_EQ(material, surface.voxels[i]);
    }
  }
}

// Neighboring triangles have different materials. A leaf without surface takes one material for all of its voxels.
TEST(Solid, AVoxelBesideTheSurfaceTakesTheMaterialOfTheLastSurfaceVoxelOnItsLeft) {
  auto engine = test_engine();
  Soup ball = bumpy_sphere({10, 10, 10}, 7, 5, 0.2, 11);
  for (uint8_t index = 1; index < 16; ++index) ball.add_material({.index = index});
  for (uint32_t i = 0; scene::Triangle & triangle : ball.scene.triangles) triangle.material = i++ % 16;
  const Dense surface = to_dense(build_soup(*engine, ball, 20, {}).dag);
  const Dense solid = to_dense(build_soup(*engine, ball, 20, {.solid = true, .inside = kParity}).dag);
  std::set<std::array<int32_t, 3>> leaves;  // with surface
  const auto leaf_of = [](Int3 p) { return std::array{p.x / 4, p.y / 4, p.z / 4}; };
  brute::for_each_voxel({{0, 0, 0}, {19, 19, 19}}, [&](Int3 p) {
    if (surface.filled(p)) leaves.insert(leaf_of(p));
  });
  uint64_t filled = 0;
  brute::for_each_voxel({{0, 0, 0}, {19, 19, 19}}, [&](Int3 p) {
    if (!solid.filled(p) || surface.filled(p) || !leaves.contains(leaf_of(p))) return;
    ++filled;
    Int3 last = p;
    while (!surface.filled(last)) --last.x;
    ASSERT_EQ(solid.at(p), surface.at(last)) << p.x << ", " << p.y << ", " << p.z;
  });
  EXPECT_GT(filled, 100u);
}

TEST(Solid, CountsTheEmptyVoxelsInWhichDirectionsAndParityDisagree) {
  const Soup a = bumpy_sphere({20, 22, 22}, 14, 12, 0.1, 1), b = bumpy_sphere({30, 22, 24}, 13, 12, 0.1, 2),
             c = bumpy_sphere({24, 32, 20}, 12, 12, 0.1, 3),
             left = bumpy_sphere({-3, 20, 20}, 14, 12, 0.1, 4),
             low = bumpy_sphere({2, 24, 24}, 16, 12, 0.1, 5),
             right = bumpy_sphere({44, 20, 20}, 14, 12, 0.1, 6);
  std::vector<Soup> nested;
  for (int i = 0; i < 9; ++i) nested.push_back(bumpy_sphere({22, 22, 22}, 20 - 2 * i, 12, 0.02, 7));
  Soup torn = all_of({a, b, low});
  torn.scene.triangles.resize(torn.scene.triangles.size() / 2);
  const std::vector<Shape> shapes = {{"one", a, 45},
                                     {"apart", all_of({bumpy_sphere({10, 10, 10}, 8, 8, 0, 1), right}), 45},
                                     {"two", all_of({a, b}), 45},
                                     {"three", all_of({a, b, c}), 46},
                                     {"three, turned", turned(all_of({a, b, c})), 47},
                                     {"one of three turned", all_of({a, turned(b), c}), 45},
                                     {"a hollow", all_of({nested[0], turned(nested[4])}), 45},
                                     {"nested", all_of(nested), 45},
                                     {"left of the grid", all_of({left, low, a}), 45},
                                     {"through the right face", all_of({right, b}), 41},
                                     {"torn", torn, 43}};
  auto engine = test_engine();
  for (const Shape& shape : shapes) {
    SCOPED_TRACE(shape.name);
    const std::vector<SnappedTriangle> snapped =
        brute::snap_scene(shape.soup.scene, unit_grid(shape.resolution));
    const Dense surface = brute::cover(snapped, shape.resolution, scene::Coverage::Conservative);
    const uint64_t expected = brute::disputed_voxels(snapped, shape.resolution, surface);
    const bool overlaps = shape.name != "one" && shape.name != "apart" && shape.name != "a hollow";
    EXPECT_EQ(expected > 0, overlaps);
    for (const bool materials : {false, true})
      EXPECT_EQ(build_soup(*engine, shape.soup, shape.resolution,
                           {.materials = materials, .solid = true, .inside = kParity})
                    .solid.disputed_voxels,
                expected);
  }
}

TEST(Solid, CountsTheSameDisputedVoxelsInChunks) {
  const Soup soup =
      all_of({bumpy_sphere({250, 300, 300}, 200, 30, 0, 1), bumpy_sphere({380, 310, 300}, 210, 30, 0, 2),
              bumpy_sphere({0, 300, 300}, 150, 30, 0, 3)});
  voxelize::BuildOptions options = {.materials = false, .solid = true, .inside = kParity};
  const voxelize::BuildResult whole = build_soup(*test_engine(), soup, 599, options);
  options.chunk_pairs = 4000;
  const voxelize::BuildResult chunks = build_soup(*test_engine(), soup, 599, options);
  EXPECT_GT(chunks.chunks, 3u);
  EXPECT_GT(whole.solid.disputed_voxels, 1000000u);
  EXPECT_EQ(chunks.solid.disputed_voxels, whole.solid.disputed_voxels);
}

TEST(Solid, ATriangleThatIsThereTwiceIsCrossedOnce) {
  auto engine = test_engine();
  const Soup ball = bumpy_sphere({20, 20, 20}, 15, 12, 0.1, 7);
  const size_t triangles = ball.scene.triangles.size();
  const dag::FrozenDag one = build_soup(*engine, ball, 40, {.solid = true, .inside = kParity}).dag,
                       surface = build_soup(*engine, ball, 40, {}).dag;
  Soup in_part = ball;
  for (size_t i = 0; i < triangles / 2; ++i) {
    const auto [a, b, c] = ball.scene.triangles[i].position;
    const auto& positions = ball.scene.positions;
    in_part.add({positions[b], positions[c], positions[a]});
  }
  for (const auto& [soup, duplicates] :
       std::vector<std::pair<Soup, size_t>>{{ball, 0},
                                            {in_part, triangles / 2},
                                            {all_of({ball, ball, ball}), 2 * triangles},
                                            {all_of({ball, turned(ball)}), triangles},
                                            {all_of({ball, turned(ball), ball}), 2 * triangles}}) {
    const voxelize::BuildResult result = build_soup(*engine, soup, 40, {.solid = true, .inside = kParity});
    EXPECT_EQ(result.solid.duplicates, duplicates);
    EXPECT_EQ(result.solid.open_rays, 0u);
    EXPECT_EQ(result.solid.disputed_voxels, 0u);
    EXPECT_EQ(result.dag.digest, one.digest);
    EXPECT_EQ(build_soup(*engine, soup, 40, {}).dag.digest, surface.digest);
  }
}

TEST(Solid, ABodyThatFacesBothWaysIsHollowIfAnotherFacesOneWay) {
  const Soup ball = bumpy_sphere({12, 12, 12}, 8, 12, 0.1, 7),
             other = bumpy_sphere({30, 30, 30}, 8, 12, 0.1, 8);
  const voxelize::BuildResult result =
      build_soup(*test_engine(), all_of({ball, turned(ball), other}), 40, {.solid = true, .inside = kParity});
  EXPECT_EQ(result.solid.duplicates, 0u);
  EXPECT_EQ(dag::voxel_at(result.dag, 12, 12, 12), dag::kEmptyVoxel);
  EXPECT_NE(dag::voxel_at(result.dag, 30, 30, 30), dag::kEmptyVoxel);
}

TEST(Solid, WallsThatFaceBothWaysBetweenClosedBodiesCancel) {
  auto engine = test_engine();
  // Two tetrahedra on the two sides of a triangle.
  const Vec3d a = {20.2, 4, 4}, b = {20.4, 30, 6}, c = {20.9, 12, 30};
  const Soup both = all_of({tetrahedron(a, b, c, {4, 15, 15}), tetrahedron(a, c, b, {36, 15, 15})});
  const voxelize::BuildResult result =
      build_soup(*engine, both, 40, {.materials = false, .solid = true, .inside = kParity});
  EXPECT_EQ(result.solid.duplicates, 0u);
  EXPECT_EQ(result.solid.open_rays, 0u);
  EXPECT_EQ(result.solid.disputed_voxels, 0u);
  // A plate that is thinner than what corners snap to.
  const Soup plate = tetrahedron({10.2, 4, 4}, {10.2, 30, 4}, {10.2, 4, 30}, {10.2, 4.0001, 4.0001});
  EXPECT_EQ(build_soup(*engine, plate, 40, {.solid = true, .inside = kParity}).solid.open_rays, 0u);
}

}  // namespace
}  // namespace vox
