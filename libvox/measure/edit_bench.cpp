#include "libvox/measure/edit_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "libvox/base/error.h"
#include "libvox/base/progress.h"
#include "libvox/device/handle.h"
#include "libvox/device/profiler.h"
#include "libvox/edit/editor.h"
#include "libvox/measure/stats.h"
#include "libvox/measure/timing.h"
#include "libvox/scene/palette.h"

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

// A leaf and a node with equal words are one item of the store. Nodes consist of pointers, which differ between
// repetitions, so that a few more or fewer of them are new.
bool same_counts(const edit::EditCounts& a, const edit::EditCounts& b) {
  const uint64_t more = std::max(a.inserted, b.inserted) - std::min(a.inserted, b.inserted);
  return a.made == b.made && a.distinct == b.distinct && more <= 1 + a.inserted / 10000;
}

// Collects the times of a step's repetitions, and what is the same in all of them.
class StepTimes {
 public:
  explicit StepTimes(const EditStep& step) : edits_(static_cast<double>(step.edits.size())) {}

  void add(const StepRun& run) {
    if (!seconds_.empty() &&
        !(same_counts(run.work.nodes, work_.nodes) && same_counts(run.work.leaves, work_.leaves)))
      throw Error(fmt::format(
          "two repetitions of the same edits make {} and {} nodes, {} and {} of them different, {} and {} "
          "new",
          work_.nodes.made + work_.leaves.made, run.work.nodes.made + run.work.leaves.made,
          work_.nodes.distinct + work_.leaves.distinct, run.work.nodes.distinct + run.work.leaves.distinct,
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
  EditBench(Engine& engine, const dag::FrozenDag& dag, EditBenchSizes sizes, const EditBenchOptions& options)
      : engine_(engine), dag_(dag), sizes_(std::move(sizes)), options_(options) {}

  // Returns the rows of a table.
  std::vector<EditBenchRow> run(const std::string& table) {
    table_ = table;
    rows_.clear();
    const std::vector<EditSeries> all = edit_series(dag_, options_, sizes_);
    const bool collects = is_asked_for(options_, EditSeriesKind::Collect);
    Progress progress("measuring " + table, all.size() + (collects ? 1 : 0));
    for (size_t i = 0; i < all.size(); ++i) {
      measure(all[i]);
      progress.update(i + 1, kEditSeriesNames[static_cast<size_t>(all[i].kind)]);
    }
    if (collects && is_asked_for(options_, EditOrder::Fresh)) measure_collections(EditOrder::Fresh, {});
    if (collects && is_asked_for(options_, EditOrder::Sequence))
      measure_collections(EditOrder::Sequence, sphere_steps(dag_, options_, sizes_));
    session_.reset();
    return std::move(rows_);
  }

 private:
  // Starts a new session with the scene as it was read.
  void begin() {
    session_.reset();  // frees the old session before there is another one
    session_ = edit::make_edit_session(engine_.handle(), table_, dag_, options_.duplicates);
    read_ = session_->state();
  }

  // Restores the scene to the state in which it was read, and removes all newer nodes from the store.
  dag::CollectWork go_back() {
    session_->set_state(read_);
    return session_->collect({});
  }

  // Returns the scene's digest, if there are several tables to compare.
  std::optional<dag::Digest> digest_now() {
    if (options_.tables.size() == 1 && !options_.processor) return std::nullopt;
    return session_->freeze().digest;
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
    hash::SearchCounts searches;
    session_->count_searches(&searches);
    apply(step);
    session_->count_searches(nullptr);
    return {
        .table = table_,
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
                                       .new_bytes = session_->size().item_bytes - bytes,
                                       .searches = searches,
                                       .digest = digest_now(),
                                       .upload = {}},
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
    EditBenchRow row = {.table = table_,
                        .kind = EditSeriesKind::Collect,
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
  const EditBenchOptions& options_;
  std::string table_;
  std::unique_ptr<edit::EditSession> session_;
  edit::SceneState read_ = 0;  // the state of the scene as it was read
  std::vector<EditBenchRow> rows_;
};

Timing sum_of(const Timing& a, const Timing& b) {
  return {a.median + b.median, a.min + b.min, a.max + b.max};
}

// Returns the rows of the processor, whose edits are done when their new items are on the engine's device.
std::vector<EditBenchRow> processor_rows(Engine& engine, const dag::FrozenDag& dag,
                                         const EditBenchSizes& sizes, const EditBenchOptions& options) {
  const std::unique_ptr<Engine> processor = make_engine({.device = "cpu"});
  std::vector<EditBenchRow> rows = EditBench(*processor, dag, sizes, options).run(hash::TableOptions().table);
  for (EditBenchRow& row : rows) {
    row.table = EditBenchOptions::kProcessorName;
    if (!row.edited) continue;
    row.edited->upload = upload_time(engine, row.edited->new_bytes / row.edits, sizes.repetitions);
    row.time = sum_of(row.time, *row.edited->upload);
  }
  return rows;
}

std::string text_of(const EditBenchRow& row) {
  const auto name = [](const auto& names, auto value) { return names[static_cast<size_t>(value)]; };
  return fmt::format("{}, {}, {}", row.table, name(kEditSeriesNames, row.kind),
                     name(kEditOrderNames, row.order)) +
         (row.edited ? fmt::format(", {}", row.edited->size) : "");
}

}  // namespace

void check_same_scenes(const std::vector<EditBenchRow>& first, const std::vector<EditBenchRow>& rows) {
  for (size_t i = 0; i < rows.size(); ++i) {
    const EditBenchRow &a = first.at(i), &b = rows[i];
    const bool same = b.edited ? a.edited->digest == b.edited->digest
                               : a.collected->work.items_after == b.collected->work.items_after;
    if (!same)
      throw Error(fmt::format("two tables lead to different {}: {}; {}",
                              b.edited ? "scenes" : "numbers of items", text_of(a), text_of(b)));
  }
}

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
  EditBench bench(engine, dag, result.sizes, options);
  const std::vector<EditBenchRow> first = bench.run(options.tables.front());
  result.rows = first;
  const auto add = [&](std::vector<EditBenchRow> rows) {
    check_same_scenes(first, rows);
    std::ranges::move(rows, std::back_inserter(result.rows));
  };
  for (size_t i = 1; i < options.tables.size(); ++i) add(bench.run(options.tables[i]));
  if (options.processor) add(processor_rows(engine, dag, result.sizes, options));
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

namespace {

// Returns sizes from `first` to `last`, which are for a resolution of `of`, scaled to another resolution,
// without duplicates.
std::vector<uint32_t> paper_sizes(double first, double last, double of, uint32_t resolution) {
  constexpr uint32_t kCount = 12;
  std::vector<uint32_t> sizes;
  for (uint32_t i = 0; i < kCount; ++i) {
    const double size = (first + (last - first) * i / (kCount - 1)) * resolution / of;
    sizes.push_back(std::max(1u, static_cast<uint32_t>(size + 0.5)));
  }
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

edit::Edit sphere_at(const Int3& voxel, uint32_t radius, uint8_t material) {
  const auto center = [](int32_t at) { return at * edit::kEditUnits + edit::kEditUnits / 2; };
  return edit::PaintEdit{.shape = {.kind = edit::ShapeKind::Sphere,
                                   .a = {center(voxel.x), center(voxel.y), center(voxel.z)},
                                   .radius = radius * edit::kEditUnits},
                         .material = material};
}

uint8_t material_of(const dag::FrozenDag& dag, size_t i) {
  return dag.materials ? static_cast<uint8_t>(i % scene::kPaletteSize) : uint8_t{0};
}

// Returns the lowest corner of a box of this side around a voxel, moved by `shift` along x. A box that would
// leave the grid starts again at its beginning.
Int3 box_corner(const Int3& voxel, uint32_t side, uint64_t shift, uint32_t resolution) {
  const auto last = static_cast<int32_t>(resolution - side), half = static_cast<int32_t>(side / 2);
  const auto low = [&](int32_t at) { return std::clamp(at - half, 0, last); };
  const auto x = (static_cast<uint64_t>(low(voxel.x)) + shift) % (static_cast<uint64_t>(last) + 1);
  return {static_cast<int32_t>(x), low(voxel.y), low(voxel.z)};
}

// Returns `count` copies of boxes of this side. Each is an eighth of the side further along x than the one
// before, as if a user dragged them.
std::vector<edit::Edit> dragged_copies(const Int3& from, const Int3& to, uint32_t side, uint32_t count,
                                       uint32_t resolution) {
  const auto cells = static_cast<int32_t>(side);
  std::vector<edit::Edit> edits;
  for (uint32_t i = 0; i < count; ++i) {
    const uint64_t shift = i * uint64_t{side / 8 + 1};
    const Int3 corner = box_corner(from, side, shift, resolution);
    edits.emplace_back(edit::CopyEdit{.source = {corner, corner + Int3{cells, cells, cells}},
                                      .to = box_corner(to, side, shift, resolution)});
  }
  return edits;
}

std::vector<EditStep> copy_steps(const dag::FrozenDag& dag, const EditBenchOptions& options,
                                 const EditBenchSizes& sizes, uint32_t copies) {
  const std::vector<Int3> places = filled_places(dag, options.seed + 1, 2 * sizes.sides.size());
  std::vector<EditStep> steps;
  for (size_t i = 0; i < sizes.sides.size(); ++i)
    steps.push_back(
        {sizes.sides[i], 1,
         dragged_copies(places[2 * i], places[2 * i + 1], sizes.sides[i], copies, dag.resolution)});
  return steps;
}

std::vector<EditStep> small_steps(const dag::FrozenDag& dag, const EditBenchOptions& options,
                                  const EditBenchSizes& sizes) {
  const std::vector<Int3> places = filled_places(dag, options.seed + 2, sizes.small);
  std::vector<edit::Edit> edits;
  for (size_t i = 0; i < places.size(); ++i)
    edits.push_back(sphere_at(places[i], options.small_radius, material_of(dag, i)));
  std::vector<EditStep> steps;
  for (const uint32_t batch : options.batches) steps.push_back({options.small_radius, batch, edits});
  return steps;
}

}  // namespace

bool is_asked_for(const EditBenchOptions& options, EditSeriesKind kind) {
  return std::ranges::find(options.series, kind) != options.series.end();
}

bool is_asked_for(const EditBenchOptions& options, EditOrder order) {
  return std::ranges::find(options.orders, order) != options.orders.end();
}

void check(const EditBenchOptions& options) {
  if (options.series.empty() || options.orders.empty() || options.batches.empty())
    throw UsageError("nothing to measure: series, orders and batches need at least one value");
  if (options.tables.empty()) throw UsageError("nothing to measure: the list of hash tables is empty");
  check_names(options.tables, hash::table_names(), "the list of hash tables");
  const auto check_each = [](const std::vector<uint32_t>& values, const char* what, uint64_t most) {
    for (const uint32_t value : values)
      if (value < 1 || value > most)
        throw UsageError(fmt::format("{} of {}, expected 1 to {}", what, value, most));
  };
  check_each(options.radii, "a sphere with a radius", edit::kMaxEditRadius);
  check_each(options.sides, "a box with a side", edit::kMaxEditRadius);
  check_each({options.small_radius}, "a small sphere with a radius", edit::kMaxEditRadius);
  check_each(options.batches, "a batch", EditBenchOptions::kMostEdits);
  check_each({options.copies.value_or(1)}, "a number of copies", EditBenchOptions::kMostEdits);
  check_each({options.small.value_or(1)}, "a number of small spheres", EditBenchOptions::kMostEdits);
  check_each({options.repetitions.value_or(1)}, "a number of repetitions",
             EditBenchOptions::kMostRepetitions);
}

EditBenchSizes sizes_of(const EditBenchOptions& options, uint32_t resolution, const std::string& device) {
  using Options = EditBenchOptions;
  const bool cpu = device == "cpu";
  EditBenchSizes sizes = {
      .radii = options.radii.empty() ? paper_sizes(1140, 1820, 1 << 17, resolution) : options.radii,
      .sides = options.sides.empty() ? paper_sizes(254, 586, 1 << 16, resolution) : options.sides,
      .copies = options.copies.value_or(cpu ? Options::kCpuCopies : Options::kGpuCopies),
      .small = options.small.value_or(cpu ? Options::kCpuSmall : Options::kGpuSmall),
      .repetitions = options.repetitions.value_or(cpu ? Options::kCpuRepetitions : Options::kGpuRepetitions)};
  for (const uint32_t side : sizes.sides)
    if (side > resolution)
      throw UsageError(fmt::format("a box with a side of {}, but the scene has {} voxels along each axis",
                                   side, resolution));
  return sizes;
}

std::vector<EditStep> sphere_steps(const dag::FrozenDag& dag, const EditBenchOptions& options,
                                   const EditBenchSizes& sizes) {
  const std::vector<Int3> places = filled_places(dag, options.seed, sizes.radii.size());
  std::vector<EditStep> steps;
  for (size_t i = 0; i < places.size(); ++i)
    steps.push_back({sizes.radii[i], 1, {sphere_at(places[i], sizes.radii[i], material_of(dag, i))}});
  return steps;
}

std::vector<EditSeries> edit_series(const dag::FrozenDag& dag, const EditBenchOptions& options,
                                    const EditBenchSizes& sizes) {
  std::vector<EditSeries> all;
  for (const EditOrder order : {EditOrder::Fresh, EditOrder::Collected, EditOrder::Sequence}) {
    if (!is_asked_for(options, order)) continue;
    if (is_asked_for(options, EditSeriesKind::Spheres))
      all.push_back({EditSeriesKind::Spheres, order, sphere_steps(dag, options, sizes)});
    if (is_asked_for(options, EditSeriesKind::Copies))
      all.push_back({EditSeriesKind::Copies, order,
                     copy_steps(dag, options, sizes, order == EditOrder::Sequence ? sizes.copies : 1)});
  }
  // Run again, the same spheres would find all their nodes in the store, whatever their batch; so there is
  // only EditOrder::Fresh.
  if (is_asked_for(options, EditSeriesKind::Small))
    all.push_back({EditSeriesKind::Small, EditOrder::Fresh, small_steps(dag, options, sizes)});
  std::ranges::stable_sort(all, {}, &EditSeries::kind);
  return all;
}

}  // namespace vox::measure
