// Measures edits of a scene as Figure 9 of Molenaar & Eisemann 2024 does: the milliseconds that series of
// edits take, and the share of each kernel.
//
// Each time is the median of the repetitions after an uncounted first one. A repetition either has a session of its
// own, with the scene and its tables as just read; or it starts after all earlier edits were undone and their nodes
// collected, which shows how a collection affects later edits. All repetitions must make the same nodes, which is
// checked, so the node counts of a row tell how much work its time stands for. If several hash tables are measured, all
// do the same edits and must lead to the same scenes. The processor can be measured too, as the paper measures HashDAG:
// it edits its own store and copies new items to the device.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libvox/dag/collect_work.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/edit/edit.h"
#include "libvox/edit/edit_session.h"
#include "libvox/engine/engine.h"
#include "libvox/hash/batch.h"
#include "libvox/hash/table_options.h"
#include "libvox/measure/timing.h"

namespace vox::measure {

// The edits that `vox-bench edit` measures: spheres of growing radius and copies of growing boxes, as in
// Figure 9 of Molenaar & Eisemann 2024, and small spheres in batches. Each edit is placed at a filled voxel
// of the scene.
enum class EditSeriesKind : uint8_t {
  Spheres,  // one sphere of each radius
  Copies,   // copies of boxes of each side: one, or many that are dragged through the scene
  Small,    // many small spheres, in batches
  Collect   // garbage collections
};
inline constexpr std::array kEditSeriesNames = {"spheres", "copies", "small", "gc"};

// The state of the scene before a step of a series.
enum class EditOrder : uint8_t {
  Fresh,      // as it was read, in a new session
  Collected,  // as it was read, after earlier edits have been undone and collected
  Sequence    // as the earlier steps left it
};
inline constexpr std::array kEditOrderNames = {"fresh", "collected", "sequence"};

// The amount of work that is measured.
struct EditBenchSizes {
  std::vector<uint32_t> radii, sides;  // in voxels
  uint32_t copies;                     // number of copies of each side, for Sequence
  uint32_t small;                      // small spheres in a series
  uint32_t repetitions;
};

struct EditBenchOptions {
  static constexpr uint32_t kGpuCopies = 50, kGpuSmall = 2000, kGpuRepetitions = 7;
  static constexpr uint32_t kCpuCopies = 5, kCpuSmall = 200, kCpuRepetitions = 5;
  static constexpr uint32_t kMostEdits = 1'000'000, kMostRepetitions = 1000;
  static constexpr const char* kProcessorName = "processor";  // replaces the table's name in its rows

  std::vector<std::string> tables = {hash::TableOptions().table};
  bool processor = false;  // also measure the processor, with the table `sector`
  hash::Duplicates duplicates = hash::Duplicates::Open;
  std::vector<EditSeriesKind> series = {EditSeriesKind::Spheres, EditSeriesKind::Copies,
                                        EditSeriesKind::Small, EditSeriesKind::Collect};
  std::vector<EditOrder> orders = {EditOrder::Fresh, EditOrder::Sequence};
  std::vector<uint32_t> radii = {}, sides = {};  // empty: the paper's, scaled to the scene
  uint32_t small_radius = 16;
  std::vector<uint32_t> batches = {1, 100};  // maximum edits in one pass, for small spheres
  std::optional<uint32_t> copies = {}, small = {}, repetitions = {};  // the device's defaults if absent
  uint64_t seed = 1;                                                  // decides where the edits are
};

bool is_asked_for(const EditBenchOptions& options, EditSeriesKind kind);
bool is_asked_for(const EditBenchOptions& options, EditOrder order);

// Throws UsageError unless every axis has values that make sense.
void check(const EditBenchOptions& options);

// Returns the amount of work for a scene of this resolution on the device with this name. Throws UsageError
// if a box is larger than the scene.
EditBenchSizes sizes_of(const EditBenchOptions& options, uint32_t resolution, const std::string& device);

// Edits that are measured together as one row.
struct EditStep {
  uint32_t size = 0;   // in voxels: the radius of a sphere, the side of a box
  uint32_t batch = 1;  // maximum edits in one pass
  std::vector<edit::Edit> edits;
};

struct EditSeries {
  EditSeriesKind kind = EditSeriesKind::Spheres;
  EditOrder order = EditOrder::Fresh;
  std::vector<EditStep> steps;
};

// Returns one step with spheres for each radius.
std::vector<EditStep> sphere_steps(const dag::FrozenDag& dag, const EditBenchOptions& options,
                                   const EditBenchSizes& sizes);

// Returns all series of edits that the options ask for, except collections. The DAG must be one that
// check_structure() accepts, with at least one voxel.
std::vector<EditSeries> edit_series(const dag::FrozenDag& dag, const EditBenchOptions& options,
                                    const EditBenchSizes& sizes);

// The result for one step of a series, or for garbage collections.
struct EditBenchRow {
  // The totals over all edits of a step.
  struct Edited {
    uint32_t size = 0, batch = 0;  // as in EditStep
    Timing down, up;               // times per edit of the way down from the root and up to the new root
    edit::EditWork work;           // the work of one repetition
    // The difference between the scene before and after, and the size of the new items in the store.
    uint64_t changed_voxels = 0, new_bytes = 0;
    hash::SearchCounts searches;        // in the first run, which is not timed; not for the table `sector`
    std::optional<dag::Digest> digest;  // the scene's digest afterwards, if several tables are compared
    std::optional<Timing> upload;       // on the processor: time per edit to copy the new items
  };
  struct Collected {
    Timing mark, sweep;
    dag::CollectWork work;  // the work of one repetition
  };

  std::string table;
  EditSeriesKind kind = EditSeriesKind::Spheres;
  EditOrder order = EditOrder::Fresh;
  uint64_t edits = 0;  // edits in one repetition; 1 for collections
  Timing time;         // mean time per edit in the step, or time of one collection
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

// Measures table by table, on the engine's device. check_structure() must accept the DAG. Throws Error if the
// scene has no voxel, if two repetitions make different nodes, if two tables lead to different scenes, or if
// memory runs out.
EditBenchResult bench_edit(Engine& engine, const dag::FrozenDag& dag, const EditBenchOptions& options);

// Returns the time of copying this many bytes from the host's memory to the device.
template <class Device>
Timing upload_time_on(Device& device, uint64_t bytes, uint32_t repetitions);
Timing upload_time(Engine& engine, uint64_t bytes, uint32_t repetitions);

// Throws Error unless a table's rows led to the same scenes as the first table's rows, and left as many
// items.
void check_same_scenes(const std::vector<EditBenchRow>& first, const std::vector<EditBenchRow>& rows);

// Adds the times of kernels to the rows of a result with the same options. They come from a separate
// repetition on an engine with a profile, because timing every launch takes time itself.
void add_kernels(EditBenchResult& result, Engine& profiled, const dag::FrozenDag& dag,
                 const EditBenchOptions& options);

}  // namespace vox::measure
