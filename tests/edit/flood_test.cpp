// Compares fills with a walk from voxel to voxel.
#include <gtest/gtest.h>

#include <random>

#include "libvox/base/error.h"
#include "libvox/base/units.h"
#include "libvox/device/cpu_device.h"
#include "libvox/edit/leaf_faces.h"
#include "tests/edit/edited_scene.h"

namespace vox {
namespace {

// ---- one leaf -------------------------------------------------------------------------------------------

bool is_in(uint64_t mask, const Int3& p) {
  return (mask >> morton_encode(static_cast<uint32_t>(p.x), static_cast<uint32_t>(p.y),
                                static_cast<uint32_t>(p.z)) &
          1) != 0;
}

// Returns a random mask with half of its bits set or, for kinds 1 and 2, a quarter or three quarters.
uint64_t random_mask(std::mt19937_64& bits, int kind) {
  const uint64_t a = bits(), b = bits();
  return kind == 0 ? a : kind == 1 ? a & b : a | b;
}

TEST(LeafFaces, AMaskAcrossAFaceIsWhatItTouchesInTheLeafThere) {
  constexpr Int3 kSteps[6] = {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}};
  std::mt19937_64 bits(1);
  for (int i = 0; i < 200; ++i) {
    const uint64_t mask = random_mask(bits, 1);
    for (uint32_t face = 0; face < 6; ++face) {
      const uint64_t touched = edit::across_face(mask, face);
      for (uint64_t bit = 0; bit < 64; ++bit) {
        const Int3 p = morton_decode(bit) + kSteps[face] * 4 - kSteps[face];  // in this leaf's coordinates
        const bool beside = std::min({p.x, p.y, p.z}) >= 0 && std::max({p.x, p.y, p.z}) < 4;
        ASSERT_EQ(touched >> bit & 1, beside && is_in(mask, p) ? 1u : 0u) << "face " << face;
      }
    }
  }
}

TEST(LeafFaces, ConnectedPartsAreThoseThatAWalkFinds) {
  std::mt19937_64 bits(2);
  for (int i = 0; i < 300; ++i) {
    const uint64_t mask = random_mask(bits, i % 3);
    std::vector<Dense> leaf = {Dense(4)};
    for (uint64_t bit = 0; bit < 64; ++bit)
      if (mask >> bit & 1) leaf[0].at(morton_decode(bit)) = 1;
    uint32_t parts = 0;
    uint64_t rest = mask;
    for (uint64_t bit = 0; bit < 64; ++bit) {
      if ((rest >> bit & 1) == 0) continue;
      uint64_t expected = 0;
      const edit::FillEdit edit = {.seed = morton_decode(bit), .shape = {}};
      for (const Int3& p : DenseEditor(leaf).flooded(edit))
        expected |= uint64_t{1} << morton_encode(static_cast<uint32_t>(p.x), static_cast<uint32_t>(p.y),
                                                 static_cast<uint32_t>(p.z));
      ASSERT_EQ(edit::connected_part(rest), expected);
      rest &= ~expected;
      ++parts;
    }
    ASSERT_EQ(edit::connected_parts(mask), parts);
  }
}

// ---- sets -----------------------------------------------------------------------------------------------

struct UniteNeighbors {
  edit::DisjointSets sets;
  const uint32_t* order;
  uint32_t step;
  void operator()(uint64_t i) const { sets.unite(order[i], order[i] + step); }
};

TEST(DisjointSets, UnitedConcurrentlyHaveTheirLeastMemberAsRoot) {
  constexpr uint32_t kCount = 1 << 16, kStep = 4;
  device::CpuDevice device(uint64_t{1} << 30, false);
  std::vector<uint32_t> parents(kCount), order(kCount - kStep);
  for (uint32_t i = 0; i < kCount; ++i) parents[i] = i;
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::shuffle(order.begin(), order.end(), std::mt19937(3));
  const edit::DisjointSets sets = {parents.data()};
  device.for_each("unite", order.size(), UniteNeighbors{sets, order.data(), kStep});
  for (uint32_t i = 0; i < kCount; ++i) ASSERT_EQ(sets.root(i), i % kStep);
}

// ---- scenes ---------------------------------------------------------------------------------------------

TEST(Fill, IsWhatAWalkFromVoxelToVoxelReaches) {
  const auto engine = test_engine();
  const Scripts plans[] = {{4, 40, 6},  {5, 40, 6}, {8, 40, 6}, {16, 30, 6},
                           {33, 12, 6}, {64, 5, 6}, {100, 2, 6}};
  for (const Scripts& plan : plans) {
    check_scripts(*engine, plan, 0, 11, [](Random& random, const std::vector<Dense>& scenes) -> edit::Edit {
      if (one_in(random, 3)) return random_paint(random, scenes[0].side);
      return random_fill(random, scenes[0]);
    });
    if (HasFatalFailure()) return;
  }
}

// A maze with walls of one voxel. Open are all voxels with odd coordinates, and those between two of them
// that a random spanning tree goes through.
Dense maze(uint32_t resolution, uint64_t seed, int8_t wall, int8_t open) {
  Dense grid(resolution);
  for (int8_t& voxel : grid.voxels) voxel = wall;
  Random random(seed);
  const auto n = static_cast<int32_t>(resolution);
  std::vector<Int3> way = {{1, 1, 1}};
  grid.at(way[0]) = open;
  while (!way.empty()) {
    std::vector<Int3> steps;
    for (const Int3& step : {Int3{2, 0, 0}, {-2, 0, 0}, {0, 2, 0}, {0, -2, 0}, {0, 0, 2}, {0, 0, -2}}) {
      const Int3 p = way.back() + step;
      if (std::min({p.x, p.y, p.z}) > 0 && std::max({p.x, p.y, p.z}) < n && grid.at(p) == wall)
        steps.push_back(step);
    }
    if (steps.empty()) {
      way.pop_back();
      continue;
    }
    const Int3 step = steps[random.below(static_cast<uint32_t>(steps.size()))];
    grid.at(way.back() + step) = open;
    grid.at({way.back().x + step.x / 2, way.back().y + step.y / 2, way.back().z + step.z / 2}) = open;
    way.push_back(way.back() + step);
  }
  return grid;
}

TEST(Fill, FindsItsWayThroughMazesConcurrently) {
  const auto engine = test_engine({.threads = 4});
  for (uint32_t resolution : {17u, 33u, kThoroughness < 10 ? 33u : 65u})
    for (const bool empty : {true, false}) {
      const Dense dense = empty ? maze(resolution, 1, 4, dag::kEmptyVoxel) : maze(resolution, 2, 4, 9);
      EditedScene scene(*engine, dense, true);
      scene.apply(edit::FillEdit{.seed = {1, 1, 1}, .material = 12, .shape = {}});
      scene.expect_same();
      EXPECT_EQ(scene.dense().at({15, 15, 15}), 12);
      scene.apply(
          edit::FillEdit{.seed = {0, 0, 0}, .material = 3, .shape = {}});  // the walls are connected too
      scene.expect_same();
    }
}

// Rings of corridors, each with a door to the next one, and with one hole from layer to layer.
Dense rings(uint32_t resolution) {
  Dense grid(resolution);
  const auto n = static_cast<int32_t>(resolution);
  for_each_voxel(grid, [&](const Int3& p) {
    const int32_t ring = std::min({p.x, p.y, n - 1 - p.x, n - 1 - p.y});
    const bool door = p.x == ring && p.y == ring + 1, hole = p.x == 2 && p.y == 2;
    const bool open = p.z % 2 == 0 ? ring % 2 == 0 || door : hole;
    grid.at(p) = open ? int8_t{dag::kEmptyVoxel} : int8_t{1};
  });
  return grid;
}

TEST(Fill, GoesThroughDoorsAndStopsWhereAShapeCutsCorridors) {
  const auto engine = test_engine();
  for (uint32_t resolution : {16u, 31u, 48u}) {
    const auto n = static_cast<int64_t>(resolution) * 256;
    const edit::Shape shapes[] = {
        {},
        {.kind = edit::ShapeKind::Box, .a = {0, 0, 0}, .b = {n, n, 5 * 256}},
        {.kind = edit::ShapeKind::Box, .a = {0, 0, 0}, .b = {n, n / 2, n}},
        {.kind = edit::ShapeKind::Sphere, .a = {0, 0, 0}, .radius = n / 2},
        {.kind = edit::ShapeKind::Capsule, .a = {0, 0, 0}, .b = {n, 0, 0}, .radius = 3 * 256},
        {.kind = edit::ShapeKind::Sphere,
         .a = {n / 2, n / 2, n / 2},
         .radius = n,
         .roughness = n / 8,
         .grain = 3},
    };
    for (const edit::Shape& shape : shapes) {
      if (!dense_contains(shape, Int3{0, 0, 0})) continue;
      EditedScene scene(*engine, rings(resolution), true);
      const edit::FillEdit edit = {.seed = {0, 0, 0}, .material = 7, .shape = shape};
      SCOPED_TRACE(std::to_string(resolution) + ": " + EditText()(edit));
      scene.apply(edit);
      scene.expect_same();
      const int32_t top = static_cast<int32_t>(resolution - 1) / 2 * 2;
      if (shape == edit::Shape()) {
        EXPECT_EQ(scene.dense().at({2, 2, top}), 7);
      }
    }
  }
}

TEST(Fill, OfACheckerboardIsOneVoxel) {
  const auto engine = test_engine();
  Dense board(20);
  for_each_voxel(board, [&](const Int3& p) {
    if ((p.x + p.y + p.z) % 2 == 0) board.at(p) = 2;
  });
  EditedScene scene(*engine, board, true);
  scene.apply(edit::FillEdit{.seed = {7, 8, 9}, .material = 5, .shape = {}, .limit = 1});
  scene.apply(edit::FillEdit{.seed = {7, 8, 10}, .material = 5, .shape = {}, .limit = 1});
  scene.expect_same();
}

TEST(Fill, TakesAllOfAGridThatIsAlike) {
  const auto engine = test_engine();
  for (uint32_t resolution : {4u, 6u, 64u, 77u})
    for (const bool materials : {true, false}) {
      EditedScene scene(*engine, Dense(resolution), materials);
      for (uint8_t material : {uint8_t{3}, uint8_t{3}, uint8_t{0}}) {
        const uint64_t all = uint64_t{resolution} * resolution * resolution;
        scene.apply(edit::FillEdit{.seed = {2, 3, 1}, .material = material, .shape = {}, .limit = all});
        scene.expect_same();
        EXPECT_EQ(scene.session().freeze().voxels, all);
      }
    }
}

TEST(Fill, RunsOneAfterTheOtherInABatch) {
  const auto engine = test_engine();
  EditedScene scene(*engine, rings(32), true);
  scene.apply({edit::FillEdit{.seed = {0, 0, 0}, .material = 1, .shape = {}},
               edit::FillEdit{.seed = {0, 0, 0}, .material = 6, .shape = {}},
               edit::PaintEdit{.shape = {}, .mode = edit::PaintMode::Replace, .material = 2, .replaced = 6}});
  scene.expect_same();
}

std::string problem_of(EditedScene& scene, const edit::Edit& edit) {
  try {
    scene.session().apply({&edit, 1});
    return "none";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(Fill, BeyondItsLimitChangesNothingAndSaysHowManyVoxelsThereAre) {
  const auto engine = test_engine();
  EditedScene scene(*engine, rings(32), true);
  const edit::FillEdit edit = {.seed = {0, 0, 0}, .material = 7, .shape = {}};
  std::vector<Dense> scenes = scene.scenes();
  const uint64_t voxels = DenseEditor(scenes).flooded(edit).size();
  const edit::SceneState state = scene.session().state();
  edit::FillEdit limited = edit;
  limited.limit = voxels - 1;
  EXPECT_EQ(problem_of(scene, limited), "a fill reaches " + format_count(voxels) +
                                            " voxels, more than its limit of " + format_count(voxels - 1));
  EXPECT_EQ(scene.session().state(), state);
  scene.expect_same();
  limited.limit = voxels;
  scene.apply(limited);
  scene.expect_same();
}

TEST(Fill, NeedsASeedInTheGridAndInTheShape) {
  const auto engine = test_engine();
  EditedScene scene(*engine, rings(20), true);
  for (const Int3& seed : {Int3{-1, 0, 0}, {0, 20, 0}, {0, 0, 31}, {0, 0, 32}})
    EXPECT_EQ(problem_of(scene, edit::FillEdit{.seed = seed, .shape = {}}),
              "the seed of a fill lies outside of the grid");
  const edit::Shape shape = {.kind = edit::ShapeKind::Sphere, .a = {0, 0, 0}, .radius = 5 * 256};
  EXPECT_EQ(problem_of(scene, edit::FillEdit{.seed = {5, 0, 0}, .shape = shape}),
            "the seed of a fill lies outside of its shape");
  scene.expect_same();
}

}  // namespace
}  // namespace vox
