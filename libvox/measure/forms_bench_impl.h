// The benchmark of a scene's forms on one device. Included by forms_bench_cpu.cpp and forms_bench_cuda.cu,
// which only say which.
#pragma once

#include <fmt/format.h>

#include "libvox/base/error.h"
#include "libvox/base/phrase.h"
#include "libvox/base/progress.h"
#include "libvox/base/stopwatch.h"
#include "libvox/bricks/build.h"
#include "libvox/bricks/device_bricks.h"
#include "libvox/dag/scene_volume.h"
#include "libvox/measure/form_loops.h"
#include "libvox/measure/random_reads.h"
#include "libvox/spatial/build.h"
#include "libvox/spatial/device_hash.h"

namespace vox::measure {

template <class Device>
class FormsBench {
 public:
  FormsBench(Device& device, const dag::VoxelScene& scene, const FormsBenchOptions& options)
      : device_(device), scene_(scene), options_(options), sizes_(sizes_of(options, device.name())) {}

  FormsBenchResult run() {
    const Stopwatch watch;
    const dag::FrozenDag& dag = scene_.dag;
    // The counts that a file gives of its DAG may be wrong: those that memory depends on are taken from nodes.
    const dag::OctreeCounts counts = dag::octree_counts(dag, dag::check_structure(dag));
    check_voxels(counts.voxels);
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
      for (const spatial::KeyLayout layout : options_.layouts)
        if (wants(Form::Hash)) measure_hash(loops, {load_factor, layout});
    result_.seconds = watch.seconds();
    return std::move(result_);
  }

 private:
  bool wants(Form form) const { return std::ranges::count(options_.forms, form) > 0; }

  uint64_t forms_to_measure() const {
    return 1 + (wants(Form::Bricks) ? options_.log2_sides.size() : 0) +
           (wants(Form::Hash) ? options_.load_factors.size() * options_.layouts.size() : 0);
  }

  static void check_voxels(uint64_t voxels) {
    if (voxels == 0) throw Error("the scene has no voxels: there is nothing to measure");
    if (voxels >= uint64_t{1} << 32)
      throw Error(fmt::format("the scene has {} voxels, but no more than 2^32 - 1 can be listed", voxels))
          .hint("use " + phrase(Phrase::LowerResolution));
  }

  void measure_ceilings() {
    const uint64_t bytes = std::max<uint64_t>(result_.voxels * sizeof(uint64_t), 1 << 20);
    result_.ceilings =
        measure_random_reads(device_, bytes, std::max<uint64_t>(sizes_.gathers, 1 << 20), sizes_.repetitions);
    device_.pool().trim();
  }

  // All other forms are compared with the SVDAG, which is therefore measured even where nobody asks for it.
  void measure_svdag(FormLoops<Device>& loops) {
    const render::RayDag<Device> dag(device_, scene_.dag);
    of_svdag_ = loops.measure(DagForm{dag.ref()});
    if (wants(Form::Svdag)) {
      BenchedForm form = {.size = {name_of(Form::Svdag), "SVDAG", scene_.dag.bytes()}};
      form.build_seconds = options_.svdag_seconds;
      keep(std::move(form), of_svdag_);
    }
    step("SVDAG");
  }

  void measure_bricks(FormLoops<Device>& loops, uint32_t log2_side) {
    BenchedForm form = {.size = {name_of(Form::Bricks), "bricks", 0}};
    if (log2_side != 0) set_side(form, log2_side);
    measure_form(std::move(form), [&](BenchedForm& made) {
      const bricks::BricksResult built =
          bricks::build_bricks(device_, dag::scene_volume(scene_), {.log2_side = log2_side, .threshold = {}});
      set_side(made, built.bricks.log2_side);
      made.size.bytes = built.bricks.bytes();
      made.build_seconds = built.read_seconds + built.seconds;
      device_.pool().trim();
      const bricks::DeviceBricks<Device> bricks(device_, built.bricks);
      return loops.measure(BricksForm{bricks.ref()});
    });
  }

  void measure_hash(FormLoops<Device>& loops, const spatial::HashOptions& options) {
    const std::string layout(spatial::kKeyLayoutNames[static_cast<size_t>(options.layout)]);
    BenchedForm form = {
        .size = {name_of(Form::Hash), fmt::format("hash, {}, {}", options.load_factor, layout), 0}};
    form.load_factor = options.load_factor;
    form.layout = layout;
    measure_form(std::move(form), [&](BenchedForm& made) {
      const spatial::HashResult built = spatial::build_hash(device_, scene_.dag, options);
      made.size.bytes = built.hash.bytes();
      made.build_seconds = built.seconds;
      const spatial::DeviceHash<Device> hash(device_, built.hash);
      return loops.measure(HashForm{hash.ref()});
    });
  }

  // Keeps the form with the rows that measure(form) returns; measure() says in it what it takes.
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

  static void set_side(BenchedForm& form, uint32_t log2_side) {
    form.brick_side = 1u << log2_side;
    form.size.text = fmt::format("bricks of {}³", 1u << log2_side);
  }
  static std::string name_of(Form form) { return kFormNames[static_cast<size_t>(form)]; }
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
    error.hint(phrase(Phrase::AllowMoreMemory) + ", look at fewer voxels, or use " +
               phrase(Phrase::LowerResolution));
    throw;
  }
}

}  // namespace vox::measure
