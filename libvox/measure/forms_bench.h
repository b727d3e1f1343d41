// Measures the forms in which a scene's voxels can be kept, side by side: the SVDAG, hybrid bricks of its
// materials, and the spatial hash. How much each takes, how long it takes to make, and how fast voxels are read
// from it: at random, side by side, by mean filters and by rays.
//
// All forms run the same loops over the same voxels (form_loops.h), and have to answer the same: a checksum of
// all that a loop has found is compared with the SVDAG's.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "libvox/dag/voxel_scene.h"
#include "libvox/engine/engine.h"
#include "libvox/measure/hash_bench.h"
#include "libvox/measure/scene_sizes.h"
#include "libvox/measure/timing.h"

namespace vox::measure {

enum class Form : uint8_t { Svdag, Bricks, Hash };
inline constexpr std::array kFormNames = {"svdag", "bricks", "hash"};

// What is done with a form.
enum class FormLoop : uint8_t {
  Random,   // voxels at random, half of them filled, the others near one that is
  Uniform,  // voxels at random anywhere in the grid
  Rows,     // rows of 32 voxels through the surface
  Blocks,   // blocks of 4³ voxels that the surface goes through, in Morton order
  Mean,     // the mean around each voxel of such blocks
  Rays      // the first voxel on the ray through each pixel of a picture
};
inline constexpr std::array kFormLoopNames = {"random", "uniform", "rows", "blocks", "mean", "rays"};

// How much is measured.
struct FormsBenchSizes {
  uint64_t gathers;      // voxels that each of the four gathers looks at, at most; 0: no gathers
  uint64_t means;        // voxels that the filter has the mean of, at most; 0: no filter
  uint32_t picture;      // pixels a side; 0: no rays
  uint32_t repetitions;  // of everything that is timed
};

struct FormsBenchOptions {
  static constexpr FormsBenchSizes kGpuSizes = {uint64_t{1} << 26, uint64_t{1} << 24, 1024, 7},
                                   kCpuSizes = {uint64_t{1} << 19, uint64_t{1} << 17, 96, 3};
  static constexpr uint64_t kMostGathers = uint64_t{1} << 32;
  static constexpr uint32_t kMostRepetitions = 1000;

  std::vector<Form> forms = {Form::Svdag, Form::Bricks, Form::Hash};
  std::vector<uint32_t> log2_sides = {0};  // of bricks; 0: the side that takes least memory
  std::vector<double> load_factors = {0.95};
  std::vector<spatial::KeyLayout> layouts = {spatial::KeyLayout::Morton, spatial::KeyLayout::Linear};
  uint32_t filter = 3;                     // voxels a side of the mean filter
  std::optional<uint64_t> gathers, means;  // where absent, the device's defaults
  std::optional<uint32_t> picture, repetitions;
  std::optional<double> svdag_seconds;  // that making the SVDAG took, where that is known
};

// Throws UsageError unless every axis has values, all of them make sense, and there is something to measure.
void check(const FormsBenchOptions& options);

bool is_asked_for(const FormsBenchOptions& options, Form form);

// How much is measured on the device of this name.
FormsBenchSizes sizes_of(const FormsBenchOptions& options, const std::string& device);

// A form of the scene: what it is, and what it takes.
struct BenchedForm {
  SceneSize size;
  // Of bricks; of spatial hashes.
  std::optional<uint32_t> brick_side = {};
  std::optional<double> load_factor = {};
  std::optional<std::string> layout = {};
  std::optional<double> build_seconds = {};  // the SVDAG of triangles, the others of the SVDAG
  std::string error = {};                    // why there are no rows of it
};

// Forms by name, before it is known what they take. The side of bricks may be 0: not yet known.
BenchedForm named_svdag();
BenchedForm named_bricks(uint32_t log2_side);
BenchedForm named_hash(const spatial::HashOptions& options);

struct FormsBenchRow {
  size_t form = 0;  // of FormsBenchResult::forms
  std::string loop;
  Timing time;
  uint32_t repetitions = 0;
  uint64_t lookups = 0;   // of voxels; of Rays the rays
  uint64_t filled = 0;    // voxels gathered that are filled, means above 0, rays that hit something
  uint64_t checksum = 0;  // of all that was found
  std::string error;      // what is wrong with it

  double lookups_per_second() const { return static_cast<double>(lookups) / time.median; }
};

struct FormsBenchResult {
  uint32_t resolution = 0;
  uint64_t voxels = 0;  // filled ones
  FormsBenchSizes sizes = {};
  uint32_t filter = 0;
  std::vector<RandomReadCeiling> ceilings;  // 32 and 128 bytes, in about as much as a spatial hash takes
  std::vector<BenchedForm> forms;
  std::vector<FormsBenchRow> rows;
  double seconds = 0;  // of the whole benchmark
};

// Throws Error where a scene has no voxels, or so many that they cannot be listed.
void check_listable(uint64_t voxels);

// The rows of a form, each with an error where the row of the SVDAG has found something else. Both have the
// same loops in the same order.
std::vector<FormsBenchRow> compared(std::vector<FormsBenchRow> rows,
                                    const std::vector<FormsBenchRow>& of_svdag);

// Measures on the engine's device. A form that cannot be made, or does not fit, has an error and no rows.
// Throws Error where the scene has no voxel, or so many that no hash would hold them.
FormsBenchResult bench_forms(Engine& engine, const dag::VoxelScene& scene, const FormsBenchOptions& options);

// The same on this device; compiled for each in forms_bench_cpu.cpp and forms_bench_cuda.cu.
template <class Device>
FormsBenchResult bench_forms_on(Device& device, const dag::VoxelScene& scene,
                                const FormsBenchOptions& options);

}  // namespace vox::measure
