// Compares the rows of the benchmark of a scene's forms with dense grids, and tests the options that it
// refuses.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <map>

#include "libvox/base/error.h"
#include "libvox/bricks/frozen_bricks.h"
#include "libvox/dag/walk.h"
#include "libvox/device/cpu_device.h"
#include "libvox/engine/engine.h"
#include "libvox/measure/form_loops.h"
#include "libvox/measure/forms_bench.h"
#include "libvox/spatial/frozen_hash.h"
#include "tests/common/random.h"
#include "tests/common/test_engine.h"
#include "tests/dag/dense_dag.h"
#include "tests/render/traced.h"

namespace vox {
namespace {

using measure::Form;
using measure::FormsBenchOptions;
using measure::FormsBenchResult;
using measure::FormsBenchRow;

constexpr uint32_t kGathers = 3000, kMeans = 500, kPicture = 21;

FormsBenchOptions small_forms_options() {
  FormsBenchOptions options;
  options.gathers = kGathers;
  options.means = kMeans;
  options.picture = kPicture;
  options.repetitions = 1;
  return options;
}

dag::VoxelScene scene_of(uint32_t resolution, bool materials, const DenseGrid& grid) {
  dag::VoxelScene scene;
  scene.dag = dense_dag(resolution, materials, grid);
  return scene;
}

FormsBenchResult benched(const dag::VoxelScene& scene, const FormsBenchOptions& options) {
  return measure::bench_forms(*test_engine(), scene, options);
}

// Returns a voxel's word, which is the same in all forms; 0 outside the grid.
uint8_t dense_word(const DenseGrid& grid, uint32_t side, Int3 at) {
  const auto outside = [&](int32_t i) { return i < 0 || i >= static_cast<int32_t>(side); };
  if (outside(at.x) || outside(at.y) || outside(at.z)) return 0;
  return static_cast<uint8_t>(
      grid(static_cast<uint32_t>(at.x), static_cast<uint32_t>(at.y), static_cast<uint32_t>(at.z)) + 1);
}

// The results that a loop must have: its counts and the checksum.
struct Expected {
  uint64_t lookups = 0, filled = 0, checksum = 0;
  void add(uint32_t word) {
    filled += word != 0 ? 1 : 0;
    checksum += bricks::mixed_word(lookups++, word);
  }
};

// Returns the first voxels of the 4³ blocks that are not empty, in Morton order.
std::vector<Int3> filled_blocks(const DenseGrid& grid, uint32_t side) {
  std::map<uint64_t, Int3> found;
  for (uint32_t z = 0; z < side; ++z)
    for (uint32_t y = 0; y < side; ++y)
      for (uint32_t x = 0; x < side; ++x)
        if (grid(x, y, z) != dag::kEmptyVoxel)
          found.try_emplace(morton_encode(x / 4, y / 4, z / 4),
                            Int3{int(x / 4 * 4), int(y / 4 * 4), int(z / 4 * 4)});
  std::vector<Int3> list;
  for (const auto& [code, corner] : found) list.push_back(corner);
  return list;
}

uint32_t dense_mean_bits(const DenseGrid& grid, uint32_t side, Int3 at) {
  uint32_t sum = 0;
  for (int32_t i = 0; i < 27; ++i)
    sum += dense_word(grid, side, at + Int3{i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1});
  return std::bit_cast<uint32_t>(static_cast<float>(sum) / 27);
}

TEST(FormsBench, AllFormsFindTheSameInAllLoops) {
  for (const bool materials : {true, false})
    for (const DenseGrid& grid :
         materials ? std::vector<DenseGrid>{shell, dust(3)} : std::vector<DenseGrid>{blocks}) {
      FormsBenchOptions options = small_forms_options();
      options.log2_sides = {0, 2, 6};
      const dag::VoxelScene scene = scene_of(37, materials, grid);
      const FormsBenchResult result = benched(scene, options);
      EXPECT_EQ(result.voxels, scene.dag.voxels);
      ASSERT_EQ(result.forms.size(), 1u + 3 + 2);
      ASSERT_EQ(result.rows.size(), result.forms.size() * measure::kFormLoopNames.size());
      for (size_t i = 0; i < result.rows.size(); ++i) {
        const FormsBenchRow& row = result.rows[i];
        EXPECT_EQ(row.error, "") << result.forms[row.form].size.text;
        EXPECT_EQ(row.form, i / 6);
        EXPECT_EQ(row.loop, measure::kFormLoopNames[i % 6]);
        EXPECT_EQ(row.checksum, result.rows[i % 6].checksum);
        EXPECT_EQ(row.filled, result.rows[i % 6].filled);
        EXPECT_GT(row.filled, 0u);
      }
    }
}

TEST(FormsBench, FindsWhatTheDenseGridHas) {
  constexpr uint32_t kSide = 32;
  FormsBenchOptions options = small_forms_options();
  options.gathers = uint64_t{1} << 16;  // enough to include all blocks
  options.means = options.gathers;
  const FormsBenchResult result = benched(scene_of(kSide, true, shell), options);
  std::map<std::string, Expected> expected;
  for (uint64_t i = 0; i < *options.gathers; ++i)
    expected["uniform"].add(dense_word(
        shell, kSide, bricks::RandomGather<bricks::DenseRef, uint8_t>::voxel(i, {kSide, kSide, kSide})));
  for (const Int3& corner : filled_blocks(shell, kSide))
    for (uint32_t bit = 0; bit < 64; ++bit) {
      const Int3 voxel = corner + cube_place(bit);
      expected["blocks"].add(dense_word(shell, kSide, voxel));
      expected["mean"].add(dense_mean_bits(shell, kSide, voxel));
    }
  EXPECT_EQ(expected["blocks"].filled, result.voxels);
  expected["mean"].lookups *= 27;
  for (const FormsBenchRow& row : result.rows)
    if (const auto found = expected.find(row.loop); found != expected.end()) {
      EXPECT_EQ(row.lookups, found->second.lookups) << row.loop;
      EXPECT_EQ(row.filled, found->second.filled) << row.loop;
      EXPECT_EQ(row.checksum, found->second.checksum) << row.loop;
    } else if (row.loop == "random") {
      EXPECT_GE(row.filled, row.lookups / 2);
      EXPECT_LT(row.filled, row.lookups);
    }
}

TEST(FormsBench, RaysHitWhatTheyHitInTheDenseGrid) {
  const dag::VoxelScene scene = scene_of(26, true, shell);
  FormsBenchOptions options = small_forms_options();
  options.gathers = 0;
  options.means = 0;
  const render::Camera camera = measure::camera_around(scene.dag, kPicture);
  const DenseScene dense(26, shell);
  Expected expected;
  for (uint32_t i = 0; i < kPicture * kPicture; ++i) {
    const uint32_t x = i % kPicture, y = i / kPicture;
    const Vec3d direction = camera.direction(x + 0.5, y + 0.5);
    const MaterialHit hit = dense.trace(render::make_ray(camera.log2_side, camera.eye, direction, 0));
    const measure::VoxelHit seen =
        hit.hit.found() ? measure::VoxelHit{hit.hit.low, static_cast<uint32_t>(hit.material + 1)}
                        : measure::VoxelHit{};
    expected.lookups += 1;
    expected.filled += seen.word != 0 ? 1 : 0;
    const uint64_t code =
        morton_encode(static_cast<uint32_t>(seen.voxel.x), static_cast<uint32_t>(seen.voxel.y),
                      static_cast<uint32_t>(seen.voxel.z));
    expected.checksum += bricks::mixed_word(i, seen.word) ^ mix64(code);
  }
  EXPECT_GT(expected.filled, 50u);
  for (const FormsBenchRow& row : benched(scene, options).rows) {
    EXPECT_EQ(row.loop, "rays");
    EXPECT_EQ(row.lookups, expected.lookups);
    EXPECT_EQ(row.filled, expected.filled);
    EXPECT_EQ(row.checksum, expected.checksum);
  }
}

TEST(FormsBench, SaysOfEveryLoopWhereAFormHoldsOtherVoxels) {
  const auto other = [](uint32_t x, uint32_t y, uint32_t z) { return std::max(shell(x, y, z) ^ 1, -1); };
  const dag::FrozenDag dag = dense_dag(40, true, shell), changed = dense_dag(40, true, other);
  device::CpuDevice device(0, false);
  measure::FormLoops<device::CpuDevice> loops(device, dag, dag.levels.back().svo_nodes, {2000, 2000, 20, 1},
                                              3);
  const render::RayDag<device::CpuDevice> first(device, dag), second(device, changed);
  const std::vector<FormsBenchRow> rows = loops.measure(measure::DagForm{first.ref()});
  for (const FormsBenchRow& row : measure::compared(rows, rows)) EXPECT_EQ(row.error, "");
  for (const FormsBenchRow& row : measure::compared(loops.measure(measure::DagForm{second.ref()}), rows))
    EXPECT_NE(row.error.find("other voxels"), std::string::npos) << row.loop;
}

TEST(FormsBench, SaysWhatFormsTake) {
  FormsBenchOptions options = small_forms_options();
  options.svdag_seconds = 1.5;
  options.log2_sides = {3};
  const dag::VoxelScene scene = scene_of(40, true, shell);
  const FormsBenchResult result = benched(scene, options);
  ASSERT_EQ(result.forms.size(), 4u);
  const measure::BenchedForm &svdag = result.forms[0], &bricks = result.forms[1], &hash = result.forms[3];
  EXPECT_EQ(svdag.size.bytes, scene.dag.bytes());
  EXPECT_EQ(svdag.build_seconds, 1.5);
  EXPECT_EQ(bricks.brick_side, 8u);
  EXPECT_EQ(bricks.size.text, "bricks of 8³");
  EXPECT_EQ(hash.size.text, "hash, 0.95, linear");
  EXPECT_GE(hash.size.bytes, scene.dag.voxels * 8);
  EXPECT_LT(hash.size.bytes, scene.dag.voxels * 10);
  ASSERT_EQ(result.ceilings.size(), 2u);
  for (const FormsBenchRow& row : result.rows) EXPECT_GT(row.lookups_per_second(), 0);
}

TEST(FormsBench, MeasuresFormsThatAreAskedForAndComparesThemWithTheSvdag) {
  FormsBenchOptions options = small_forms_options();
  options.forms = {Form::Hash};
  options.layouts = {spatial::CellKeyLayout::Linear};
  const FormsBenchResult result = benched(scene_of(16, true, blocks), options);
  ASSERT_EQ(result.forms.size(), 1u);
  EXPECT_EQ(result.forms[0].size.name, "hash");
  EXPECT_EQ(result.rows.size(), measure::kFormLoopNames.size());
}

TEST(FormsBench, RefusesScenesWithoutVoxelsAndOptionsThatMeasureNothing) {
  EXPECT_THROW(benched(scene_of(16, true, nowhere), small_forms_options()), Error);
  const auto refused = [](const auto& change) {
    FormsBenchOptions options = small_forms_options();
    change(options);
    EXPECT_THROW(measure::check(options), UsageError);
  };
  refused([](FormsBenchOptions& options) { options.forms.clear(); });
  refused([](FormsBenchOptions& options) { options.log2_sides = {10}; });
  refused([](FormsBenchOptions& options) { options.load_factors = {1.01}; });
  refused([](FormsBenchOptions& options) { options.load_factors.clear(); });
  refused([](FormsBenchOptions& options) { options.layouts.clear(); });
  refused([](FormsBenchOptions& options) { options.filter = 4; });
  refused([](FormsBenchOptions& options) { options.picture = 100000; });
  refused([](FormsBenchOptions& options) { options.repetitions = 0; });
  refused([](FormsBenchOptions& options) { options.gathers = options.means = options.picture = 0; });
  refused([](FormsBenchOptions& options) { options.gathers = uint64_t{1} << 33; });
}

// Compares the hits of rays in bricks and in spatial hashes, and the values of voxels there, with dense
// grids.

// A dense scene in all forms, in host memory.
struct InAllForms {
  Traced traced;
  dag::VoxelScene scene;
  spatial::FrozenHash morton, linear;
  bricks::FrozenBricks small, large;

