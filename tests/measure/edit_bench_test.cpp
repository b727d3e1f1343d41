// Compares the results of the benchmark of edits with the same edits in a plain session.
#include "libvox/measure/edit_bench.h"

#include <gtest/gtest.h>

#include "libvox/base/error.h"
#include "tests/common/test_engine.h"
#include "tests/dag/dense_dag.h"

namespace vox {
namespace {

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
  const auto session = engine.edit(dag);
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
  EXPECT_THROW(measure::bench_edit(*test_engine(), dag::empty_dag(kSide, true), few_edits()), Error);
}

}  // namespace
}  // namespace vox
