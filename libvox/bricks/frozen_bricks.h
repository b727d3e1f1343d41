// Hybrid bricks (Labschütz, chapter 3): a volume cut into cubes, each stored in the form that takes
// the least memory.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "libvox/base/paged_memory.h"
#include "libvox/bricks/bricks_ref.h"
#include "libvox/dag/voxel_scene.h"
#include "libvox/device/handle.h"
#include "libvox/volume/volume.h"

namespace vox::bricks {

// The groups of a sparse root (GroupsRef). The level of the largest groups comes first.
struct RootGroups {
  Words top;                  // the numbers of the largest groups, x fastest
  std::vector<Words> blocks;  // GroupBlocks of each level
  std::vector<Words> lists;   // the list of each level but the last, whose list is the root

  uint32_t levels() const { return static_cast<uint32_t>(blocks.size()); }
  uint64_t words() const;
  // Return the blocks of a level, and add blocks to it.
  std::span<const GroupBlock> blocks_of(uint32_t level) const;
  void append(uint32_t level, std::span<const GroupBlock> more);
};

// Bricks as host memory and files hold them. They are the same no matter which device made them.
struct FrozenBricks {
  volume::VolumeInfo info;
  uint32_t background = 0;  // the bits of a voxel whose word is 0
  uint32_t log2_side = 3;
  uint32_t entry_words = 1;  // words of an entry of the root grid
  // Entries hold places in units of 2^place_log2 words. Bricks begin at multiples of this unit. 0 if the root is dense.
  uint32_t place_log2 = 0;
  uint64_t filled = 0;  // voxels whose word is not 0
  Words root;           // the entries of all bricks, x fastest, or of those in the blocks of groups
  RootGroups groups;    // has no levels if the root is dense
  std::array<Words, kBrickTypeCount> data;
  std::array<uint64_t, kBrickTypeCount> counts = {};  // entries of each type
  // The options with which the bricks were made, so that they can be made again: the types that a brick could
  // have, and, if some were made dense for speed (reader.h), how much memory that was worth.
  uint32_t allowed_types = kAllBrickTypes;
  std::optional<double> slope;

  BrickShape shape() const { return {log2_side}; }
  Int3 grid() const;  // bricks along each axis
  uint64_t bricks() const { return VoxelBox{{0, 0, 0}, grid()}.voxels(); }
  bool is_sparse() const { return groups.levels() > 0; }
  uint64_t entries() const {
    return root.size() / entry_words;
  }  // equal to bricks() unless the root is sparse
  // Returns the part of the volume that a brick covers. Bricks are numbered as in a dense root.
  VoxelBox box(uint64_t brick) const;
  bool is_empty(uint64_t entry) const;
  uint64_t bytes() const;  // the size of everything that access needs
  uint64_t type_bytes(uint32_t type) const { return data[type].size() * sizeof(uint32_t); }
};

// Returns how many words an entry needs for the places in the arrays of these bricks.
uint32_t entry_words_for(const FrozenBricks& bricks);

// Sets the root grid of bricks whose data are complete. An entry has 4 bits of type and the place above them.
// Entries are packed to one word or two, as the longest array needs.
void set_root(FrozenBricks& bricks, std::span<const uint64_t> entries);

BricksRef ref(const FrozenBricks& bricks);  // valid as long as the bricks live

// Returns the number of words of each brick. Throws Error if the words of a type's bricks do not follow one another in
// the order of the root grid. In all bricks with a dense root that vox made, they do.
std::vector<uint64_t> brick_words(const FrozenBricks& bricks);

// Assembles bricks with a dense root from other bricks of the same volume, in the order of the root grid.
class BricksAssembly {
 public:
  explicit BricksAssembly(const FrozenBricks& like);

  // Appends the brick of an entry, which has this many words, to the array of its type.
  void add(const FrozenBricks& from, uint64_t entry, uint64_t words);
  void add_empty();
  FrozenBricks take();

