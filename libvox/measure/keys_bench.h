// Measures tables of voxel keys as two papers do (Alcantara et al. 2009, §5; García et al. 2011, §4). A table
// is built from a set of keys. It is then searched for random keys, of which a given share is stored, or for
// all keys of a picture or around a surface, in their order. Each time is the median of the repetitions after
// an uncounted first one. The results are checked in every repetition.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libvox/dag/frozen_dag.h"
#include "libvox/device/profiler.h"
#include "libvox/hash/keyed/key_table.h"
#include "libvox/hash/keyed/keys.h"
#include "libvox/measure/hash_bench.h"
#include "libvox/measure/timing.h"
#include "libvox/scene/scene.h"

namespace vox::hash {
struct KeyTableBuild;
}

namespace vox::measure {

// The origin of a set's keys.
enum class KeySetKind : uint8_t {
  Random,   // random numbers
  Pixels,   // random pixels of a square
  Image,    // the pixels of a picture that are not white
  Surface,  // the voxels of a bumpy sphere
  Painted,  // texels of a painted atlas
  Mesh      // the voxels of a scene
};
inline constexpr std::array kKeySetNames = {"random", "pixels", "image", "surface", "painted", "mesh"};

// The voxels of a scene for the set Mesh: see SceneShape.
struct SceneLeaves {
  uint32_t side = 0;
  std::vector<uint64_t> leaves, masks;
};
SceneLeaves leaves_of(const dag::FrozenDag& dag);

// The operations on a table.
enum class KeyOp : uint8_t {
  Build,         // a build from keys in random order
  BuildOrdered,  // a build from keys in their order
  FindStored,    // stored keys in random order; the search may assume that they are stored
  Find,          // keys in random order, some of them stored
  BuildAndFind,  // a build from keys in random order, and then as many searches for random stored keys
  FindAll,       // all keys of the picture or around the surface, in their order
  FindView,      // the keys of a picture's pixels: of slices through the surface, or of painted texels
  Change,        // half of the keys are erased and as many others added, ten times
  FindChanged,   // the same searches as Find, after these changes
  Ages,          // counts keys that are found at the first place of a search, the second, …; not timed
  BuildMulti,    // a map from random keys, each with several values
  FindMulti,     // searches for keys' runs of values
  BuildIndex,    // numbers for the distinct keys among the same input
  FindIndex      // searches for these numbers
};
inline constexpr std::array kKeyOpNames = {
    "build",  "build-ordered", "find-stored", "find",        "build-and-find", "find-all",    "find-view",
    "change", "find-changed",  "ages",        "build-multi", "find-multi",     "build-index", "find-index"};
inline constexpr std::array kChangeOps = {KeyOp::Change, KeyOp::FindChanged};
inline constexpr std::array kMultiOps = {KeyOp::BuildMulti, KeyOp::FindMulti, KeyOp::BuildIndex,
                                         KeyOp::FindIndex};

// The axes of the benchmark, with their defaults and their limits.
struct KeysBenchOptions {
  static constexpr uint64_t kKeys = 1 << 25, kSearches = 1 << 23;  // at scale 1
  static constexpr double kGpuScale = 1, kCpuScale = 1.0 / 256;
  static constexpr uint32_t kFewestRepetitions = 7, kMostRepetitions = 1000;
  static constexpr uint32_t kFewestKeyBits = 8;
  static constexpr uint64_t kFailureKeys = 10000;  // keys of a small build
  static constexpr uint64_t kMostFailureKeys = UINT32_MAX - 1;
  static constexpr uint32_t kMostMultiplicity = 1 << 20;

