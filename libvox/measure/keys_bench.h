// Measures tables of voxel keys as the two papers about them do (Alcantara et al. 2009, §5; García et al.
// 2011, §4): a table is built of a set of keys, and searched for random keys, of which a given share is
// stored, or for all keys of a picture or around a surface, in their order. Every time is the median of
// several repetitions after one that does not count; what is found is checked in every one of them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libvox/hash/keyed/key_layout.h"
#include "libvox/measure/hash_bench.h"
#include "libvox/measure/timing.h"
#include "libvox/scene/scene.h"

namespace vox::hash {
struct KeyTableBuild;
}

namespace vox::measure {

// What the keys of a set are.
enum class KeySetKind : uint8_t {
  Random,   // numbers
  Pixels,   // pixels of a square that lie at random
  Image,    // those pixels of a picture that are not white
  Surface,  // the voxels of a bumpy sphere
  Painted   // texels of an atlas on which someone has painted
};
inline constexpr std::array kKeySetNames = {"random", "pixels", "image", "surface", "painted"};

// What is done with a table.
enum class KeyOp : uint8_t {
  Build,         // of keys in random order
  BuildOrdered,  // of keys in their order
  FindStored,    // keys that are all stored, as the search may rely on, in random order
  Find,          // keys in random order, some of them stored
  FindAll,       // all keys of the picture or around the surface, in their order
  FindView,    // keys of a picture that is drawn of the set: of slices through the surface, of painted texels
  Ages,        // no time: how many keys are found at the first place that a search looks at, the second, …
  BuildMulti,  // a map of random keys, each with several values
  FindMulti,   // the runs of their values
  BuildIndex,  // numbers for the different ones of these keys
  FindIndex    // the numbers
};
inline constexpr std::array kKeyOpNames = {"build",      "build-ordered", "find-stored", "find",
                                           "find-all",   "find-view",     "ages",        "build-multi",
                                           "find-multi", "build-index",   "find-index"};
inline constexpr std::array kMultiOps = {KeyOp::BuildMulti, KeyOp::FindMulti, KeyOp::BuildIndex,
                                         KeyOp::FindIndex};

// The axes of the benchmark, with their defaults and what is allowed on them.
struct KeysBenchOptions {
  static constexpr uint64_t kKeys = 1 << 25, kSearches = 1 << 23;  // at scale 1
  static constexpr double kGpuScale = 1, kCpuScale = 1.0 / 64;
  static constexpr uint32_t kFewestRepetitions = 7, kMostRepetitions = 1000;
  static constexpr uint32_t kFewestKeyBits = 8;
  static constexpr uint64_t kFailureKeys = 10000;  // of a small build
  static constexpr uint64_t kMostFailureKeys = UINT32_MAX - 1;
  static constexpr uint32_t kMostMultiplicity = 1 << 20;

  std::vector<std::string> tables;  // empty: all
  std::vector<KeySetKind> sets = {KeySetKind::Random, KeySetKind::Image, KeySetKind::Surface};
  std::vector<hash::KeyLayout> layouts = {hash::KeyLayout::RowMajor, hash::KeyLayout::Morton};
  std::vector<double> load_factors = {0.8, 0.95};
  std::vector<uint32_t> key_bits = {64};
  uint32_t value_bits = 0;
  std::vector<KeyOp> ops = {KeyOp::Build, KeyOp::BuildOrdered, KeyOp::FindStored, KeyOp::Find,
                            KeyOp::FindAll};
  std::vector<uint32_t> hit_rates = {0, 50, 100};  // per cent of the keys searched, of Find
  std::vector<uint32_t> multiplicities = {8};      // how many values each key has, of BuildMulti to FindIndex
  std::optional<double> scale;                     // absent: the device's default
  std::vector<uint64_t> keys_at_scale_1 = {kKeys};
  std::vector<uint64_t> keys;        // whatever the scale; empty: by the scale
  std::optional<uint64_t> searches;  // likewise
  uint32_t repetitions = kFewestRepetitions;
  uint64_t failure_builds = 0;           // of each table with each load factor, to count those that fail
  uint64_t failure_keys = kFailureKeys;  // of each of these builds, which are small by default
  scene::Image picture;                  // of the set Image; without pixels it is generated
  bool rebuild = false;                  // keep the picture as a table with colours as values gives it back
  bool draw_ages = false;                // keep pictures of maximum ages, where Ages is asked for
};

bool is_asked_for(const KeysBenchOptions& options, KeyOp op);
bool any_multi(const KeysBenchOptions& options);  // whether BuildMulti to FindIndex are

// Throws UsageError unless every axis has values and all of them make sense.
void check(const KeysBenchOptions& options);

// The bits of the cells that hold such keys and values.
uint32_t cell_bits(uint32_t key_bits, uint32_t value_bits);

// A pixel as the set Image has it, 0xrrggbb; what cannot be seen is white. The second one goes back.
uint32_t rgb_of(const scene::Rgba8& pixel);
scene::Rgba8 pixel_of_rgb(uint32_t color);

struct KeysBenchSizes {
  std::vector<uint64_t> keys;
  uint64_t searches = 0;
};

// How many keys are used on the device of this name. Throws UsageError where there is nothing to measure, or
// more than slots of 32 bits reach.
KeysBenchSizes sizes_of(const KeysBenchOptions& options, const std::string& device);

// A point of the axes: which table, made of what.
struct KeyTablePoint {
  std::string table;
  std::string set;
  std::string layout;  // empty: the set has none
  uint32_t key_bits = 0, value_bits = 0, cell_bits = 0;
  uint64_t keys = 0;  // that are stored
  double load_factor = 0;
  std::string error;  // why something is missing, or what is wrong