 private:
  FrozenBricks result_;
  std::vector<uint64_t> entries_;
};

// Returns the number of bricks of this side along each axis of a volume. The last ones may extend beyond it.
Int3 brick_grid(Int3 size, uint32_t log2_side);

// Writes the values of all voxels of the brick with this entry, x fastest, including those outside the volume.
void read_brick(const FrozenBricks& bricks, uint64_t entry, std::byte* values);

// Returns the values of the bricks as a volume. The bricks must outlive it.
volume::Volume bricks_volume(const FrozenBricks& bricks);

// Returns a volume of the same size in which each filled voxel has the number of its brick's type, and the others 0. The
// bricks must outlive it.
volume::Volume types_volume(const FrozenBricks& bricks);

// Throws Error unless every access stays inside the data.
void check_structure(const FrozenBricks& bricks);

// The sets of brick types that have a name, because benchmarks compare them.
struct BrickTypeSet {
  const char* name;   // on command lines
  const char* title;  // in tables
  uint32_t types;
};

namespace detail {
template <class... Types>
constexpr uint32_t set_of() {
  return ((1u << BrickTypes::kNumber<Types>) | ...);
}
}  // namespace detail

// The sets of Labschütz, Figure 6.1: one type in addition to empty bricks, and the thesis's four types;
// then all types.
inline constexpr std::array<BrickTypeSet, 5> kBrickTypeSets = {
    {{"dense", "dense", detail::set_of<EmptyBrick, DenseBrick>()},
     {"octree", "octree", detail::set_of<EmptyBrick, OctreeBrick>()},
     {"list", "list", detail::set_of<EmptyBrick, ListBrick>()},
     {"four", "four types", kThesisBrickTypes},
     {"all", "all types", kAllBrickTypes}}};

// Makes bricks of a volume on a device, piece by piece. Only one piece of the volume is held in memory at a
// time.

// A dense root has an entry for each brick, empty ones included; a sparse one has groups (GroupsRef).
enum class BrickRoot { Auto, Dense, Sparse };
inline constexpr std::array<const char*, 3> kBrickRootNames = {"auto", "dense", "sparse"};

struct BricksOptions {
  uint32_t log2_side = 0;  // 2 to 9; 0: the side up to kMostTriedLog2 that takes the least memory
  uint32_t types = kAllBrickTypes;
  volume::ThresholdOptions threshold;
  uint64_t piece_voxels = 0;  // voxels of a piece, for tests; 0: chosen from the memory limit
  BrickRoot root =
      BrickRoot::Auto;  // sparse if a dense root would have more than kMostDenseEntries (sparse_root.h)
};

// The memory and the counts of a volume's bricks of one side.
struct BrickTotals {
  uint32_t log2_side = 0;
  uint64_t bricks = 0;
  uint64_t filled = 0;  // in voxels
  std::array<uint64_t, kBrickTypeCount> counts = {}, bytes = {};
  // The number of voxels in the bricks of each type. A brick's voxels outside the volume do not
  // count.
  std::array<uint64_t, kBrickTypeCount> voxels = {};
  // The bytes in the layout of the thesis (Labschütz, Table 5.1 and §3.2) with its four types: entries of the
  // root grid take 8 bytes, octree nodes 32, Morton codes 6.
  uint64_t thesis_bytes = 0;

  uint64_t root_bytes() const;
  uint64_t total_bytes() const;
};

struct BricksResult {
  FrozenBricks bricks;
  std::vector<BrickTotals> tried;  // one for each side that was tried
  double read_seconds = 0;         // for reading the volume's values, in all passes
  double seconds = 0;              // for everything else
  uint64_t peak_device_bytes = 0;
};

// Throws UsageError if these types cannot hold every brick.
void check_brick_types(uint32_t types);

// Throws OutOfMemory if the machine's memory is too small for the dense root alone, which has an entry for each
// brick, empty ones included. A side of 0 stands for the largest side that is tried.
void check_root_memory(Int3 size, uint32_t log2_side);

// Measures bricks of all sides from 4 to 64, without building them. The sizes are those with a dense root. As
// build_bricks(), throws Error if a value of the volume is not finite, and UsageError if the types cannot hold every
// brick.
template <class Device>
std::vector<BrickTotals> measure_bricks(Device& device, const volume::Volume& volume,
                                        const BricksOptions& options);
std::vector<BrickTotals> measure_bricks(device::DeviceHandle device, const volume::Volume& volume,
                                        const BricksOptions& options);

template <class Device>
BricksResult build_bricks(Device& device, const volume::Volume& volume, const BricksOptions& options);
BricksResult build_bricks(device::DeviceHandle device, const volume::Volume& volume,
                          const BricksOptions& options);

// Makes the bricks of a scene's materials. With a sparse root, each node of the DAG becomes a brick or a group once, so
// that equal ones share their words.
template <class Device>
BricksResult build_bricks(Device& device, const dag::VoxelScene& scene, const BricksOptions& options);
BricksResult build_bricks(device::DeviceHandle device, const dag::VoxelScene& scene,
                          const BricksOptions& options);

// Checks bricks more thoroughly than check_structure(): reads all voxels, and throws Error, too, if the number of
// filled voxels is not `filled`.
void verify(const FrozenBricks& bricks);
// Throws Error, naming a voxel, unless all voxels have the materials that they have in the scene.
void check_same_voxels(const FrozenBricks& bricks, const dag::VoxelScene& scene);

}  // namespace vox::bricks
