#include "libvox/measure/edit_bench.h"

#include <fmt/format.h>

#include "libvox/base/error.h"
#include "libvox/base/progress.h"
#include "libvox/base/stopwatch.h"
#include "libvox/device/kernel_times.h"
#include "libvox/edit/editor.h"
#include "libvox/measure/repeated.h"

namespace vox::measure {
namespace {

// The result of running a step once.
struct StepRun {
  double seconds = 0;
  edit::EditWork work;
};

edit::Script script_of(const EditStep& step) {
  edit::Script script;
  script.path = "edits";
  for (const edit::Edit& edit : step.edits) {
    const auto line = static_cast<uint32_t>(script.commands.size() + 1);
    script.commands.push_back({.line = line, .action = edit});
  }
  script.total = script.commands.size();
  return script;
}

bool same_counts(const edit::EditCounts& a, const edit::EditCounts& b) {
  return a.made == b.made && a.inserted == b.inserted;
}

// Collects the times of a step's repetitions, and what is the same in all of them.
class StepTimes {
 public:
  explicit StepTimes(const EditStep& step) : edits_(static_cast<double>(step.edits.size())) {}

  void add(const StepRun& run) {
    if (!seconds_.empty() &&
        !(same_counts(run.work.nodes, work_.nodes) && same_counts(run.work.leaves, work_.leaves)))
      throw Error(fmt::format(
          "two repetitions of the same edits make {} and {} nodes, {} and {} of them new",
          work_.nodes.made + work_.leaves.made, run.work.nodes.made + run.work.leaves.made,
          work_.nodes.inserted + work_.leaves.inserted, run.work.nodes.inserted + run.work.leaves.inserted));
    work_ = run.work;
    seconds_.push_back(run.seconds / edits_);
    down_.push_back(run.work.octree_seconds / edits_);
    up_.push_back(run.work.merge_seconds / edits_);
  }

  void set(EditBenchRow& row) const {
    row.time = summarize(seconds_);
    row.edited->down = summarize(down_);
    row.edited->up = summarize(up_);
    row.edited->work = work_;
  }

 private:
  double edits_;
  edit::EditWork work_;
  std::vector<double> seconds_, down_, up_;  // per edit, for each repetition
};

class EditBench {
 public:
  EditBench(Engine& engine, const dag::FrozenDag& dag, EditBenchSizes sizes)
      : engine_(engine), dag_(dag), sizes_(std::move(sizes)) {}

  std::vector<EditBenchRow> run(const EditBenchOptions& options) {
    const std::vector<EditSeries> all = edit_series(dag_, options, sizes_);
    const bool collects = is_asked_for(options, EditSeriesKind::Collect);
    Progress progress("measuring", all.size() + (collects ? 1 : 0));
    for (size_t i = 0; i < all.size(); ++i) {
      measure(all[i]);
      progress.update(i + 1, kEditSeriesNames[static_cast<size_t>(all[i].kind)]);
    }
    if (!collects) return std::move(rows_);
    if (is_asked_for(options, EditOrder::Fresh)) measure_collections(EditOrder::Fresh, {});
    if (is_asked_for(options, EditOrder::Sequence))
      measure_collections(EditOrder::Sequence, sphere_steps(dag_, options, sizes_));
    return std::move(rows_);
  }

 private:
  // Starts a new session with the scene as it was read.
  void begin() {
    session_.reset();  // frees the old session before there is another one
    session_ = engine_.edit(dag_);
    read_ = session_->state();
  }

  // Restores the scene to the state in which it was read, and removes all newer nodes from the store.
  dag::CollectWork go_back() {
    session_->set_state(read_);
    return session_->collect({});
  }

  // The editor must not collect garbage, which would remove the state to which go_back() returns.
  StepRun apply(const EditStep& step) {
    StepRun run;
    const edit::Script script = script_of(step);
    edit::Editor editor(*session_, script, {}, {.batch = step.batch, .measure = false},
                        {.pass =
                             [&](const edit::PassRecord& pass) {
                               run.seconds += pass.seconds;
                               run.work += pass.work;
                             },
                         .collected =
                             [](const edit::CollectRecord&) {
                               throw Error("there is not enough memory for the results of the edits")
                                   .hint("use a lower resolution");
                             }});
    editor.run();
    return run;
  }

