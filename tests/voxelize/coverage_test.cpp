// Compares the filled voxels with brute force in exact arithmetic.
#include "tests/voxelize/brute_force.h"

#include <gtest/gtest.h>

#include "libvox/voxelize/coverage.h"
#include "tests/common/test_engine.h"

namespace vox {
namespace {

using brute::SnappedTriangle;

constexpr scene::Coverage kCoverages[] = {scene::Coverage::Conservative, scene::Coverage::Thin};

dag::FrozenDag build_soup(Engine& engine, const Soup& soup, const voxelize::Grid& grid,
                          scene::Coverage coverage) {
  return engine.build(soup.scene, soup.indexed, grid, {.coverage = coverage, .materials = false}).dag;
}

bool expect_filled(const std::vector<SnappedTriangle>& triangles, Int3 p, scene::Coverage coverage) {
  return std::ranges::any_of(triangles,
                             [&](const SnappedTriangle& t) { return brute::covers(t, p, coverage); });
}

bool is_filled(const dag::FrozenDag& dag, Int3 p) {
  return dag::voxel_at(dag, static_cast<uint32_t>(p.x), static_cast<uint32_t>(p.y),
                       static_cast<uint32_t>(p.z)) != dag::kEmptyVoxel;
}

Vec3d rotate_axes(Vec3d p, uint32_t turns) {
  if (turns == 0) return p;
  return turns == 1 ? Vec3d{p.y, p.z, p.x} : Vec3d{p.z, p.x, p.y};
}

Corners random_corners(Random& random, double low, double high) {
  return {random.in_cube(low, high), random.in_cube(low, high), random.in_cube(low, high)};
}

Vec3d rounded(Vec3d p, double step) {
  return {std::round(p.x / step) * step, std::round(p.y / step) * step, std::round(p.z / step) * step};
}

enum class Kind {
  Anywhere,
  WithinAVoxel,
  FewVoxels,
  Sliver,
  FaceOfAVoxel,
  Upright,
  NearlyALine,
  LargerThanTheGrid,
  OnCorners,
  OnCenters,
  OnFarFaces,
  Outside,
  JustOutside,
  Count
};

// Returns a triangle, in voxel coordinates, of a kind that is difficult for voxelizers.
Corners nasty_corners(Random& random, Kind kind, double size) {
  Corners t = random_corners(random, 0, size);
  Vec3d direction = random.in_cube(-1, 1);
  switch (kind) {
    case Kind::WithinAVoxel: {
      t = random_corners(random, 0, 1);
      Vec3d corner = rounded(random.in_cube(0, size - 1), 1);
      for (Vec3d& p : t) p = p + corner;
      break;
    }
    case Kind::FewVoxels: {
      Vec3d corner = random.in_cube(0, size);
      for (Vec3d& p : t) p = corner + random.in_cube(-3, 3);
      break;
    }
    case Kind::Sliver:
      t[2] = t[1] + direction * 0.05;
      break;
    case Kind::FaceOfAVoxel: {
      for (Vec3d& p : t) p = rounded(p, random.below(2) ? 1 : 1.0 / 512);
      t[0].z = t[1].z = t[2].z = std::round(t[0].z);
      break;
    }
    case Kind::Upright:
      t[1].x = t[0].x, t[1].y = t[0].y;
      break;
    case Kind::NearlyALine:
      t[2] = t[0] + (t[1] - t[0]) * random.uniform(0, 1) + direction * 0.01;
      break;
    case Kind::LargerThanTheGrid:
      t = random_corners(random, -3 * size, 4 * size);
      break;
    case Kind::OnCorners:
      for (Vec3d& p : t) p = rounded(p, 1);
      break;
    case Kind::OnCenters:
      for (Vec3d& p : t) p = rounded(p, 0.5);
      break;
    case Kind::OnFarFaces:
      t[0].x = t[1].x = t[2].x = random.below(2) ? size : 0;
      break;
    case Kind::Outside:
      for (Vec3d& p : t) p.x = size + p.y * random.uniform(-0.1, 0.5);
      break;
    case Kind::JustOutside: {
      t = random_corners(random, 0.01, 0.99);
      Vec3d corner = rounded(random.in_cube(0, size - 1), 1);
      corner.x = random.below(2) ? size : -1;
      for (Vec3d& p : t) p = p + corner;
      break;
    }
    default:
      break;
  }
  uint32_t turns = random.below(3);
  for (Vec3d& p : t) p = rotate_axes(p, turns);
  return t;
}

// Moves a triangle from voxel coordinates to the grid's place in the world.
Corners in_world(Corners corners, const voxelize::Grid& grid) {
  for (Vec3d& p : corners) p = p * grid.voxel_size + grid.origin;
  return corners;
}

Soup nasty_soup(Random& random, const voxelize::Grid& grid, uint32_t triangles) {
  Soup soup;
  while (soup.scene.triangles.size() < triangles) {
    auto kind = static_cast<Kind>(random.below(static_cast<uint32_t>(Kind::Count)));
    soup.add(in_world(nasty_corners(random, kind, grid.resolution), grid));
    scene::drop_bad_triangles(soup.scene);
  }
  return soup;
}

void expect_brute_force_coverage(Engine& engine, const Soup& soup, const voxelize::Grid& grid) {
  std::vector<SnappedTriangle> snapped = brute::snap_scene(soup.scene, grid);
  for (scene::Coverage coverage : kCoverages) {
    dag::FrozenDag dag = build_soup(engine, soup, grid, coverage);
    Dense expected = brute::cover(snapped, grid.resolution, coverage);
    ASSERT_TRUE(brute::same_coverage(expected, to_dense(dag), snapped, grid.resolution))
        << brute::name(coverage) << ", R = " << grid.resolution;
  }
}

TEST(Coverage, OneTriangleOfEachNastyKindIsExact) {
  auto engine = test_engine();
  Random random(10);
  for (uint32_t kind = 0; kind < static_cast<uint32_t>(Kind::Count); ++kind)
    for (uint32_t resolution : {4u, 6u, 16u, 23u}) {
      Soup soup;
      while (soup.scene.triangles.empty()) {
        soup.add(nasty_corners(random, static_cast<Kind>(kind), resolution));
        scene::drop_bad_triangles(soup.scene);
      }
      SCOPED_TRACE(fmt::format("kind {}", kind));
      expect_brute_force_coverage(*engine, soup, unit_grid(resolution));
      if (HasFatalFailure()) return;
    }
}

TEST(Coverage, ThousandsOfNastyTrianglesAreExactAtEveryResolution) {
  auto engine = test_engine();
  Random random(11);
  struct Round {
    uint32_t resolution, scenes, triangles;
  };
  for (Round round :
       {Round{4, 60, 3}, Round{5, 40, 3}, Round{7, 40, 4}, Round{8, 40, 4}, Round{13, 40, 6},
        Round{16, 30, 8}, Round{31, 20, 16}, Round{32, 20, 16}, Round{50, 8, 30}, Round{64, 8, 40}})
    for (uint32_t scene = 0; scene < round.scenes; ++scene) {
      Soup soup = nasty_soup(random, unit_grid(round.resolution), round.triangles);
      SCOPED_TRACE(fmt::format("scene {}", scene));
      expect_brute_force_coverage(*engine, soup, unit_grid(round.resolution));
      if (HasFatalFailure()) return;
    }
}

// The triangles are less than a voxel outside a face of the grid, at resolutions where cells end at that face
// and where they do not.
TEST(Coverage, TrianglesJustOutsideTheGridLeaveNothing) {
  auto engine = test_engine();
  Random random(16);
  for (uint32_t resolution : {4u, 16u, 64u, 100u, 256u, 1024u, 1u << 16, 1u << 18, 1u << 20}) {
    Soup soup;
    for (int i = 0; i < 50; ++i) soup.add(nasty_corners(random, Kind::JustOutside, resolution));
    for (scene::Coverage coverage : kCoverages)
      EXPECT_EQ(build_soup(*engine, soup, unit_grid(resolution), coverage).voxels, 0u) << resolution;
  }
}

TEST(Coverage, ManySmallTrianglesInOneSceneAreExact) {
  auto engine = test_engine();
  Random random(12);
  Soup soup;
  while (soup.scene.triangles.size() < 4000) {
    Vec3d corner = random.in_cube(-1, 65);
    double size = random.below(8) == 0 ? 5 : 0.7;
    soup.add({corner + random.in_cube(-size, size), corner + random.in_cube(-size, size), corner});
  }
  expect_brute_force_coverage(*engine, soup, unit_grid(64));
}

TEST(Coverage, GridsAwayFromTheOriginAreExact) {
  auto engine = test_engine();
  Random random(13);
  for (int i = 0; i < 30; ++i) {
    voxelize::Grid grid = {.resolution = 4 + random.below(30),
                           .origin = random.in_cube(-1000, 1000),
                           .voxel_size = std::exp2(random.uniform(-10, 10))};
    expect_brute_force_coverage(*engine, nasty_soup(random, grid, 6), grid);
    if (HasFatalFailure()) return;
  }
}

TEST(Coverage, WallsOnVoxelFacesAreOneVoxelThick) {
  auto engine = test_engine();
  constexpr uint32_t kResolution = 12;
  for (int plane = 0; plane <= 12; ++plane)
    for (scene::Coverage coverage : kCoverages) {
      Soup soup;
      auto x = static_cast<double>(plane);
      soup.add({Vec3d{x, 0, 0}, Vec3d{x, 12, 0}, Vec3d{x, 0, 12}});
      soup.add({Vec3d{x, 12, 12}, Vec3d{x, 12, 0}, Vec3d{x, 0, 12}});
      dag::FrozenDag dag = build_soup(*engine, soup, unit_grid(kResolution), coverage);
      EXPECT_EQ(dag.voxels, 144u) << "plane " << plane << ", " << brute::name(coverage);
      Dense dense = to_dense(dag);
      EXPECT_TRUE(dense.filled({std::min(plane, 11), 5, 5})) << "plane " << plane;
    }
}

TEST(Coverage, AFewLargeTrianglesAreExactInSlicesOfAnOddResolution) {
  auto engine = test_engine();
  Random random(14);
  voxelize::Grid grid = unit_grid(300);
  Soup soup;
  for (Kind kind : {Kind::Anywhere, Kind::LargerThanTheGrid, Kind::Sliver, Kind::Upright, Kind::OnCorners})
    soup.add(nasty_corners(random, kind, 300));
  std::vector<SnappedTriangle> snapped = brute::snap_scene(soup.scene, grid);
  for (scene::Coverage coverage : kCoverages) {
    Dense actual = to_dense(build_soup(*engine, soup, grid, coverage));
    for (int32_t z : {0, 1, 77, 128, 150, 255, 256, 299})
      brute::for_each_voxel({{0, 0, z}, {299, 299, z}}, [&](Int3 p) {
        ASSERT_EQ(expect_filled(snapped, p, coverage), actual.filled(p))
            << brute::name(coverage) << ' ' << brute::text(p);
      });
    if (HasFatalFailure()) return;
  }
}

Vec3d random_point(Random& random, const scene::Scene& scene, const scene::Triangle& triangle) {
  double s = random.uniform(0, 1), t = random.uniform(0, 1);
  if (s + t > 1) s = 1 - s, t = 1 - t;
  Vec3d a = scene.positions[triangle.position[0]];
  Vec3d b = scene.positions[triangle.position[1]], c = scene.positions[triangle.position[2]];
  return a + (b - a) * s + (c - a) * t;
}

// Examines voxels on and next to random points of the triangles; all of them that lie in the grid must be
// exact.
void expect_exact_samples(const Soup& soup, uint32_t resolution, int samples) {
  auto engine = test_engine();
  Random random(resolution);
  std::vector<SnappedTriangle> snapped = brute::snap_scene(soup.scene, unit_grid(resolution));
  auto limit = static_cast<int32_t>(resolution);
  for (scene::Coverage coverage : kCoverages) {
    dag::FrozenDag dag = build_soup(*engine, soup, unit_grid(resolution), coverage);
    int filled = 0;
    for (int i = 0; i < samples; ++i) {
      auto pick = random.below(static_cast<uint32_t>(soup.scene.triangles.size()));
      Vec3d q = random_point(random, soup.scene, soup.scene.triangles[pick]) + random.in_cube(-1.5, 1.5);
      Int3 p = {static_cast<int32_t>(std::floor(q.x)), static_cast<int32_t>(std::floor(q.y)),
                static_cast<int32_t>(std::floor(q.z))};
      if (p.x < 0 || p.y < 0 || p.z < 0 || p.x >= limit || p.y >= limit || p.z >= limit) continue;
      bool expected = expect_filled(snapped, p, coverage);
      ASSERT_EQ(expected, is_filled(dag, p))
          << brute::name(coverage) << ' ' << brute::text(p) << ", triangle " << brute::text(snapped[pick]);
      filled += expected;
    }
    EXPECT_GT(filled, samples / 20);
  }
}

TEST(HugeResolution, LargeTrianglesAreExactAtAThousand) {
  Soup soup;
  soup.add({Vec3d{0, 0, 0}, Vec3d{1000, 300, 100}, Vec3d{200, 1000, 900}});
  soup.add({Vec3d{-700, 500, 500}, Vec3d{1000, 2000, 100}, Vec3d{500, 1, 999.9}});
  expect_exact_samples(soup, 1000, 20000);
}

TEST(HugeResolution, SmallTrianglesAreExactAtTheLargestResolution) {
  constexpr uint32_t kResolution = 1u << 20;
  Random random(15);
  Soup soup;
  for (double corner : {0.0, kResolution - 40.0, 524288.0 - 20, 333333.3, 900000.0})
    for (int i = 0; i < 20; ++i) {
      Corners t = random_corners(random, corner, corner + 40);
      soup.add({t[0], t[1], t[2]});
    }
  expect_exact_samples(soup, kResolution, 20000);
}

TEST(HugeResolution, NeedlesAcrossTheWholeGridAreExact) {
  for (uint32_t resolution : {1u << 17, 1u << 20}) {
    double r = resolution;
    Soup soup;
    soup.add(
        {Vec3d{0.1, r / 2, r / 4}, Vec3d{r, r / 2 + 1234.5, r / 4 + 3}, Vec3d{r, r / 2 + 1234.9, r / 4 + 2}});
    soup.add({Vec3d{r / 3, r, 0}, Vec3d{r / 3 + 900, 0.3, r / 16}, Vec3d{r / 3 + 900.5, 0, r / 16}});
    expect_exact_samples(soup, resolution, 20000);
  }
}

// Examines the voxels next to two opposite corners of the grid.
void expect_exact_corners(const Soup& soup, uint32_t resolution) {
  auto engine = test_engine();
  std::vector<SnappedTriangle> snapped = brute::snap_scene(soup.scene, unit_grid(resolution));
  for (scene::Coverage coverage : kCoverages) {
    dag::FrozenDag dag = build_soup(*engine, soup, unit_grid(resolution), coverage);
    int filled = 0;
    for (int32_t corner : {0, static_cast<int32_t>(resolution) - 60})
      brute::for_each_voxel({Int3{1, 1, 1} * corner, Int3{1, 1, 1} * (corner + 59)}, [&](Int3 p) {
        bool expected = expect_filled(snapped, p, coverage);
        ASSERT_EQ(expected, is_filled(dag, p)) << brute::name(coverage) << ' ' << brute::text(p);
        filled += expected;
      });
    EXPECT_GT(filled, 500);
  }
}

TEST(HugeResolution, HugeTrianglesThatCutACornerOffAreExact) {
  double r = 1 << 17;
  Soup far_out;
  far_out.add({Vec3d{150 + 2 * r, -r, -r}, Vec3d{-r, 150 + 2 * r, -r}, Vec3d{-r, -r, 150 + 2 * r}});
  far_out.add({Vec3d{-150 - r, 2 * r, 2 * r}, Vec3d{2 * r, -150 - r, 2 * r}, Vec3d{2 * r, 2 * r, -150 - r}});
  expect_exact_corners(far_out, 1 << 17);
  r = 1 << 20;
  Soup across;
  across.add({Vec3d{r, -r, 90}, Vec3d{-r, 90, r}, Vec3d{90, r, -r}});
  expect_exact_corners(across, 1 << 20);
}

TEST(Coverage, CornersImmenselyFarAwayDoNotWrapAround) {
  auto engine = test_engine();
  for (double far : {1e6, 1e9, 1e12, 1e15})
    for (scene::Coverage coverage : kCoverages) {
      Soup soup;
      soup.add({Vec3d{-far, -far, 10.3}, Vec3d{far, -far, 10.3}, Vec3d{0, far, 10.3}});
      soup.add({Vec3d{far, far, far}, Vec3d{2 * far, far, far}, Vec3d{far, 2 * far, far}});
      dag::FrozenDag dag = build_soup(*engine, soup, unit_grid(20), coverage);
      EXPECT_EQ(dag.voxels, 400u) << "corners at " << far;
      EXPECT_TRUE(to_dense(dag).filled({7, 7, 10})) << "corners at " << far;
    }
}

TEST(Coverage, OfALatticeAloneIsThatOfATestForAllLatticesOfACell) {
  Random random(17);
  uint64_t partly = 0, wide = 0;
  for (int i = 0; i < 20000; ++i) {
    const double size = std::exp2(random.uniform(6, 29));
    const Vec3d first = random.in_cube(-size, size), second = random.in_cube(-size, size);
    const Vec3d third = i % 2 ? second + random.in_cube(-2000, 2000) : random.in_cube(-size, size);
    auto odd = [](Vec3d p) {
      return Int3{static_cast<int32_t>(p.x) | 1, static_cast<int32_t>(p.y) | 1,
                  static_cast<int32_t>(p.z) | 1};
    };
    const voxelize::TriangleShape triangle = {{odd(first), odd(second), odd(third)}, 0};
    const double share = random.uniform(0, 1);
    const Vec3d at = first + (second - first) * share + (third - second) * random.uniform(0, share) +
                     random.in_cube(-1500, 1500);
    const Int3 origin = {static_cast<int32_t>(at.x) & ~511, static_cast<int32_t>(at.y) & ~511,
                         static_cast<int32_t>(at.z) & ~511};
    for (const scene::Coverage coverage : kCoverages) {
      uint64_t expected = 0;
      with_coverage_test(triangle, origin, 9, coverage, [&](const auto& test) {
        expected = test.lattice_at({0, 0, 0});
      });
      ASSERT_EQ(voxelize::covered_lattice(triangle, origin, 9, coverage), expected) << "triangle " << i;
      partly += expected != 0;
      wide += !voxelize::is_narrow(triangle, 9) && expected != 0;
    }
  }
  EXPECT_GT(partly, 10000u);
  EXPECT_GT(wide, 2000u);
}

}  // namespace
}  // namespace vox
