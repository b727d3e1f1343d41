// Compares combinations of two surfaces with the inside of closed meshes, with sides that are known, and with votes
// counted in loops over all voxels.
#include "libvox/voxelize/combine.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "libvox/dag/verify.h"
#include "tests/common/test_engine.h"
#include "tests/voxelize/brute_force.h"

namespace vox {
namespace {

using voxelize::Combination;
using voxelize::Combined;
using voxelize::Side;
using voxelize::SideCounts;

constexpr Combination kCombinations[] = {Combination::Union, Combination::Intersect, Combination::Subtract};
constexpr Int3 kSteps[] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};

Combined combined(Engine& engine, const Soup& first, const Soup& second, uint32_t resolution,
                  Combination combination) {
  const dag::FrozenDag a = build_soup(engine, first, resolution).dag,
                       b = build_soup(engine, second, resolution).dag;
  return combine_surfaces(engine.handle(), {first.scene, first.indexed, a}, {second.scene, second.indexed, b},
                          unit_grid(resolution), combination);
}

struct SurfaceVoxels {
  std::vector<brute::SnappedTriangle> triangles;
  Dense filled;
  std::map<std::tuple<int, int, int>, std::vector<size_t>> touching;

  SurfaceVoxels(const Soup& soup, uint32_t resolution, uint32_t side)
      : triangles(brute::snap_scene(soup.scene, unit_grid(resolution))), filled(side) {
    for (size_t t = 0; t < triangles.size(); ++t)
      brute::for_each_voxel(brute::voxel_range(triangles[t], resolution), [&](Int3 v) {
        if (!brute::touches_cube(triangles[t], v)) return;
        filled.at(v) = 0;
        touching[{v.x, v.y, v.z}].push_back(t);
      });
  }

  bool has(Int3 v) const { return touching.contains({v.x, v.y, v.z}); }

  template <class Body>
  void for_each(Body body) const {
    for (const auto& [v, triangles] : touching) body(Int3{std::get<0>(v), std::get<1>(v), std::get<2>(v)});
  }

