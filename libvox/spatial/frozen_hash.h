// A scene's spatial hash on the host: the table `lines` (hash/keyed/lines.h) with a cell for each filled
// voxel, which holds the voxel's key and its material. The place of a cell depends on the set of cells alone,
// so the words are the same whatever device has built them. Files hold these words.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "libvox/base/morton.h"
#include "libvox/base/paged_memory.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/device/handle.h"
#include "libvox/device/pool.h"
#include "libvox/hash/keyed/keys.h"
#include "libvox/hash/keyed/lines_ref.h"

namespace vox::spatial {

// Turns the coordinates of a voxel into the key of its cell.
//
// Morton codes suit callers that look at neighbors together, as filters and rays do, because neighbors then
// usually lie in one line of the table. Linear keys suit callers that go through the grid row by row.
enum class CellKeyLayout : uint32_t { Morton, Linear };

// The names of the layouts in options and files, in the order of the enumerators.
constexpr std::array<std::string_view, 2> kKeyLayoutNames = {"morton", "linear"};

// Converts between voxels and keys. The keys of a scene of resolution R, at most 2^20, have 60 bits.
struct VoxelKeys {
  CellKeyLayout layout = CellKeyLayout::Morton;
  uint32_t resolution = 0;

  VOX_HD uint64_t key(uint32_t x, uint32_t y, uint32_t z) const {
    if (layout == CellKeyLayout::Morton) return morton_encode(x, y, z);
    return x + resolution * (y + uint64_t{resolution} * z);
  }
  VOX_HD uint64_t key(Int3 voxel) const {
    return key(static_cast<uint32_t>(voxel.x), static_cast<uint32_t>(voxel.y),
               static_cast<uint32_t>(voxel.z));
  }
  // A key that belongs to no voxel of the grid gives a voxel outside the grid.
  VOX_HD Int3 voxel(uint64_t key) const {
    if (layout == CellKeyLayout::Morton) return morton_decode(key);
    const uint64_t row = key / resolution, plane = row / resolution;
    return {static_cast<int32_t>(key % resolution), static_cast<int32_t>(row % resolution),
            static_cast<int32_t>(plane < resolution ? plane : resolution)};
  }
  VOX_HD bool contains(Int3 voxel) const {
    const auto inside = [&](int32_t i) { return static_cast<uint32_t>(i) < resolution; };
    return inside(voxel.x) && inside(voxel.y) && inside(voxel.z);
  }
};

inline constexpr uint32_t kMostProbes = 64;   // the most buckets that a search reads
inline constexpr uint32_t kMaterialBits = 4;  // bits of a cell below its key; 0 in a scene without materials
// The key that the table keeps apart belongs to the voxel in the far corner of a scene of 2^20 voxels a side.
inline constexpr hash::CellFormat<uint64_t> kCellFormat = {kMaterialBits};

struct FrozenHash {
  VoxelKeys keys;
  bool materials = true;   // true if the cells hold materials
  double load_factor = 0;  // the one that the caller asked for
  uint64_t voxels = 0;     // the number of filled voxels
  uint64_t lines = 0;
  uint64_t seed = 0;
  uint32_t probes = 0;  // the most buckets that a search reads
  uint32_t apart = 0;   // 1 if the last cell holds the voxel whose key is all ones, else 0
  LongWords cells;      // the cells of all lines in order, then the one that is kept apart

