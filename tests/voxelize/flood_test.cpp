// The space that neither a flood from outside nor a walker reaches, compared with the same in a dense grid.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "libvox/base/error.h"
#include "libvox/dag/walk.h"
#include "libvox/voxelize/inside.h"
#include "tests/common/random.h"
#include "tests/common/test_engine.h"
#include "tests/voxelize/soup.h"

namespace vox {
namespace {

constexpr int kWalkFill = 9;

// A dense set of voxels of a box; all others are not in it.
struct DenseSet {
  VoxelBox box;
  std::vector<uint8_t> bits = std::vector<uint8_t>(box.voxels());

  bool holds(Int3 p) const {
    return p.x >= box.min.x && p.y >= box.min.y && p.z >= box.min.z && p.x < box.max.x && p.y < box.max.y &&
           p.z < box.max.z;
  }
  uint8_t& at(Int3 p) {
    const Int3 size = box.size(), from = p - box.min;
    return bits[static_cast<size_t>(from.x) +
                static_cast<size_t>(size.x) * (static_cast<size_t>(from.y) +
                                               static_cast<size_t>(size.y) * static_cast<size_t>(from.z))];
  }
};

void for_each_place(const VoxelBox& box, const std::function<void(Int3)>& visit) {
  Int3 p;
  for (p.z = box.min.z; p.z < box.max.z; ++p.z)
    for (p.y = box.min.y; p.y < box.max.y; ++p.y)
      for (p.x = box.min.x; p.x < box.max.x; ++p.x) visit(p);
}

// The steps from a voxel to those within a capsule around it.
std::vector<Int3> capsule_steps(double height, double radius, const VoxelSize& size) {
  std::vector<Int3> steps;
  const auto most = static_cast<int32_t>(height / size.shortest()) + 1;
  for_each_place({{-most, -most, -most}, {most + 1, most + 1, most + 1}}, [&](Int3 p) {
    const double y = std::max(0., std::abs(p.y) * size.y - (height / 2 - radius));
    if (length({p.x * size.x, y, p.z * size.z}) <= radius + 1e-7) steps.push_back(p);
  });
  return steps;
}

// The steps to all voxels within a distance along each axis.
std::vector<Int3> box_steps(double far, const VoxelSize& size) {
  std::vector<Int3> steps;
  const auto along = [&](uint32_t k) { return static_cast<int32_t>(far / size[k] + 1e-7); };
  for_each_place({{-along(0), -along(1), -along(2)}, {along(0) + 1, along(1) + 1, along(2) + 1}},
                 [&](Int3 p) { steps.push_back(p); });
  return steps;
}

DenseSet grown(DenseSet set, const std::vector<Int3>& steps, const VoxelBox& box) {
  DenseSet result = {box};
  for_each_place(set.box, [&](Int3 p) {
    if (set.at(p) == 0) return;
    for (const Int3 step : steps)
      if (result.holds(p + step)) result.at(p + step) = 1;
  });
  return result;
}

// The places that paths through faces reach without a blocked voxel.
DenseSet reached_from(Int3 seed, DenseSet blocked) {
  DenseSet reached = {blocked.box};
  std::vector<Int3> front = {seed};
  reached.at(seed) = 1;
  while (!front.empty()) {
    const Int3 p = front.back();
    front.pop_back();
    for (uint32_t axis = 0; axis < 3; ++axis)
      for (const int32_t step : {-1, 1}) {
        Int3 next = p;
        next[axis] += step;
        if (!reached.holds(next) || blocked.at(next) != 0 || reached.at(next) != 0) continue;
        reached.at(next) = 1;
        front.push_back(next);
      }
  }
  return reached;
}

// Returns the number of voxels that are added.
uint64_t expect_as_walked(const dag::FrozenDag& dag, const voxelize::WalkSpace& space) {
  const Int3 seed = {static_cast<int32_t>(space.seed.x), static_cast<int32_t>(space.seed.y),
                     static_cast<int32_t>(space.seed.z)};
  std::vector<Int3> capsule = {{0, 0, 0}};
  if (space.walker) capsule = capsule_steps(space.walker->height, space.walker->radius, space.voxel_size);
  VoxelBox box = dag::filled_box(dag);
  for (const Int3 step : capsule) box = hull(box, cube_at(seed + step, 1));
  box = intersection(box, cube_at({0, 0, 0}, dag.resolution));
  DenseSet filled = {box};
  std::vector<int> expected = dense_of(dag);
  const auto at = [&](Int3 p) -> int& {
    const size_t side = dag.resolution;
    return expected[static_cast<size_t>(p.x) +
                    side * (static_cast<size_t>(p.y) + side * static_cast<size_t>(p.z))];
  };
  for_each_place(box, [&](Int3 p) { filled.at(p) = at(p) != dag::kEmptyVoxel; });
  if (space.seal) {
    const std::vector<Int3> steps = box_steps(*space.seal, space.voxel_size);
    const Int3 around = steps.back() + Int3{1, 1, 1};
    const VoxelBox wide = {box.min - around, box.max + around};
    DenseSet outside = grown(reached_from(wide.min, grown(filled, steps, wide)), steps, box);
    for_each_place(box, [&](Int3 p) { filled.at(p) |= outside.at(p); });
  }
  if (space.walker) {
    DenseSet way = grown(reached_from(seed, grown(filled, capsule, box)), capsule, box);
    for_each_place(box, [&](Int3 p) { filled.at(p) = way.at(p) == 0; });
  }
  for_each_place(box, [&](Int3 p) {
    if (at(p) == dag::kEmptyVoxel && filled.at(p) != 0) at(p) = dag.materials ? kWalkFill : 0;
  });
  const voxelize::FloodedScene result =
      voxelize::unreachable_filled(dag, dag.materials ? kWalkFill : 0, space);
  EXPECT_NO_THROW(dag::verify(result.dag));
  EXPECT_EQ(result.filled, result.dag.voxels - dag.voxels);
  EXPECT_EQ(dense_of(result.dag), expected);
  return result.filled;
}

// A house of two rooms with a door between them, a window and a thing in a room, and a post beside it.
bool is_house(Int3 p) {
  const bool wall = p.x == 10 || p.x == 69 || p.z == 10 || p.z == 49 || p.y == 10 || p.y == 39 || p.x == 40;
  const bool within = p.x >= 10 && p.x <= 69 && p.y >= 10 && p.y <= 39 && p.z >= 10 && p.z <= 49;
  const bool door = p.x == 40 && p.z >= 25 && p.z <= 32 && p.y >= 11 && p.y <= 30;
  const bool window = p.x == 69 && p.z >= 20 && p.z <= 22 && p.y >= 20 && p.y <= 24;
  const bool thing = p.x >= 20 && p.x <= 24 && p.z >= 20 && p.z <= 30 && p.y >= 14 && p.y <= 15;
  const bool post = p.x == 6 && p.z == 20 && p.y < 20;
  return post || (within && ((wall && !door && !window) || thing));
}

TEST(Walkable, IsWhatCapsulesReachInADenseGrid) {
  for (const bool materials : {false, true}) {
    const dag::FrozenDag house = scene_where(80, materials, is_house);
    const Vec3d seed = {30.5, 24.5, 30.5};
    if (materials) {
      expect_as_walked(house, {.seed = seed, .seal = 2, .walker = voxelize::Walker{12.7, 2}});
      continue;
    }
    const auto filled = [&](double height, double radius) {
      return expect_as_walked(house, {.seed = seed, .walker = voxelize::Walker{height, radius}});
    };
    const uint64_t both_rooms = filled(14, 2.3), one_room = filled(14, 4.1);
    EXPECT_GT(both_rooms, 1000u);
    EXPECT_GT(one_room, both_rooms + 28u * 20 * 30);  // the door is 8 wide
    EXPECT_GT(expect_as_walked(house, {.seed = seed, .seal = 2}), 1000u);
    EXPECT_GT(expect_as_walked(house, {.seed = seed, .seal = 2, .walker = voxelize::Walker{12.7, 2}}), 1000u);
  }
}

TEST(Walkable, IsSoForVoxelsThatAreNoCubesAndLargeWalkers) {
  const dag::FrozenDag house = scene_where(80, true, is_house);
  const VoxelSize size = {0.1, 0.05, 0.2};
  expect_as_walked(house, {.seed = {30, 24, 30}, .voxel_size = size, .walker = voxelize::Walker{0.8, 0.3}});
  expect_as_walked(house, {.seed = {30, 24, 30}, .voxel_size = size, .seal = 0.25});
  expect_as_walked(house, {.seed = {55, 24, 15}, .walker = voxelize::Walker{0.5, 0.25}});  // a single voxel
  expect_as_walked(house, {.seed = {2, 70, 3}, .walker = voxelize::Walker{9, 3}});  // beyond the house's box
}

TEST(Walkable, IsSoInNoise) {
  for (const uint32_t side : {9u, 64u, 70u})
    for (const uint32_t share : {1u, 3u, 10u}) {
      if (side > 64 && kThoroughness == 1 && share != 3) continue;
      const Int3 seed = {static_cast<int32_t>(side) / 2, static_cast<int32_t>(side) / 2, 4};
      const auto noise = [&](Int3 p) {
        if (length(Vec3d{double(p.x - seed.x), double(p.y - seed.y), double(p.z - seed.z)}) < 4) return false;
        const auto at = static_cast<uint64_t>(p.x) | uint64_t(p.y) << 20 | uint64_t(p.z) << 40;
        return mix64(at * 100 + share) % 1000 < share * share;
      };
      const dag::FrozenDag dag = scene_where(side, share != 3, noise);
      if (dag.empty()) continue;
      expect_as_walked(dag, {.seed = {double(seed.x), double(seed.y), double(seed.z)},
                             .walker = voxelize::Walker{5, 1.5}});
    }
}

TEST(Walkable, NeedsAPlaceToBegin) {
  const dag::FrozenDag house = scene_where(80, true, is_house);
  const auto refuse = [&](Vec3d seed, double radius, std::optional<double> seal, const char* problem) {
    try {
      voxelize::unreachable_filled(house, 0,
                                   {.seed = seed, .seal = seal, .walker = voxelize::Walker{20, radius}});
      ADD_FAILURE() << problem;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(problem), std::string::npos) << error.what();
    }
  };
  refuse({30, 24, 90}, 2, {}, "outside of the scene's grid");
  refuse({30, -1e300, 30}, 2, {}, "outside of the scene's grid");
  refuse({30, std::nan(""), 30}, 2, {}, "outside of the scene's grid");
  refuse({10, 20, 20}, 2, {}, "a filled voxel is at the seed");
  refuse({30, 24, 30}, 1.4, 1.2, "can be reached from outside");
  refuse({30, 14, 30}, 9, {}, "does not fit");
  refuse({30, 14, 30}, 5000, {}, "at most 1024");
}

// Compares what a flood from outside leaves with a dense flood, voxel by voxel.

constexpr int kFill = 9;

// Fills the empty voxels that no path leads to from outside of the grid.
void fill_dense(std::vector<int>& voxels, uint32_t side) {
  std::vector<uint8_t> reached(voxels.size());
  std::vector<Int3> front;
  const auto last = static_cast<int32_t>(side) - 1;
  const auto reach = [&](Int3 p) {
    if (p.x < 0 || p.y < 0 || p.z < 0 || p.x > last || p.y > last || p.z > last) return;
    const auto at = static_cast<size_t>(p.x) + side * (static_cast<size_t>(p.y) + side * size_t(p.z));
    if (voxels[at] != dag::kEmptyVoxel || reached[at] != 0) return;
    reached[at] = 1;
    front.push_back(p);
  };
  for (int32_t a = 0; a <= last; ++a)
    for (int32_t b = 0; b <= last; ++b)
      for (const int32_t c : {0, last}) reach({a, b, c}), reach({a, c, b}), reach({c, a, b});
  while (!front.empty()) {
    const Int3 p = front.back();
    front.pop_back();
    for (uint32_t axis = 0; axis < 3; ++axis)
      for (const int32_t step : {-1, 1}) {
        Int3 next = p;
        next[axis] += step;
        reach(next);
      }
  }
  for (size_t i = 0; i < voxels.size(); ++i)
    if (voxels[i] == dag::kEmptyVoxel && reached[i] == 0) voxels[i] = kFill;
}

// Returns the number of voxels that are filled.
uint64_t expect_as_dense(const dag::FrozenDag& surface) {
  std::vector<int> expected = dense_of(surface);
  fill_dense(expected, surface.resolution);
  const voxelize::FloodedScene result = voxelize::flooded(surface, surface.materials ? kFill : 0);
  EXPECT_NO_THROW(dag::verify(result.dag));
  EXPECT_EQ(result.filled, result.dag.voxels - surface.voxels);
  std::vector<int> found = dense_of(result.dag);
  if (!surface.materials)
    for (int& voxel : expected) voxel = voxel == dag::kEmptyVoxel ? voxel : 0;
  EXPECT_EQ(found, expected);
  if (result.filled == 0) {
    EXPECT_EQ(result.dag.digest, surface.digest);
  }
  return result.filled;
}

TEST(InsideByFlood, IsWhatADenseFloodDoesNotReach) {
  for (const uint32_t side : {4u, 9u, 30u, 64u, 100u, 128u})
    for (const uint32_t share : {20u, 30u, 45u, 70u}) {
      if (side > 64 && kThoroughness == 1 && share != 30) continue;
      const auto noise = [&](Int3 p) {
        const auto at = static_cast<uint64_t>(p.x) | uint64_t(p.y) << 20 | uint64_t(p.z) << 40;
        return mix64(at * 100 + share) % 100 < share;
      };
      expect_as_dense(scene_where(side, share != 45, noise));
    }
}

TEST(InsideByFlood, IsTheInsideOfClosedShellsOfAnySize) {
  for (const uint32_t side : {32u, 63u, 130u, 170u}) {
    const auto shells = [&](Int3 p) {
      const auto middle = static_cast<double>(side) / 2;
      const double far = length(Vec3d{p.x - middle, p.y - middle, p.z - middle}) / middle;
      const double thick = 3 / middle;
      return (far > 0.9 - thick && far < 0.9) || (far > 0.4 - thick && far < 0.4);
    };
    EXPECT_GT(expect_as_dense(scene_where(side, true, shells)), 0u);
    const auto torn = [&](Int3 p) { return shells(p) && (p.x < 2 * p.y || p.y != p.z); };
    expect_as_dense(scene_where(side, true, torn));
  }
}

TEST(InsideByFlood, LeaksThroughOneVoxelAndFillsNothingThen) {
  for (const Int3 gap : {Int3{10, 60, 64}, {90, 64, 63}, {50, 50, 10}, {63, 10, 63}}) {
    const auto box = [](Int3 p) {
      const int32_t low = std::min({p.x, p.y, p.z}), high = std::max({p.x, p.y, p.z});
      return low >= 10 && high <= 90 && (low == 10 || high == 90);
    };
    EXPECT_EQ(expect_as_dense(scene_where(100, true, box)), 79u * 79 * 79);
    EXPECT_EQ(expect_as_dense(scene_where(100, true, [&](Int3 p) { return box(p) && p != gap; })), 0u);
  }
}

TEST(InsideByFlood, IsThatOfCrossingsForAClosedConvexMesh) {
  Soup ball = bumpy_sphere({250, 250, 250}, 240, 20, 0, 7);
  voxelize::BuildOptions options = {.materials = false};
  const dag::FrozenDag surface = build_soup(*test_engine(), ball, 500, options).dag;
  options.solid = true, options.inside = kParity;
  const dag::FrozenDag solid = build_soup(*test_engine(), ball, 500, options).dag;
  const voxelize::FloodedScene flooded = voxelize::flooded(surface, 0);
  EXPECT_NO_THROW(dag::verify(flooded.dag));
  EXPECT_EQ(flooded.dag.digest, solid.digest);
}

}  // namespace
}  // namespace vox
