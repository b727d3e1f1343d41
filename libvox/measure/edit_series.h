// The edits that `vox-bench edit` measures: spheres of growing radius and copies of growing boxes, as in
// Figure 9 of Molenaar & Eisemann 2024, and small spheres in batches. Each edit is placed at a filled voxel
// of the scene.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libvox/dag/frozen_dag.h"
#include "libvox/edit/edit.h"

namespace vox::measure {

enum class EditSeriesKind : uint8_t {
  Spheres,  // one sphere of each radius
  Copies,   // copies of boxes of each side: one, or many that are dragged through the scene
  Small,    // many small spheres, in batches
  Collect   // garbage collections
};
inline constexpr std::array kEditSeriesNames = {"spheres", "copies", "small", "gc"};

// The state of the scene before a step of a series.
enum class EditOrder : uint8_t {
  Fresh,      // as it was read, in a session of its own
  Collected,  // as it was read, after earlier edits have been undone and collected
  Sequence    // as the earlier steps have left it
};
inline constexpr std::array kEditOrderNames = {"fresh", "collected", "sequence"};

// The amount of work that is measured.
struct EditBenchSizes {
  std::vector<uint32_t> radii, sides;  // in voxels
  uint32_t copies;                     // copies of each side for the order Sequence
  uint32_t small;                      // small spheres in a series
  uint32_t repetitions;
};

struct EditBenchOptions {
  static constexpr uint32_t kGpuCopies = 50, kGpuSmall = 2000, kGpuRepetitions = 7;
  static constexpr uint32_t kCpuCopies = 5, kCpuSmall = 200, kCpuRepetitions = 5;
  static constexpr uint32_t kMostEdits = 1'000'000, kMostRepetitions = 1000;

  std::vector<EditSeriesKind> series = {EditSeriesKind::Spheres, EditSeriesKind::Copies,
                                        EditSeriesKind::Small, EditSeriesKind::Collect};
  std::vector<EditOrder> orders = {EditOrder::Fresh, EditOrder::Sequence};
  std::vector<uint32_t> radii = {}, sides = {};  // if empty, the paper's, scaled to the scene
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

}  // namespace vox::measure