  uint32_t resolution() const { return keys.resolution; }
  uint64_t bytes() const { return cells.size() * sizeof(uint64_t); }
};

// Calls body(slot, cell) for each slot of [begin, end) that holds a cell, in ascending order. The last slot is the one
// of the cell that is kept apart.
template <class Body>
void for_each_cell(const FrozenHash& hash, uint64_t begin, uint64_t end, const Body& body) {
  for (uint64_t slot = begin; slot < end; ++slot) {
    const bool filled =
        slot + 1 == hash.cells.size() ? hash.apart != 0 : hash.cells[slot] != hash::kEmptyCell<uint64_t>;
    if (filled) body(slot, hash.cells[slot]);
  }
}

// Throws an Error unless searches and walks over the cells can rely on the hash: its sizes must fit, and each cell must
// be a voxel of the grid.
void check_structure(const FrozenHash& hash);

// Orders the cells of every bucket so that searches know when to end (hash::BucketCells), as a build does. The last
// cell of each full bucket must already be the one of least precedence.
void tell_turns(FrozenHash& hash);

// Checks a spatial hash more thoroughly than check_structure() does, by searching for every voxel.

// Throws an Error if check_structure() does, if a search does not find a cell in its slot, or if an empty cell
// of a bucket precedes a filled one.
void verify(const FrozenHash& hash);

// Compares a hash that verify() accepts with a DAG that check_structure() accepts. Each voxel of the DAG must
// be found with its material, both must have the same number of voxels, and a sample of empty voxels must not
// be found. Throws an Error that names the first voxel that differs, in Morton order.
void check_same_voxels(const FrozenHash& hash, const dag::FrozenDag& dag);

// Options for building a spatial hash of a DAG's voxels.
struct HashOptions {
  double load_factor = 0.95;  // in (0, 1]
  CellKeyLayout layout = CellKeyLayout::Morton;
};

struct HashResult {
  FrozenHash hash;
  uint32_t attempts = 1;  // attempts to build the table, each with other hash functions
  double seconds = 0;
  uint64_t peak_device_bytes = 0;
};

// Returns the most memory that building takes on a device at any time: the list of all cells, and the larger of the
// octree's leaves and the table, which replaces them.
uint64_t bytes_to_build(uint64_t voxels, uint64_t octree_leaves, const HashOptions& options);

// Throws a UsageError if the options are invalid. Throws an Error if a table cannot have a cell for each of these
// voxels, or if building the table needs more than `available` bytes.
void check_hash_fits(uint64_t voxels, uint64_t octree_leaves, const HashOptions& options, uint64_t available);

// The DAG must be one that check_structure() accepts. Throws an Error if the hash does not fit into the device's
// memory, or if no table of this load factor can be built.
template <class Device>
HashResult build_hash(Device& device, const dag::FrozenDag& dag, const HashOptions& options);
HashResult build_hash(device::DeviceHandle device, const dag::FrozenDag& dag, const HashOptions& options);

// Builds the DAG of the voxels that a spatial hash holds, on a device. The result is canonical: it equals the
// DAG that the hash was made of. The hash must be one that check_structure() accepts. Throws an Error if it holds a
// voxel twice, or if the device has
// too little memory.
template <class Device>
dag::FrozenDag dag_of_hash(Device& device, const FrozenHash& hash);
dag::FrozenDag dag_of_hash(device::DeviceHandle device, const FrozenHash& hash);

// A trivially copyable view of a spatial hash, in which kernel bodies search.
struct HashRef {
  hash::KeyTableRef<hash::LinesRef<uint64_t>, uint64_t> table;
  VoxelKeys keys;

  // Returns the material of a voxel of the grid, or hash::kNoValue if the voxel is empty.
  VOX_HD uint32_t material(Int3 voxel) const { return table.value(keys.key(voxel)); }
};

HashRef ref(const FrozenHash& hash);  // valid as long as the hash lives; nothing writes to the hash

// A spatial hash in the memory of a device.
template <class Device>
class DeviceHash {
 public:
  // The hash must be one that check_structure() accepts; it is not checked again.
  DeviceHash(Device& device, const FrozenHash& hash)
      : ref_(vox::spatial::ref(hash)), cells_(device::uploaded(device, hash.cells)) {
    ref_.table.ref.cells = cells_.data();
  }

  HashRef ref() const { return ref_; }

 private:
  HashRef ref_;
  device::Buffer<uint64_t> cells_;
};

}  // namespace vox::spatial