  // Runs a step for the first time and returns what does not change with the repetitions.
  EditBenchRow first_row(const EditSeries& series, const EditStep& step) {
    const edit::SceneState before = session_->state();
    const uint64_t bytes = session_->size().item_bytes;
    apply(step);
    return {
        .kind = series.kind,
        .order = series.order,
        .edits = step.edits.size(),
        .time = {},
        .edited = EditBenchRow::Edited{.size = step.size,
                                       .batch = step.batch,
                                       .down = {},
                                       .up = {},
                                       .work = {},
                                       .changed_voxels = session_->changed_voxels(before, session_->state()),
                                       .new_bytes = session_->size().item_bytes - bytes},
        .collected = {},
        .kernels = {}};
  }

  void measure(const EditSeries& series) {
    std::vector<EditBenchRow> rows;
    std::vector<StepTimes> times(series.steps.begin(), series.steps.end());
    for (uint32_t repetition = 0; repetition <= sizes_.repetitions; ++repetition)
      for (size_t i = 0; i < series.steps.size(); ++i) {
        if (series.order == EditOrder::Fresh || (repetition + i == 0) ||
            (series.order == EditOrder::Sequence && i == 0))
          begin();
        else if (series.order == EditOrder::Collected)
          go_back();
        if (repetition == 0) {
          rows.push_back(first_row(series, series.steps[i]));
          continue;
        }
        const std::vector<device::KernelTime> before = engine_.profile();
        times[i].add(apply(series.steps[i]));
        rows[i].kernels = kernels_since(before, engine_.profile());
      }
    for (size_t i = 0; i < rows.size(); ++i) {
      times[i].set(rows[i]);
      rows_.push_back(std::move(rows[i]));
    }
  }

  // Measures the collections after the steps were done one after the other and undone.
  void measure_collections(EditOrder order, const std::vector<EditStep>& steps) {
    EditBenchRow row = {.kind = EditSeriesKind::Collect,
                        .order = order,
                        .edits = 1,
                        .time = {},
                        .edited = {},
                        .collected = EditBenchRow::Collected(),
                        .kernels = {}};
    std::vector<double> mark, sweep;
    begin();
    row.time = repeated(sizes_.repetitions, [&](uint32_t) {
      for (const EditStep& step : steps) apply(step);
      const std::vector<device::KernelTime> before = engine_.profile();
      const Stopwatch watch;
      row.collected->work = go_back();
      const double seconds = watch.seconds();
      row.kernels = kernels_since(before, engine_.profile());
      mark.push_back(row.collected->work.mark_seconds);
      sweep.push_back(row.collected->work.sweep_seconds);
      return seconds;
    });
    row.collected->mark = summarize({mark.begin() + 1, mark.end()});  // the first repetition is not counted
    row.collected->sweep = summarize({sweep.begin() + 1, sweep.end()});
    rows_.push_back(std::move(row));
  }

  Engine& engine_;
  const dag::FrozenDag& dag_;
  const EditBenchSizes sizes_;
  std::unique_ptr<edit::EditSession> session_;
  edit::SceneState read_ = 0;  // the state of the scene as it was read
  std::vector<EditBenchRow> rows_;
};

}  // namespace

EditBenchResult bench_edit(Engine& engine, const dag::FrozenDag& dag, const EditBenchOptions& options) {
  check(options);
  if (dag.empty()) throw Error("the scene has no voxels: there is nothing to edit");
  const Stopwatch watch;
  EditBenchResult result = {.resolution = dag.resolution,
                            .voxels = dag.voxels,
                            .nodes = dag.unique_nodes(),
                            .bytes = dag.bytes(),
                            .sizes = sizes_of(options, dag.resolution, engine.device()),
                            .rows = {}};
  result.rows = EditBench(engine, dag, result.sizes).run(options);
  result.seconds = watch.seconds();
  return result;
}

void add_kernels(EditBenchResult& result, Engine& profiled, const dag::FrozenDag& dag,
                 const EditBenchOptions& options) {
  EditBenchOptions once = options;
  once.repetitions = 1;
  EditBenchResult timed = bench_edit(profiled, dag, once);
  for (size_t i = 0; i < result.rows.size(); ++i)
    result.rows.at(i).kernels = std::move(timed.rows.at(i).kernels);
  result.seconds += timed.seconds;
}

}  // namespace vox::measure
