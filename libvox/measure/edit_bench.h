// Measures edits of a scene as Molenaar & Eisemann 2024, Figure 9, do: milliseconds of series of edits, and
// what of them goes into which kernel.
//
// Each time is the median of the repetitions after one that does not count. A repetition has a session of its
// own, so that the scene and its tables are as they are when it is read; or it begins where all was undone
// and its nodes were collected, which shows what a collection costs the edits after it. All repetitions have
// to make the same nodes, which is checked, so that a row says by its nodes what work its time is of.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "libvox/dag/collect_work.h"
#include "libvox/edit/edit_session.h"
#include "libvox/engine/engine.h"
#include "libvox/measure/edit_series.h"
#include "libvox/measure/timing.h"

namespace vox::measure {

// A step of a series, or collections.
struct EditBenchRow {
  // What the edits of a step have done, all together.
  struct Edited {
    uint32_t size = 0, batch = 0;  // as of EditStep
    Timing down, up;               // of an edit: the ways from the root and to the new root
    edit::EditWork work;           // of a repetition
    uint64_t changed_voxels = 0,
             new_bytes = 0;  // between the scenes before and after; of what is new in the store
  };
  struct Collected {
    Timing mark, sweep;
    dag::CollectWork work;  // of a repetition
  };

  EditSeriesKind kind = EditSeriesKind::Spheres;
  EditOrder order = EditOrder::Fresh;
  uint64_t edits = 0;  // of a repetition; of collections one
  Timing time;         // of an edit, the mean of all of the step; of a collection
  std::optional<Edited> edited;
  std::optional<Collected> collected;
  std::vector<device::KernelTime> kernels;  // of a repetition; see add_kernels()
};

struct EditBenchResult {
  uint32_t resolution = 0;
  uint64_t voxels = 0, nodes = 0, bytes = 0;  // of the scene
  EditBenchSizes sizes = {};
  std::vector<EditBenchRow> rows;
  double seconds = 0;  // of the whole benchmark
};

// Measures on the engine's device. The DAG is one that check_structure() accepts. Throws Error where the
// scene has no voxel, where two repetitions do not make the same nodes, and where memory runs out.
EditBenchResult bench_edit(Engine& engine, const dag::FrozenDag& dag, const EditBenchOptions& options);

// Adds the times of kernels to the rows of a result of the same options. They come from a repetition of their
// own, on an engine with a profile: timing every launch takes time itself.
void add_kernels(EditBenchResult& result, Engine& profiled, const dag::FrozenDag& dag,
                 const EditBenchOptions& options);

}  // namespace vox::measure
