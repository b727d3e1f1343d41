// Compares the results of the benchmark of conversions with a conversion by the engine alone.

#include <gtest/gtest.h>

#include <map>

#include "libvox/base/error.h"
#include "libvox/base/morton.h"
#include "libvox/edit/edit_session.h"
#include "libvox/measure/convert_bench.h"
#include "libvox/measure/edit_bench.h"
#include "libvox/measure/stats.h"
#include "libvox/scene/auto_palette.h"
#include "libvox/scene/procedural/procedural.h"
#include "tests/common/test_engine.h"
#include "tests/dag/dense_dag.h"

namespace vox {
namespace {

using measure::ConvertBenchOptions;
using measure::ConvertBenchResult;
using measure::ConvertBenchRow;
using measure::ConvertSource;

ConvertSource sphere_source(uint64_t triangles) {
  ConvertSource source;
  source.name = "sphere";
  source.load = [=] { return scene::make_bumpy_sphere({.triangles = triangles, .texture_size = 16}); };
  return source;
}

EngineOptions test_engine_options() {
  return {.device = test_device()};
}

ConvertBenchOptions few_conversions() {
  ConvertBenchOptions options;
  options.resolutions = {20, 64};
  options.coverages = {scene::Coverage::Conservative, scene::Coverage::Thin};
  options.repetitions = 2;
  return options;
}

TEST(ConvertBench, HasARowForEachValueOfTheAxesWithTheSceneThatTheEngineBuilds) {
  ConvertSource source = sphere_source(500);
  std::vector<dag::Digest> written;
  source.write = [&](const dag::VoxelScene& scene) {
    written.push_back(scene.dag.digest);
    return measure::WrittenScene{12, 0.5};
  };
  const ConvertBenchOptions options = few_conversions();
  const ConvertBenchResult result = measure::bench_convert(test_engine_options(), {source}, options);
  ASSERT_EQ(result.rows.size(), 2u * 2 * 2);
  size_t at = 0;
  for (const scene::MaterialMode materials : options.materials)
    for (const scene::Coverage coverage : options.coverages)
      for (const uint32_t resolution : options.resolutions) {
        scene::Scene scene = source.load();
        const scene::IndexedScene indexed = scene::choose_palette(scene, {.materials = materials}).indexed;
        const dag::FrozenDag expected =
            test_engine()
                ->build(scene, indexed, voxelize::fit_grid(scene, {.resolution = resolution}),
                        {.coverage = coverage, .materials = materials != scene::MaterialMode::None})
                .dag;
        const ConvertBenchRow& row = result.rows[at];
        EXPECT_EQ(row.resolution, resolution);
        EXPECT_EQ(row.coverage, coverage);
        EXPECT_EQ(row.materials, materials);
        EXPECT_EQ(row.voxels, expected.voxels);
        EXPECT_EQ(row.nodes, expected.unique_nodes());
        EXPECT_EQ(row.file_bytes, 12u);
        ASSERT_TRUE(row.phases.write);
        EXPECT_EQ(row.phases.write->median, 0.5);
        EXPECT_FALSE(row.phases.load);
        EXPECT_GE(row.phases.build.median, row.phases.freeze.min);
        EXPECT_GE(row.time.max, row.phases.voxelize.min + row.phases.build.min);
        for (size_t repetition = 0; repetition < 3; ++repetition)
          EXPECT_EQ(written.at(3 * at + repetition), expected.digest);
        ++at;
      }
}

TEST(ConvertBench, LoadsAFileAnewForEachRepetitionAndTimesIt) {
  ConvertSource source = sphere_source(100);
  source.is_file = true;
  uint32_t loads = 0;
  source.load = [&loads, load = source.load] {
    ++loads;
    return load();
  };
  ConvertBenchOptions options = few_conversions();
  options.materials = {scene::MaterialMode::Texture};
  const ConvertBenchResult result = measure::bench_convert(test_engine_options(), {source}, options);
  EXPECT_EQ(loads, 3u);
  for (const ConvertBenchRow& row : result.rows) EXPECT_TRUE(row.phases.load.has_value());
}

TEST(ConvertBench, HasTheKernelsOfEachRowWhereAProfileIsAskedFor) {
  ConvertBenchOptions options = few_conversions();
  options.materials = {scene::MaterialMode::None};
  EngineOptions engine = test_engine_options();
  for (const bool profile : {false, true}) {
    engine.profile = profile;
    for (const ConvertBenchRow& row : measure::bench_convert(engine, {sphere_source(100)}, options).rows)
      EXPECT_EQ(row.kernels.empty(), !profile);
  }
}

TEST(ConvertBench, RefusesWhatCannotBeMeasured) {
  const auto refused = [](const auto& change) {
    ConvertBenchOptions options = few_conversions();
    change(options);
    EXPECT_THROW(measure::bench_convert(test_engine_options(), {sphere_source(100)}, options), UsageError);
  };
  refused([](ConvertBenchOptions& o) { o.repetitions = 0; });
  refused([](ConvertBenchOptions& o) { o.resolutions = {2}; });
  refused([](ConvertBenchOptions& o) { o.coverages = {}; });
  refused([](ConvertBenchOptions& o) { o.materials = {}; });
}

// Compares the results of the benchmark of edits with the same edits in a plain session.

using measure::EditBenchOptions;
using measure::EditBenchResult;
using measure::EditBenchRow;
using measure::EditOrder;
using measure::EditSeriesKind;

constexpr uint32_t kSide = 64;

// A wavy floor.
dag::FrozenDag wavy_floor(bool materials) {
  return dense_dag(kSide, materials, [](uint32_t x, uint32_t y, uint32_t z) {
    const uint32_t height = 20 + (x * x + 3 * z) / 7 % 9;
    return y == height || y + 1 == height ? static_cast<int>((x / 5 + z) % 16) : dag::kEmptyVoxel;
  });
}

EditBenchOptions few_edits() {
  EditBenchOptions options;
  options.radii = {3, 9};
  options.sides = {5, 16};
  options.small_radius = 2;
  options.batches = {1, 8};
  options.copies = 3;
  options.small = 20;
  options.repetitions = 2;
  options.orders = {EditOrder::Fresh, EditOrder::Collected, EditOrder::Sequence};
  return options;
}

// The work of a step's edits in a session that has done those of the previous steps.
struct ByHand {
  uint64_t nodes_new = 0, leaves_new = 0, changed_voxels = 0;
};

ByHand done_by_hand(Engine& engine, const dag::FrozenDag& dag, const measure::EditSeries& series,
                    size_t which) {
  const auto session = edit::make_edit_session(engine.handle(), engine.table(), dag);
  ByHand sum;
  for (size_t i = series.order == EditOrder::Sequence ? 0 : which; i <= which; ++i) {
    sum = {};
    const edit::SceneState before = session->state();
    for (const edit::Edit& edit : series.steps[i].edits) {
      const edit::EditWork work = session->apply({&edit, 1});
      sum.nodes_new += work.nodes.inserted;
      sum.leaves_new += work.leaves.inserted;
    }
    sum.changed_voxels = session->changed_voxels(before, session->state());
  }
  return sum;
}

TEST(EditBench, SaysOfEachRowWhatTheSameEditsDoInASessionOfTheirOwn) {
  const auto engine = test_engine();
  for (const bool materials : {true, false}) {
    const dag::FrozenDag dag = wavy_floor(materials);
    const EditBenchOptions options = few_edits();
    const EditBenchResult result = measure::bench_edit(*engine, dag, options);
    size_t row = 0;
    for (const measure::EditSeries& series : measure::edit_series(dag, options, result.sizes))
      for (size_t step = 0; step < series.steps.size(); ++step, ++row) {
        const EditBenchRow& is = result.rows.at(row);
        EXPECT_EQ(is.kind, series.kind);
        EXPECT_EQ(is.order, series.order);
        EXPECT_EQ(is.edits, series.steps[step].edits.size());
        ASSERT_TRUE(is.edited);
        EXPECT_EQ(is.edited->size, series.steps[step].size);
        EXPECT_GE(is.time.median, is.edited->down.min + is.edited->up.min);
        const ByHand expected = done_by_hand(*engine, dag, series, step);
        EXPECT_EQ(is.edited->changed_voxels, expected.changed_voxels) << row;
        if (series.steps[step].batch > 1) continue;  // in a batch, edits share the nodes above them
        EXPECT_EQ(is.edited->work.nodes.inserted, expected.nodes_new) << row;
        EXPECT_EQ(is.edited->work.leaves.inserted, expected.leaves_new) << row;
      }
    EXPECT_EQ(row + 2, result.rows.size());  // plus two collections
  }
}

TEST(EditBench, CollectsNothingOfASceneAsItWasReadAndAllThatSpheresHaveLeft) {
  const dag::FrozenDag dag = wavy_floor(true);
  EditBenchOptions options = few_edits();
  options.series = {EditSeriesKind::Collect, EditSeriesKind::Spheres};
  const EditBenchResult result = measure::bench_edit(*test_engine(), dag, options);
  uint64_t made = 0;
  for (const EditBenchRow& row : result.rows)
    if (row.edited && row.order == EditOrder::Sequence)
      made += row.edited->work.nodes.inserted + row.edited->work.leaves.inserted;
  const auto &fresh = result.rows.at(result.rows.size() - 2), &after = result.rows.back();
  ASSERT_TRUE(fresh.collected && after.collected);
  EXPECT_EQ(fresh.collected->work.items_before, fresh.collected->work.items_after);
  EXPECT_GT(made, 0u);
  EXPECT_EQ(after.collected->work.items_before, after.collected->work.items_after + made);
  EXPECT_EQ(after.collected->work.items_after, fresh.collected->work.items_after);
}

TEST(EditBench, MeasuresTheSameEditsWithEveryTable) {
  const auto engine = test_engine();
  const dag::FrozenDag dag = wavy_floor(true);
  EditBenchOptions options = few_edits();
  options.repetitions = 1;
  const EditBenchResult one = measure::bench_edit(*engine, dag, options);
  options.tables = hash::table_names();
  options.processor = true;
  std::vector<std::string> names = options.tables;
  names.emplace_back(EditBenchOptions::kProcessorName);
  for (const hash::Duplicates duplicates : {hash::Duplicates::Open, hash::Duplicates::Slabs}) {
    options.duplicates = duplicates;
    const EditBenchResult all = measure::bench_edit(*engine, dag, options);
    ASSERT_EQ(all.rows.size(), one.rows.size() * names.size());
    for (size_t i = 0; i < all.rows.size(); ++i) {
      const EditBenchRow &row = all.rows[i], &alone = one.rows[i % one.rows.size()];
      const bool processor = i / one.rows.size() == options.tables.size();
      EXPECT_EQ(row.table, names[i / one.rows.size()]);
      EXPECT_EQ(row.kind, alone.kind);
      EXPECT_EQ(row.edits, alone.edits);
      if (!row.edited) continue;
      EXPECT_TRUE(row.edited->digest && !alone.edited->digest);
      EXPECT_EQ(row.edited->changed_voxels, alone.edited->changed_voxels);
      EXPECT_EQ(row.edited->work.nodes.inserted, alone.edited->work.nodes.inserted);
      EXPECT_EQ(row.edited->work.leaves.inserted, alone.edited->work.leaves.inserted);
      const hash::SearchCounts& searches = row.edited->searches;
      const uint64_t distinct = row.edited->work.nodes.distinct + row.edited->work.leaves.distinct;
      EXPECT_EQ(searches.searches, row.table == "sector" || processor ? 0 : distinct) << row.table;
      ASSERT_EQ(row.edited->upload.has_value(), processor);
      if (processor) {
        EXPECT_GT(row.time.median, row.edited->upload->median);
      }
      EXPECT_LE(searches.false_candidates, searches.slabs * 32) << row.table;
    }
  }
}

TEST(EditBench, FindsDuplicatesInTheWayThatIsAskedFor) {
  EditBenchOptions options = few_edits();
  options.repetitions = 1;
  options.tables = {"accel8"};
  options.series = {EditSeriesKind::Spheres};
  options.orders = {EditOrder::Fresh};
  for (const hash::Duplicates duplicates : {hash::Duplicates::Open, hash::Duplicates::Slabs}) {
    options.duplicates = duplicates;
    const auto engine = test_engine({.profile = true});
    const EditBenchResult result = measure::bench_edit(*engine, wavy_floor(true), options);
    ASSERT_EQ(result.rows.size(), 2u);
    for (const EditBenchRow& row : result.rows)
      EXPECT_EQ(std::ranges::count(row.kernels, "enter items for duplicates", &device::KernelTime::name),
                duplicates == hash::Duplicates::Slabs ? 1 : 0);
  }
}

TEST(EditBench, FailsIfTwoTablesLeadToDifferentScenes) {
  EditBenchOptions options = few_edits();
  options.repetitions = 1;
  options.tables = {"sector", "accel8"};
  const EditBenchResult both = measure::bench_edit(*test_engine(), wavy_floor(false), options);
  const auto middle = both.rows.begin() + static_cast<std::ptrdiff_t>(both.rows.size() / 2);
  const std::vector<EditBenchRow> first(both.rows.begin(), middle), second(middle, both.rows.end());
  EXPECT_NO_THROW(measure::check_same_scenes(first, second));
  for (size_t i = 0; i < second.size(); ++i) {
    std::vector<EditBenchRow> wrong = second;
    if (wrong[i].edited)
      ++wrong[i].edited->digest->low;
    else
      ++wrong[i].collected->work.items_after;
    EXPECT_THROW(measure::check_same_scenes(first, wrong), Error) << i;
  }
}

TEST(EditBench, AddsTheKernelsOfEachRowFromAnEngineWithAProfile) {
  const dag::FrozenDag dag = wavy_floor(true);
  EditBenchOptions options = few_edits();
  options.series = {EditSeriesKind::Small, EditSeriesKind::Collect};
  EditBenchResult result = measure::bench_edit(*test_engine(), dag, options);
  for (const EditBenchRow& row : result.rows) EXPECT_TRUE(row.kernels.empty());
  const double before = result.rows[0].time.median;
  measure::add_kernels(result, *test_engine({.profile = true}), dag, options);
  for (const EditBenchRow& row : result.rows) EXPECT_FALSE(row.kernels.empty());
  EXPECT_EQ(result.rows[0].time.median, before);
  const auto launches = [](const EditBenchRow& row) {
    uint64_t sum = 0;
    for (const device::KernelTime& kernel : row.kernels) sum += kernel.launches;
    return sum;
  };
  EXPECT_GT(launches(result.rows[0]), launches(result.rows[1]));  // one pass for each sphere; one for eight
}

TEST(EditBench, HasTheSizesOfThePaperAtItsResolutionAndFewerBelow) {
  const measure::EditBenchSizes large = measure::sizes_of({}, 1 << 17, "cuda:0");
  EXPECT_EQ(large.radii.size(), 12u);
  EXPECT_EQ(large.radii.front(), 1140u);
  EXPECT_EQ(large.radii.back(), 1820u);
  EXPECT_EQ(measure::sizes_of({}, 1 << 16, "cuda:0").sides.back(), 586u);
  const measure::EditBenchSizes small = measure::sizes_of({}, 64, "cpu");
  EXPECT_EQ(small.radii, std::vector<uint32_t>{1});
  EXPECT_LT(small.copies, large.copies);
}

TEST(EditBench, RefusesWhatCannotBeMeasured) {
  const auto refused = [](const auto& change) {
    EditBenchOptions options = few_edits();
    change(options);
    EXPECT_THROW(measure::bench_edit(*test_engine(), wavy_floor(true), options), UsageError);
  };
  refused([](EditBenchOptions& o) { o.radii = {0}; });
  refused([](EditBenchOptions& o) { o.sides = {kSide + 1}; });
  refused([](EditBenchOptions& o) { o.batches = {}; });
  refused([](EditBenchOptions& o) { o.copies = 0; });
  refused([](EditBenchOptions& o) { o.repetitions = 0; });
  refused([](EditBenchOptions& o) { o.series = {}; });
  refused([](EditBenchOptions& o) { o.tables = {}; });
  refused([](EditBenchOptions& o) { o.tables = {"sector", "round"}; });
  EXPECT_THROW(measure::bench_edit(*test_engine(), dag::empty_dag(kSide, true), few_edits()), Error);
}

// Looks up random filled voxels in the dense grid from which the scene was made.

// A shell, a full block, and much empty space.
int shell_and_block(uint32_t x, uint32_t y, uint32_t z) {
  const uint32_t length2 = x * x + y * y + z * z;
  const bool block = x >= 16 && y < 8 && z >= 16;
  return block || (length2 >= 80 && length2 < 110) ? static_cast<int>(x % 16) : dag::kEmptyVoxel;
}

TEST(FilledPlaces, AreFilledVoxelsAndTheSameForASeed) {
  for (const bool materials : {true, false}) {
    const dag::FrozenDag dag = dense_dag(25, materials, shell_and_block);
    const std::vector<Int3> places = measure::filled_places(dag, 5, 3000);
    std::map<uint64_t, uint32_t> counts;
    for (const Int3& p : places) {
      const auto [x, y, z] = std::array{uint32_t(p.x), uint32_t(p.y), uint32_t(p.z)};
      EXPECT_NE(shell_and_block(x, y, z), dag::kEmptyVoxel) << x << "," << y << "," << z;
      ++counts[morton_encode(x, y, z)];
    }
    EXPECT_GT(counts.size(), 500u);
    EXPECT_EQ(measure::filled_places(dag, 5, 3000), places);
    EXPECT_NE(measure::filled_places(dag, 6, 3000), places);
  }
}

TEST(FilledPlaces, GiveEachChildOfANodeTheSameChance) {
  // One octant of the cube has two voxels and another one has one, which must be chosen every other time.
  const dag::FrozenDag dag = dense_dag(8, true, [](uint32_t x, uint32_t y, uint32_t z) {
    return y == 0 && z == 0 && (x < 2 || x == 7) ? 3 : dag::kEmptyVoxel;
  });
  std::map<int32_t, double> share;
  for (const Int3& place : measure::filled_places(dag, 1, 4000)) share[place.x] += 1 / 4000.;
  ASSERT_EQ(share.size(), 3u);
  EXPECT_NEAR(share[7], 0.5, 0.04);
  EXPECT_NEAR(share[0], 0.25, 0.04);
}

}  // namespace
}  // namespace vox
