// The edits that vox-bench edit measures: spheres of growing radius and copies of growing boxes, as in Figure
// 9 of Molenaar & Eisemann 2024, and small spheres in batches. Each lies at a filled voxel of the scene.
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
  Spheres,  // one of each radius
  Copies,   // of boxes of each side: one, or many that are dragged through the scene
  Small,    // many small spheres, in batches
  Collect   // garbage collections
};
inline constexpr std::array kEditSeriesNames = {"spheres", "copies", "small", "gc"};

// What the scene is before a step of a series.
enum class EditOrder : uint8_t {
  Fresh,      // as it was read, in a session of its own
  Collected,  // the same, but what was done before has been undone and collected
  Sequence    // as the steps before have left it
};
inline constexpr std::array kEditOrderNames = {"fresh", "collected", "sequence"};

// How much is measured.
struct EditBenchSizes {
  std::vector<uint32_t> radii, sides;  // voxels
  uint32_t copies;                     // of each side, in sequence
  uint32_t small;                      // spheres in a batch series
  uint32_t repetitions;
};

struct EditBenchOptions {
  static constexpr uint32_t kGpuCopies = 50, kGpuSmall = 2000, kGpuRepetitions = 7;
  static constexpr uint32_t kCpuCopies = 5, kCpuSmall = 200, kCpuRepetitions = 5;
  static constexpr uint32_t kMostEdits = 1'000'000, kMostRepetitions = 1000;

  std::vector<EditSeriesKind> series = {EditSeriesKind::Spheres, EditSeriesKind::Copies,
                                        EditSeriesKind::Small, EditSeriesKind::Collect};
  std::vector<EditOrder> orders = {EditOrder::Fresh, EditOrder::Sequence};
  std::vector<uint32_t> radii = {}, sides = {};  // where empty, those of the paper for the scene's resolution
  uint32_t small_radius = 16;
  std::vector<uint32_t> batches = {1, 100};  // of small spheres: edits in one pass at most
  std::optional<uint32_t> copies = {}, small = {}, repetitions = {};  // where absent, the device's defaults
  uint64_t seed = 1;                                                  // of the places
};

bool is_asked_for(const EditBenchOptions& options, EditSeriesKind kind);
bool is_asked_for(const EditBenchOptions& options, EditOrder order);

// Throws UsageError unless every axis has values that make sense.
void check(const EditBenchOptions& options);

// How much is measured of a scene of this resolution on the device of this name. Throws UsageError where a
// box is larger than the scene.
EditBenchSizes sizes_of(const EditBenchOptions& options, uint32_t resolution, const std::string& device);

// Edits that are measured together.
struct EditStep {
  uint32_t size = 0;   // voxels: radius of a sphere, side of a box
  uint32_t batch = 1;  // edits in one pass at most
  std::vector<edit::Edit> edits;
};

struct EditSeries {
  EditSeriesKind kind = EditSeriesKind::Spheres;
  EditOrder order = EditOrder::Fresh;
  std::vector<EditStep> steps;
};

// Spheres of all radii, a step for each.
std::vector<EditStep> sphere_steps(const dag::FrozenDag& dag, const EditBenchOptions& options,
                                   const EditBenchSizes& sizes);

// All series of edits that the options ask for, without collections. The DAG is one that check_structure()
// accepts, with a voxel or more.
std::vector<EditSeries> edit_series(const dag::FrozenDag& dag, const EditBenchOptions& options,
                                    const EditBenchSizes& sizes);

}  // namespace vox::measure