  std::vector<std::string> tables;    // empty: all
  std::vector<std::string> left_out;  // tables to leave out if all are measured
  std::vector<KeySetKind> sets = {KeySetKind::Random, KeySetKind::Image, KeySetKind::Surface};
  std::vector<hash::KeyLayout> layouts = {hash::KeyLayout::RowMajor, hash::KeyLayout::Morton};
  std::vector<double> load_factors = {0.8, 0.95};
  std::vector<uint32_t> key_bits = {64};
  uint32_t value_bits = 0;
  // These three are for the tables of García et al., see KeyTableOptions.
  uint32_t age_bits = hash::KeyTableOptions().age_bits;
  hash::MaximumAges maximum_ages = hash::MaximumAges::Gathered;
  hash::FirstAge first_age = hash::FirstAge::One;
  std::vector<KeyOp> ops = {KeyOp::Build, KeyOp::BuildOrdered, KeyOp::FindStored, KeyOp::Find,
                            KeyOp::FindAll};
  std::vector<uint32_t> hit_rates = {0, 50, 100};  // percent of the searched keys that are stored, for Find
  std::vector<uint32_t> multiplicities = {8};      // values per key, for BuildMulti to FindIndex
  std::optional<double> scale;                     // the device's default if absent
  std::vector<uint64_t> keys_at_scale_1 = {kKeys};
  std::vector<uint64_t> keys;        // independent of the scale; if empty, keys_at_scale_1 times the scale
  std::optional<uint64_t> searches;  // likewise
  uint32_t repetitions = kFewestRepetitions;
  uint64_t failure_builds = 0;           // builds of each table and load factor, to count failures; 0: none
  uint64_t failure_keys = kFailureKeys;  // keys of each of these builds, which are small by default
  scene::Image picture;      // the picture for the set Image; one is generated if this has no pixels
  SceneLeaves scene;         // for the set Mesh
  bool rebuild = false;      // keep the picture that a table with colors as values returns
  bool draw_ages = false;    // keep pictures of maximum ages, if Ages is asked for
  bool ages_in_2d = false;   // draw the ages of the set Image as if it were hashed in 2D
  bool draw_tables = false;  // keep pictures of the tables' slots
};

bool is_asked_for(const KeysBenchOptions& options, KeyOp op);
// Returns true if one of these operations is asked for.
bool is_any_asked_for(const KeysBenchOptions& options, std::span<const KeyOp> ops);

// Throws UsageError unless every axis has values and all of them make sense.
void check(const KeysBenchOptions& options);

// Returns the number of bits of cells that hold keys and values of these bits.
uint32_t cell_bits(uint32_t key_bits, uint32_t value_bits);

// Returns a pixel as the set Image uses it, 0xrrggbb; transparent pixels are white. The second function is
// the inverse.
uint32_t rgb_of(const scene::Rgba8& pixel);
scene::Rgba8 pixel_of_rgb(uint32_t color);

struct KeysBenchSizes {
  std::vector<uint64_t> keys;
  uint64_t searches = 0;
};

// Returns the numbers of keys for the device with this name. Throws UsageError if there is nothing to
// measure, or if there are more keys than 32-bit slots can address.
KeysBenchSizes sizes_of(const KeysBenchOptions& options, const std::string& device);

// A point on the axes: a table, and the keys from which it was made.
struct KeyTablePoint {
  std::string table;
  std::string set;
  std::string layout;  // empty if the set has none
  uint32_t key_bits = 0, value_bits = 0, cell_bits = 0;
  uint64_t keys = 0;  // number of stored keys
  double load_factor = 0;
  std::string error;  // why a result is missing or wrong

  const KeyTablePoint& point() const { return *this; }  // returns only this part of a row
};

struct KeysBenchRow : KeyTablePoint {
  std::string op;
  std::optional<uint32_t> hit_rate;      // for Find and FindChanged
  std::optional<uint32_t> multiplicity;  // for BuildMulti to FindIndex
  uint64_t items = 0;                    // number of items in one repetition
  std::optional<uint64_t> frames;        // the number of pictures, for FindView
  // Absent if the table could not be built.
  std::optional<Timing> time;
  uint32_t repetitions = 0;
  std::optional<uint64_t> bytes;     // size of the table
  std::optional<uint32_t> attempts;  // number of attempts of its build
  std::optional<uint64_t> restarts;  // number of restarts of parts of the table
  std::optional<double> iterations;  // mean iterations through all sub-tables for each bucket of cuckoo2009
  std::optional<uint32_t> most_probes;
  std::optional<double> sectors;  // mean number of 32-byte sectors that a search reads; absent for builds
  // The same if a warp of 32 consecutive searches loads a sector only once when several of them read it
  // at the same step. Measured for searches in the order of a picture or a surface.
  std::optional<double> warp_sectors;
  // The rate at which sectors are read, as a share of the ceiling of random reads. It exceeds 1 if a sector
  // serves several searches.
  std::optional<double> ceiling_share;
  uint64_t wrong = 0;                       // wrong search results in all repetitions
  std::vector<device::KernelTime> kernels;  // the kernels of one more build, if the device profiles

