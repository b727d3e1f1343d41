// Measures edits of a scene as Figure 9 of Molenaar & Eisemann 2024 does: the milliseconds that series of
// edits take, and the share of each kernel.
//
// Each time is the median of the repetitions after an uncounted first one. A repetition either has a session
// of its own, so that the scene and its tables are as just read; or it starts after all earlier edits were
// undone and their nodes collected, which shows how a collection affects later edits. All repetitions must
// make the same nodes, which is checked, so the node counts of a row tell how much work its time stands for.
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

// The result for one step of a series, or for garbage collections.
struct EditBenchRow {
  // The totals over all edits of a step.
  struct Edited {
    uint32_t size = 0, batch = 0;  // as in EditStep
    Timing down, up;               // times per edit of the way down from the root and up to the new root
    edit::EditWork work;           // the work of one repetition
    // The difference between the scene before and after, and the size of the new items in the store.
    uint64_t changed_voxels = 0, new_bytes = 0;
  };
  struct Collected {
    Timing mark, sweep;
    dag::CollectWork work;  // the work of one repetition
  };

  EditSeriesKind kind = EditSeriesKind::Spheres;
  EditOrder order = EditOrder::Fresh;
  uint64_t edits = 0;  // edits in one repetition; 1 for collections
  Timing time;         // time per edit, as a mean over the step; or of one collection
  std::optional<Edited> edited;
  std::optional<Collected> collected;
  std::vector<device::KernelTime> kernels;  // times in one repetition; see add_kernels()
};

struct EditBenchResult {
  uint32_t resolution = 0;
  uint64_t voxels = 0, nodes = 0, bytes = 0;  // counts and size of the scene
  EditBenchSizes sizes = {};
  std::vector<EditBenchRow> rows;
  double seconds = 0;  // for the whole benchmark
};

// Measures on the engine's device a DAG that check_structure() accepts. Throws Error if the scene has no
// voxel, if two repetitions make different nodes, or if memory runs out.
EditBenchResult bench_edit(Engine& engine, const dag::FrozenDag& dag, const EditBenchOptions& options);

// Adds the times of kernels to the rows of a result with the same options. They come from a separate
// repetition on an engine with a profile, because timing every launch takes time itself.
void add_kernels(EditBenchResult& result, Engine& profiled, const dag::FrozenDag& dag,
                 const EditBenchOptions& options);

}  // namespace vox::measure