  const KeyTablePoint& point() const { return *this; }  // of a row, without what else the row has
};

struct KeysBenchRow : KeyTablePoint {
  std::string op;
  std::optional<uint32_t> hit_rate;      // of Find
  std::optional<uint32_t> multiplicity;  // of BuildMulti to FindIndex
  uint64_t items = 0;                    // worked on by one repetition
  // Absent where the table could not be built.
  std::optional<Timing> time;
  uint32_t repetitions = 0;
  std::optional<uint64_t> bytes;     // of the table
  std::optional<uint32_t> attempts;  // that its build has made
  std::optional<uint64_t> restarts;  // of parts of the table
  std::optional<uint32_t> most_probes;
  std::optional<double> sectors;  // of 32 bytes that a search reads in the mean; absent of builds
  // The same where 32 searches that follow each other move each sector once that they read at the same step; of
  // searches in the order of a picture or a surface.
  std::optional<double> warp_sectors;
  // How often a second sectors are read, as a share of the ceiling of random reads. It exceeds 1 where a
  // sector serves several searches.
  std::optional<double> ceiling_share;
  uint64_t wrong = 0;  // results of the searches of all repetitions

  // Keeps what a build has come to. Throws Error unless the table holds all keys.
  void note_build(const hash::KeyTableBuild& build, uint64_t table_bytes);
  // Says in the error that results are wrong, if any are.
  void note_wrong();

  std::optional<double> items_per_second() const;
  std::optional<double> bytes_per_key() const;  // or for each value, where keys have several
};

// How many keys of a table have one age.
struct KeyAgesRow : KeyTablePoint {
  uint32_t age = 0;    // kMostCountedProbes of a table: this or older
  uint64_t count = 0;  // keys
  double share() const { return static_cast<double>(count) / static_cast<double>(keys); }
};

// The maximum ages of a table, a pixel for each slot.
struct AgesPicture {
  KeyTablePoint point;
  scene::Image image;
};

// What became of many builds. The error is the first one.
struct KeyFailuresRow : KeyTablePoint {
  uint64_t builds = 0;   // 0: the table does not offer the load factor
  uint64_t retried = 0;  // succeeded with more than one attempt
  uint64_t failed = 0;
  uint32_t most_attempts = 0;
  uint64_t restarts = 0;  // of parts of the tables, of all builds
  uint64_t parts = 0;     // how many these are
  uint32_t most_probes = 0;
};

struct KeysBenchResult {
  KeysBenchSizes sizes;
  std::vector<RandomReadCeiling> ceilings;  // 32 and 128 bytes, in as much as a table takes
  std::vector<KeysBenchRow> rows;
  std::vector<KeyFailuresRow> failures;
  std::vector<KeyAgesRow> ages;           // for each table and load factor from age 1 on
  std::vector<AgesPicture> age_pictures;  // of each table that has maximum ages, of the first set
  scene::Image rebuilt;  // the picture as the first table has given it back; without pixels where none has
  double seconds = 0;    // of the whole benchmark
};

// How many results of searches are wrong, in all rows.
uint64_t wrong_results(const KeysBenchResult& result);

// Measures tables of voxel keys, all or those that are named, on the engine's device. A table that cannot be
// built is a row that says why.
KeysBenchResult bench_keys(Engine& engine, const KeysBenchOptions& options);

// The same on this device; compiled for each in keys_bench_cpu.cpp and keys_bench_cuda.cu.
template <class Device>
KeysBenchResult bench_keys_on(Device& device, const KeysBenchOptions& options);

}  // namespace vox::measure