  Vec3d normal(Int3 voxel) const {
    Vec3d sum = {0, 0, 0};
    for (const size_t t : touching.at({voxel.x, voxel.y, voxel.z})) {
      const Vec3d n = {double(triangles[t].n.x), double(triangles[t].n.y), double(triangles[t].n.z)};
      const Vec3d faces = n * (1 / (2.0 * 512 * 512));
      const double weight = 1024 / std::max(length(faces), 1.0);
      sum = sum +
            Vec3d{std::trunc(faces.x * weight), std::trunc(faces.y * weight), std::trunc(faces.z * weight)};
    }
    return sum;
  }
};

// Most of the six rays cross more faces one way than the other.
bool rays_say_inside(const SurfaceVoxels& surface, Int3 voxel) {
  const brute::Vec3w c = brute::center_of(voxel);
  int crossed = 0;
  for (size_t axis = 0; axis < 3; ++axis) {
    int sums[2] = {};
    for (const brute::SnappedTriangle& t : surface.triangles) {
      if (!brute::crosses(t, c, axis)) continue;
      const int up = brute::axes(t.n)[axis] > 0 ? 1 : -1;
      const bool above = up * dot(t.n, c - t.v[0]) < 0;
      sums[above] += up;
    }
    crossed += (sums[0] != 0) + (sums[1] != 0);
  }
  return crossed > 3;
}

// The vote of a voxel that lies a step before this common voxel: -1 says inside, 1 outside.
int vote_of(const SurfaceVoxels& other, Int3 common, Int3 step) {
  const Vec3d normal = other.normal(common);
  const double along = -(step.x * normal.x + step.y * normal.y + step.z * normal.z);
  return along < 0 && along <= -length(normal) / 2 ? -1 : along > 0 && along >= length(normal) / 2 ? 1 : 0;
}

// Gives each voxel of a part the side of the nearest vote, round by round.
void divide(const SurfaceVoxels& surface, const SurfaceVoxels& other, const std::vector<Int3>& part,
            Dense& sides) {
  std::map<std::tuple<int, int, int>, int> round_before;  // -1 or 1 for each voxel that is reached
  const auto place = [](Int3 v) { return std::tuple(v.x, v.y, v.z); };
  for (const Int3 v : part) {
    int votes = 0;
    for (const Int3 step : kSteps)
      if (surface.has(v + step) && other.has(v + step)) votes += vote_of(other, v + step, step);
    if (votes != 0) round_before[place(v)] = votes < 0 ? -1 : 1;
  }
  for (size_t reached = 0; reached != round_before.size();) {
    reached = round_before.size();
    const auto before = round_before;
    for (const Int3 v : part) {
      if (before.contains(place(v))) continue;
      int sum = 0;
      bool near = false;
      for (const Int3 step : kSteps)
        if (const auto found = before.find(place(v + step)); found != before.end()) {
          sum += found->second;
          near = true;
        }
      if (near) round_before[place(v)] = sum < 0 ? -1 : 1;
    }
  }
  for (const auto& [v, side] : round_before)
    if (side < 0)
      sides.at({std::get<0>(v), std::get<1>(v), std::get<2>(v)}) = static_cast<int8_t>(Side::Inside);
}

// The sides of the voxels of a surface, part by part.
Dense brute_sides(const SurfaceVoxels& surface, const SurfaceVoxels& other, SideCounts& counts) {
  Dense sides(surface.filled.side);
  const auto set = [&](Int3 v, Side side) { sides.at(v) = static_cast<int8_t>(side); };
  surface.for_each([&](Int3 v) {
    if (!other.filled.filled(v)) return;
    set(v, Side::Common);
    ++counts.common;
  });
  surface.for_each([&](Int3 start) {
    if (sides.filled(start)) return;
    ++counts.parts;
    std::vector<Int3> part = {start};
    set(start, Side::Outside);
    uint64_t inside = 0, outside = 0;
    Int3 least = start;
    for (size_t i = 0; i < part.size(); ++i) {
      const auto key = [](Int3 v) {
        return morton_encode(static_cast<uint32_t>(v.x), static_cast<uint32_t>(v.y),
                             static_cast<uint32_t>(v.z));
      };
      if (key(part[i]) < key(least)) least = part[i];
      for (const Int3 step : kSteps) {
        const Int3 next = part[i] + step;
        if (!sides.contains(next) || !surface.filled.filled(next)) continue;
        if (other.filled.filled(next)) {
          const int vote = vote_of(other, next, step);
          if (vote < 0) ++inside;
          if (vote > 0) ++outside;
        } else if (!sides.filled(next)) {
          set(next, Side::Outside);
          part.push_back(next);
        }
      }
    }
    counts.votes += inside + outside;
    counts.overruled += std::min(inside, outside);
    if (std::min(inside, outside) * 16 > inside + outside) {
      ++counts.divided_parts;
      divide(surface, other, part, sides);
    } else {
      if (inside + outside == 0) ++counts.parts_by_rays;
      const bool is_inside = inside + outside == 0 ? rays_say_inside(other, least) : inside > outside;
      if (is_inside)
        for (const Int3 v : part) set(v, Side::Inside);
    }
    for (const Int3 v : part)
      ++(sides.at(v) == static_cast<int8_t>(Side::Inside) ? counts.inside : counts.outside);
  });
  return sides;
}

void expect_counts(const SideCounts& found, const SideCounts& expected) {
  EXPECT_EQ(found.outside, expected.outside);
  EXPECT_EQ(found.inside, expected.inside);
  EXPECT_EQ(found.common, expected.common);
  EXPECT_EQ(found.parts, expected.parts);
  EXPECT_EQ(found.divided_parts, expected.divided_parts);
  EXPECT_EQ(found.parts_by_rays, expected.parts_by_rays);
  EXPECT_EQ(found.votes, expected.votes);
  EXPECT_EQ(found.overruled, expected.overruled);
}

// Expects the voxels of each surface that have the sides which the combination keeps.
void expect_kept(const dag::FrozenDag& dag, const SurfaceVoxels& surface, const Dense& sides,
                 Combination combination, bool second) {
  dag::verify(dag);
  const Dense kept = to_dense(dag);
  surface.for_each(
      [&](Int3 v) { EXPECT_EQ(kept.filled(v), keeps(combination, second, static_cast<Side>(sides.at(v)))); });
  brute::for_each_voxel({{0, 0, 0}, {int32_t(kept.side) - 1, int32_t(kept.side) - 1, int32_t(kept.side) - 1}},
                        [&](Int3 v) { EXPECT_TRUE(!kept.filled(v) || surface.filled.filled(v)); });
}

SideCounts expect_combined_as_in_loops(const Soup& first, const Soup& second, uint32_t resolution) {
  const std::unique_ptr<Engine> engine = test_engine();
  const uint32_t side = build_soup(*engine, first, resolution).dag.side();
  const SurfaceVoxels a(first, resolution, side), b(second, resolution, side);
  SideCounts first_counts, second_counts;
  const Dense first_sides = brute_sides(a, b, first_counts), second_sides = brute_sides(b, a, second_counts);
  for (const Combination combination : kCombinations) {
    const Combined found = combined(*engine, first, second, resolution, combination);
    expect_counts(found.first_counts, first_counts);
    expect_counts(found.second_counts, second_counts);
    expect_kept(found.first, a, first_sides, combination, false);
    expect_kept(found.second, b, second_sides, combination, true);
  }
  return first_counts;
}

Soup random_triangles(uint64_t seed, uint32_t count, double grid, double size) {
  Random random(seed);
  Soup soup;
  for (uint32_t i = 0; i < count; ++i) {
    const Vec3d middle = {random.uniform(0, grid), random.uniform(0, grid), random.uniform(0, grid)};
    Corners corners;
    for (Vec3d& corner : corners)
      corner = middle +
               Vec3d{random.uniform(-size, size), random.uniform(-size, size), random.uniform(-size, size)};
    soup.add(corners);
  }
  return soup;
}

TEST(Combine, HasThePartsAndVotesThatLoopsOverAllVoxelsFind) {
  uint64_t divided = 0, by_rays = 0;
  const auto expect_as_in_loops = [&](const Soup& first, const Soup& second, uint32_t resolution) {
    const SideCounts counts = expect_combined_as_in_loops(first, second, resolution);
    divided += counts.divided_parts;
    by_rays += counts.parts_by_rays;
  };
  for (uint64_t seed = 1; seed <= cases_on_device(10); ++seed) {
    SCOPED_TRACE(seed);
    expect_as_in_loops(random_triangles(seed, 12, 32, 12), random_triangles(seed + 100, 9, 32, 15), 32);
    expect_as_in_loops(random_triangles(seed, 60, 21, 3), random_triangles(seed + 100, 5, 21, 20), 21);
  }
  expect_as_in_loops(bumpy_sphere({13, 12, 11}, 8, 7, 0.2, 1), bumpy_sphere({17, 13, 14}, 9, 9, 0.2, 2), 30);
  EXPECT_GT(divided, 0u);
  EXPECT_GT(by_rays, 0u);
}

// A surface that meets a closed one has the sides that the parity of crossings gives its voxels.
TEST(Combine, KnowsTheInsideOfClosedMeshes) {
  constexpr uint32_t kResolution = 64;
  const std::unique_ptr<Engine> engine = test_engine();
  const Soup ball = bumpy_sphere({30, 30, 30}, 18, 16, 0.1, 1);
  const Soup others[] = {
      bumpy_sphere({41, 33, 28}, 17, 14, 0.1, 2), bumpy_sphere({30, 30, 30}, 7, 9, 0.1, 3),
      bumpy_sphere({8, 52, 52}, 6, 9, 0.1, 4),
      all_of({bumpy_sphere({48, 30, 30}, 6, 8, 0.1, 5), bumpy_sphere({30, 30, 30}, 5, 8, 0.1, 6),
              bumpy_sphere({56, 56, 56}, 5, 8, 0.1, 7)})};
  for (const Soup& other : others) {
    const SurfaceVoxels a(ball, kResolution, 64), b(other, kResolution, 64);
    const Dense in_a = brute::inside(a.triangles, kResolution, 64, 0),
                in_b = brute::inside(b.triangles, kResolution, 64, 0);
    const Dense kept_a = to_dense(combined(*engine, ball, other, kResolution, Combination::Subtract).first),
                kept_b = to_dense(combined(*engine, ball, other, kResolution, Combination::Subtract).second);
    a.for_each([&](Int3 v) { EXPECT_EQ(kept_a.filled(v), b.filled.filled(v) || !in_b.filled(v)); });
    b.for_each([&](Int3 v) { EXPECT_EQ(kept_b.filled(v), a.filled.filled(v) || in_a.filled(v)); });
  }
}

// The plane y = 30.5, which faces up, and a ball around it that has no cap.
TEST(Combine, CutsAnOpenSurfaceWithAnOpenSurface) {
  Soup plane, ball;
  plane.add({Vec3d{2, 30.5, 2}, {2, 30.5, 62}, {62, 30.5, 2}});
  plane.add({Vec3d{62, 30.5, 2}, {2, 30.5, 62}, {62, 30.5, 62}});
  for (const scene::Triangle& t : bumpy_sphere({31, 30, 31}, 15, 20, 0, 1).scene.triangles) {
    const std::vector<Vec3d>& p = bumpy_sphere({31, 30, 31}, 15, 20, 0, 1).scene.positions;
    if (p[t.position[0]].y < 40) ball.add({p[t.position[0]], p[t.position[1]], p[t.position[2]]});
  }
  const std::unique_ptr<Engine> engine = test_engine();
  const Combined found = combined(*engine, ball, plane, 64, Combination::Subtract);
  const Dense cut = to_dense(found.first), disc = to_dense(found.second);
  EXPECT_GT(found.first_counts.inside, 500u);
  EXPECT_GT(found.first_counts.outside, 300u);
  EXPECT_EQ(found.first_counts.parts_by_rays + found.second_counts.parts_by_rays, 0u);
  brute::for_each_voxel({{0, 0, 0}, {63, 63, 63}}, [&](Int3 v) {
    EXPECT_TRUE(!cut.filled(v) || v.y >= 30);
    if (!disc.filled(v)) return;
    EXPECT_EQ(v.y, 30);
    EXPECT_LE((v.x + 0.5 - 31) * (v.x + 0.5 - 31) + (v.z + 0.5 - 31) * (v.z + 0.5 - 31), 16.5 * 16.5);
  });
  EXPECT_TRUE(disc.filled({31, 30, 31}));
}

TEST(Combine, FindsNormalsInGridsOfManyWindows) {
  const std::unique_ptr<Engine> engine = test_engine();
  constexpr uint32_t kResolution = 1000;
  Soup low, high;  // two tall walls that cross at x = 700
  low.add({Vec3d{650, 3, 500.3}, {750, 3, 500.3}, {650, 990, 500.3}});
  low.add({Vec3d{750, 3, 500.3}, {750, 990, 500.3}, {650, 990, 500.3}});
  high.add({Vec3d{700.4, 3, 480}, {700.4, 990, 480}, {700.4, 3, 520}});
  high.add({Vec3d{700.4, 990, 480}, {700.4, 990, 520}, {700.4, 3, 520}});
  const Combined found = combined(*engine, low, high, kResolution, Combination::Intersect);
  EXPECT_EQ(found.first_counts.common, 988u);
  EXPECT_EQ(found.first_counts.parts, 2u);
  EXPECT_EQ(found.first_counts.parts_by_rays, 0u);
  EXPECT_EQ(found.first_counts.votes, 2 * 988u);
  EXPECT_EQ(found.first_counts.inside, 50 * 988u);
  EXPECT_EQ(found.first_counts.outside, 51 * 988u - 988u);
}

TEST(Combine, TakesSurfacesWithoutVoxels) {
  const std::unique_ptr<Engine> engine = test_engine();
  Soup outside;
  outside.add({Vec3d{100, 100, 100}, {110, 100, 100}, {100, 110, 100}});
  const Soup ball = bumpy_sphere({16, 16, 16}, 9, 9, 0.1, 1);
  const Combined found = combined(*engine, ball, outside, 32, Combination::Union);
  EXPECT_EQ(found.second.voxels, 0u);
  EXPECT_EQ(found.first.digest, build_soup(*engine, ball, 32).dag.digest);
  EXPECT_EQ(combined(*engine, ball, outside, 32, Combination::Intersect).first.voxels, 0u);
}

}  // namespace
}  // namespace vox