  InAllForms(Engine& engine, uint32_t resolution, const DenseGrid& grid) : traced(resolution, grid) {
    scene.dag = traced.frozen;
    morton = spatial::build_hash(engine.handle(), scene.dag, {.layout = spatial::CellKeyLayout::Morton}).hash;
    linear = spatial::build_hash(engine.handle(), scene.dag, {.layout = spatial::CellKeyLayout::Linear}).hash;
    const auto bricks_of = [&](uint32_t log2_side) {
      return bricks::build_bricks(engine.handle(), dag::scene_volume(scene),
                                  {.log2_side = log2_side, .threshold = {}})
          .bricks;
    };
    small = bricks_of(2);
    large = bricks_of(4);
  }

  template <class F>
  void each_form(const F& f) const {
    f(measure::DagForm{traced.dag.ref()}, "the SVDAG");
    f(measure::BricksForm<bricks::DenseRootRef>{{ref(small)}}, "bricks of 4³");
    f(measure::BricksForm<bricks::DenseRootRef>{{ref(large)}}, "bricks of 16³");
    f(measure::HashForm{ref(morton)}, "the hash by Morton codes");
    f(measure::HashForm{ref(linear)}, "the hash by rows");
  }
};

TEST(VoxelSteps, HitTheVoxelsThatRaysHitInADenseGrid) {
  const std::unique_ptr<Engine> engine = make_engine({.device = "cpu"});
  Random random(7);
  for (const Case& test : sampled(cases())) {
    const InAllForms forms(*engine, test.resolution, test.grid);
    int hits = 0;
    for (int i = 0; i < std::min(test.rays / 20, 100); ++i) {
      const render::Ray ray = random_ray(forms.traced, random);
      const MaterialHit expected = forms.traced.dense.trace(ray);
      hits += expected.hit.found() ? 1 : 0;
      forms.each_form([&](const auto& form, const char* name) {
        const measure::VoxelHit hit = form.first(ray);
        ASSERT_EQ(hit.word, static_cast<uint32_t>(expected.material + 1)) << name << ", " << test.resolution;
        if (hit.word != 0) {
          ASSERT_EQ(hit.voxel, expected.hit.low) << name << ", " << test.resolution;
        }
      });
    }
    EXPECT_GT(hits, 0) << test.resolution;
  }
}

TEST(VoxelSteps, EveryVoxelHasTheWordOfTheDenseGridInAllForms) {
  const std::unique_ptr<Engine> engine = make_engine({.device = "cpu"});
  for (const DenseGrid& grid : all_grids()) {
    constexpr int32_t kSide = 22;
    const InAllForms forms(*engine, kSide, grid);
    for (int32_t i = 0; i < kSide * kSide * kSide; ++i) {
      const Int3 at = {i % kSide, i / kSide % kSide, i / kSide / kSide};
      const int expected =
          grid(static_cast<uint32_t>(at.x), static_cast<uint32_t>(at.y), static_cast<uint32_t>(at.z)) + 1;
      forms.each_form([&](const auto& form, const char* name) {
        ASSERT_EQ(form.template get<uint8_t>(at), expected) << name << ", voxel " << i;
      });
    }
  }
}

}  // namespace
}  // namespace vox
