// Compares the forms in which a scene's voxels can be kept: the SVDAG, hybrid bricks of its materials, and
// the spatial hash. It measures the memory of each, the time to make it, and how fast its voxels are read: at
// random, side by side, by mean filters and by rays.
//
// All forms run the same loops over the same voxels (form_loops.h) and must give the same results: a checksum
// of all that a loop has found is compared with the SVDAG's.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "libvox/dag/voxel_scene.h"
#include "libvox/engine/engine.h"
#include "libvox/measure/hash_bench.h"
#include "libvox/measure/stats.h"
#include "libvox/measure/timing.h"
#include "libvox/spatial/frozen_hash.h"

namespace vox::measure {

enum class Form : uint8_t { Svdag, Bricks, Hash };
inline constexpr std::array kFormNames = {"svdag", "bricks", "hash"};

// The loops that are run on each form.
enum class FormLoop : uint8_t {
  Random,   // random voxels: half are filled, the others near a filled one
  Uniform,  // random voxels anywhere in the grid
  Rows,     // rows of 32 voxels through the surface
  Blocks,   // blocks of 4³ voxels that contain surface, in Morton order
  Mean,     // the mean around each voxel of such blocks
  Rays      // the first voxel on the ray through each pixel of a picture
};
inline constexpr std::array kFormLoopNames = {"random", "uniform", "rows", "blocks", "mean", "rays"};

// The amount of work that is measured.
struct FormsBenchSizes {
  uint64_t gathers;      // maximum voxels that each of the four gathers reads; 0: no gathers
  uint64_t means;        // maximum number of means that the filter computes; 0: no filter
  uint32_t picture;      // pixels a side; 0: no rays
  uint32_t repetitions;  // repetitions of everything that is timed
};

struct FormsBenchOptions {
  static constexpr FormsBenchSizes kGpuSizes = {uint64_t{1} << 26, uint64_t{1} << 24, 1024, 7},
                                   kCpuSizes = {uint64_t{1} << 19, uint64_t{1} << 17, 96, 3};
  static constexpr uint64_t kMostGathers = uint64_t{1} << 32;
  static constexpr uint32_t kMostRepetitions = 1000;

  std::vector<Form> forms = {Form::Svdag, Form::Bricks, Form::Hash};
  std::vector<uint32_t> log2_sides = {0};  // sides of bricks; 0: the side that takes least memory
  std::vector<double> load_factors = {0.95};
  std::vector<spatial::CellKeyLayout> layouts = {spatial::CellKeyLayout::Morton,
                                                 spatial::CellKeyLayout::Linear};
  uint32_t filter = 3;                     // voxels a side of the mean filter
  std::optional<uint64_t> gathers, means;  // the device's defaults if absent
  std::optional<uint32_t> picture, repetitions;
  std::optional<double> svdag_seconds;  // the time that making the SVDAG took, if known
};

// Throws UsageError unless every axis has values, all of them make sense, and there is something to measure.
void check(const FormsBenchOptions& options);

bool is_asked_for(const FormsBenchOptions& options, Form form);

// Returns the amount of work for the device with this name.
FormsBenchSizes sizes_of(const FormsBenchOptions& options, const std::string& device);

// A form of the scene: its parameters, its size and the time to make it.
struct BenchedForm {
  SceneSize size;
  // The first of these members is set for bricks, the others for spatial hashes.
  std::optional<uint32_t> brick_side = {};
  std::optional<double> load_factor = {};
  std::optional<std::string> layout = {};
  std::optional<double> build_seconds = {};  // from triangles for the SVDAG, else from the SVDAG
  std::string error = {};                    // why the form has no rows
};

// Return forms with their names, before their sizes are known. A brick side of 0 is not known
// yet.
BenchedForm named_svdag();
BenchedForm named_bricks(uint32_t log2_side);
BenchedForm named_hash(const spatial::HashOptions& options);

struct FormsBenchRow {
  size_t form = 0;  // index into FormsBenchResult::forms
  std::string loop;
  Timing time;
  uint32_t repetitions = 0;
  uint64_t lookups = 0;   // voxels read, or rays for the loop Rays
  uint64_t filled = 0;    // number of filled voxels read, means above 0, or rays that hit something
  uint64_t checksum = 0;  // a checksum of everything that was found
  std::string error;      // why the result is wrong; empty if it is right

  double lookups_per_second() const { return static_cast<double>(lookups) / time.median; }
};

struct FormsBenchResult {
  uint32_t resolution = 0;
  uint64_t voxels = 0;  // number of filled voxels
  FormsBenchSizes sizes = {};
  uint32_t filter = 0;
  std::vector<RandomReadCeiling> ceilings;  // in about as much memory as a spatial hash
  std::vector<BenchedForm> forms;
  std::vector<FormsBenchRow> rows;
  double seconds = 0;  // for the whole benchmark
};

// Throws Error if the scene has no voxels, or too many to be listed.
void check_listable(uint64_t voxels);

// Returns the rows of a form, with an error in each that differs from the SVDAG's row. Both lists must have
// the same loops in the same order.
std::vector<FormsBenchRow> compared(std::vector<FormsBenchRow> rows,
                                    const std::vector<FormsBenchRow>& of_svdag);

// Measures on the engine's device. A form that cannot be made, or does not fit, gets an error and no rows.
// Throws Error if the scene has no voxel, or more voxels than a hash can hold.
FormsBenchResult bench_forms(Engine& engine, const dag::VoxelScene& scene, const FormsBenchOptions& options);

// The same for a device of this type.
template <class Device>
FormsBenchResult bench_forms_on(Device& device, const dag::VoxelScene& scene,
                                const FormsBenchOptions& options);

}  // namespace vox::measure