  // Stores the statistics of a build. Throws Error unless the table holds all keys.
  void note_build(const hash::KeyTableBuild& build, uint64_t table_bytes);
  // Sets the error if any results are wrong.
  void note_wrong();

  std::optional<double> items_per_second() const;
  std::optional<double> frames_per_second() const;
  std::optional<double> bytes_per_key() const;  // bytes per value if keys have several
  // Returns the bits of the keys, divided by those of the table without its values (García et al. 2011, §3).
  std::optional<double> key_density() const;
};

// The number of a table's keys that have a certain age.
struct KeyAgesRow : KeyTablePoint {
  uint32_t age = 0;    // kMostCountedProbes stands for this age and all greater ones
  uint64_t count = 0;  // number of keys
  double share() const { return static_cast<double>(count) / static_cast<double>(keys); }
};

// A picture of a table's maximum ages or keys, with one pixel for each slot.
struct TablePicture {
  KeyTablePoint point;
  scene::Image image;
};

// The outcome of many builds. The error is the first one that occurred.
struct KeyFailuresRow : KeyTablePoint {
  uint64_t builds = 0;   // 0 if the table does not support the load factor
  uint64_t retried = 0;  // builds that succeeded after more than one attempt
  uint64_t failed = 0;
  uint32_t most_attempts = 0;
  uint64_t restarts = 0;  // restarts of parts of tables, summed over all builds
  uint64_t parts = 0;     // number of these parts
  uint32_t most_probes = 0;
};

struct KeysBenchResult {
  KeysBenchSizes sizes;
  uint32_t age_bits = 0;  // as in the options, like the next two
  hash::MaximumAges maximum_ages = hash::MaximumAges::Gathered;
  hash::FirstAge first_age = hash::FirstAge::One;
  std::vector<RandomReadCeiling> ceilings;  // reads of 32 and 128 bytes, in as much memory as a table takes
  std::vector<KeysBenchRow> rows;
  std::vector<KeyFailuresRow> failures;
  std::vector<KeyAgesRow> ages;              // for each table and load factor, beginning with age 1
  std::vector<TablePicture> age_pictures;    // one for each table that has maximum ages, for the first set
  std::vector<TablePicture> table_pictures;  // one for each table, for the first set with places
  scene::Image rebuilt;  // the picture as the first table returned it; no pixels if there is none
  double seconds = 0;    // for the whole benchmark
};

// Returns the number of wrong search results in all rows.
uint64_t wrong_results(const KeysBenchResult& result);

// Measures the chosen tables of voxel keys, or all of them, on the engine's device. A table that cannot be
// built gets a row with the reason.
KeysBenchResult bench_keys(Engine& engine, const KeysBenchOptions& options);

// The same for a device of this type.
template <class Device>
KeysBenchResult bench_keys_on(Device& device, const KeysBenchOptions& options);

// Returns the names of the tables that these options choose, or of all but perfect, which the host builds.
std::vector<std::string> chosen_tables(const KeysBenchOptions& options);

// A figure of one of the two papers about tables of voxel keys, as axes of the benchmark.
struct KeyFigure {
  const char*
      name;  // the figure's number in García et al. 2011, "a" and its number in Alcantara et al. 2009,
             // or a word for a figure of neither paper
  const char* about;
  KeysBenchOptions (*axes)();
};
std::span<const KeyFigure> key_figures();

// Returns the axes of a figure. Throws UsageError if there is no figure of this name.
KeysBenchOptions key_figure(std::string_view name);

}  // namespace vox::measure
