// The benchmark of a scene's forms on one device.
#pragma once

#include "libvox/base/error.h"
#include "libvox/base/progress.h"
#include "libvox/bricks/device_bricks.h"
#include "libvox/bricks/frozen_bricks.h"
#include "libvox/dag/walk.h"
#include "libvox/measure/form_loops.h"
#include "libvox/measure/random_reads.h"
#include "libvox/spatial/frozen_hash.h"

namespace vox::measure {

template <class Device>
class FormsBench {
 public:
  FormsBench(Device& device, const dag::VoxelScene& scene, const FormsBenchOptions& options)
      : device_(device), scene_(scene), options_(options), sizes_(sizes_of(options, device.name())) {}

  FormsBenchResult run() {
    const Stopwatch watch;
    const dag::FrozenDag& dag = scene_.dag;
    // The counts stored with a DAG may be wrong, so the counts that decide about memory are taken from its nodes.
    const dag::OctreeCounts counts = dag::octree_counts(dag);
    check_listable(counts.voxels);
    result_.resolution = dag.resolution;
    result_.voxels = counts.voxels;
    result_.sizes = sizes_;
    result_.filter = options_.filter;
    Progress progress("measuring", forms_to_measure());
    progress_ = &progress;
    measure_ceilings();
    FormLoops<Device> loops(device_, dag, counts.nodes.back(), sizes_, options_.filter);
    device_.pool().trim();
    measure_svdag(loops);
    for (const uint32_t log2_side : options_.log2_sides)
      if (wants(Form::Bricks)) measure_bricks(loops, log2_side);
    for (const double load_factor : options_.load_factors)
      for (const spatial::CellKeyLayout layout : options_.layouts)
        if (wants(Form::Hash)) measure_hash(loops, {load_factor, layout});
    result_.seconds = watch.seconds();
    return std::move(result_);
  }

 private:
  bool wants(Form form) const { return is_asked_for(options_, form); }

  uint64_t forms_to_measure() const {
    return 1 + (wants(Form::Bricks) ? options_.log2_sides.size() : 0) +
           (wants(Form::Hash) ? options_.load_factors.size() * options_.layouts.size() : 0);
  }

  void measure_ceilings() {
    const uint64_t bytes = std::max<uint64_t>(result_.voxels * sizeof(uint64_t), 1 << 20);
    result_.ceilings =
        measure_random_reads(device_, bytes, std::max<uint64_t>(sizes_.gathers, 1 << 20), sizes_.repetitions);
    device_.pool().trim();
  }

  // All other forms are compared with the SVDAG, so it is measured even if it was not asked for.
  void measure_svdag(FormLoops<Device>& loops) {
    const render::RayDag<Device> dag(device_, scene_.dag);
    of_svdag_ = loops.measure(DagForm{dag.ref()});
    if (wants(Form::Svdag)) {
      BenchedForm form = named_svdag();
      form.size.bytes = scene_.dag.bytes();
      form.build_seconds = options_.svdag_seconds;
      keep(std::move(form), of_svdag_);
    }
    step("SVDAG");
  }

  void measure_bricks(FormLoops<Device>& loops, uint32_t log2_side) {
    measure_form(named_bricks(log2_side), [&](BenchedForm& form) {
      const bricks::BricksResult built =
          bricks::build_bricks(device_, scene_, {.log2_side = log2_side, .threshold = {}});
      form = named_bricks(built.bricks.log2_side);
      form.size.bytes = built.bricks.bytes();
      form.build_seconds = built.read_seconds + built.seconds;
      device_.pool().trim();
      const bricks::DeviceBricks<Device> bricks(device_, built.bricks);
      return bricks::with_root(
          bricks.ref(), [&]<class Root>(const Root& root) { return loops.measure(BricksForm<Root>{root}); });
    });
  }

  void measure_hash(FormLoops<Device>& loops, const spatial::HashOptions& options) {
    measure_form(named_hash(options), [&](BenchedForm& form) {
      const spatial::HashResult built = spatial::build_hash(device_, scene_.dag, options);
      form.size.bytes = built.hash.bytes();
      form.build_seconds = built.seconds;
      const spatial::DeviceHash<Device> hash(device_, built.hash);
      return loops.measure(HashForm{hash.ref()});
    });
  }

  // Keeps the form with the rows that measure(form) returns. measure() also sets the form's size and build
  // time.
  template <class Measure>
  void measure_form(BenchedForm form, const Measure& measure) {
    std::vector<FormsBenchRow> rows;
    try {
      rows = compared(measure(form), of_svdag_);
    } catch (const Cancelled&) {
      throw;
    } catch (const Error& error) {
      form.error = error.what();
    }
    device_.pool().trim();
    step(form.size.text);
    keep(std::move(form), std::move(rows));
  }

  void keep(BenchedForm form, std::vector<FormsBenchRow> rows) {
    for (FormsBenchRow& row : rows) {
      row.form = result_.forms.size();
      result_.rows.push_back(std::move(row));
    }
    result_.forms.push_back(std::move(form));
  }

  void step(const std::string& what) { progress_->update(++done_, what); }

  Device& device_;
  const dag::VoxelScene& scene_;
  const FormsBenchOptions& options_;
  const FormsBenchSizes sizes_;
  FormsBenchResult result_;
  std::vector<FormsBenchRow> of_svdag_;
  Progress* progress_ = nullptr;
  uint64_t done_ = 0;
};

template <class Device>
FormsBenchResult bench_forms_on(Device& device, const dag::VoxelScene& scene,
                                const FormsBenchOptions& options) {
  check(options);
  try {
    return FormsBench<Device>(device, scene, options).run();
  } catch (OutOfMemory& error) {
    error.hint("allow more memory, look at fewer voxels, or use a lower resolution");
    throw;
  }
}

}  // namespace vox::measure
