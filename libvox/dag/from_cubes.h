// Builds the DAG of voxels that come cube by cube, as readers of files deliver them. It runs on the host, because
// reading the files takes most of the time.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "libvox/base/bits.h"
#include "libvox/base/morton.h"
#include "libvox/base/vec.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/dag/node.h"

namespace vox::dag {

// A cube of 64³ voxels, which a reader of voxels fills in, in any order, before they become leaves.
class VoxelCube {
 public:
  static constexpr int32_t kSide = 64;
  static constexpr uint32_t kLog2 = 6;
  static constexpr uint32_t kLeaves = 4096;

  VoxelCube() : masks_(kLeaves), nibbles_(kLeaves * 4) {}

  // Returns the number of a voxel of the cube, which is its Morton code. The lowest 6 bits are the voxel's
  // bit in its leaf, and the bits above are the number of the leaf.
  static uint32_t code(Int3 place) {
    return kSpread[static_cast<size_t>(place.x)] | kSpread[static_cast<size_t>(place.y)] << 1 |
           kSpread[static_cast<size_t>(place.z)] << 2;
  }

  // Fills a voxel; coordinates are 0 to 63. If a voxel is filled more than once, the last material counts.
  void put(Int3 place, uint32_t material) { put(code(place), material); }
  void put(uint32_t code, uint32_t material) {
    const uint32_t leaf = code >> 6;
    used_[leaf >> 6] |= uint64_t{1} << (leaf & 63);
    masks_[leaf] |= uint64_t{1} << (code & 63);
    uint64_t& nibbles = nibbles_[code >> 4];
    const uint32_t shift = (code & 15) * 4;
    nibbles = (nibbles & ~(uint64_t{15} << shift)) | uint64_t{material} << shift;
  }

  // Fills the whole cube at the cost of a single voxel, and replaces anything that is in it.
  void fill(uint32_t material) {
    clear();
    filling_ = static_cast<int>(material);
  }
  int filling() const { return filling_; }  // the material that fills the cube, or -1

  // If voxels have been put into a filled cube, turns the filling into voxels as well.
  void settle() {
    if (filling_ < 0 || used_ == decltype(used_){}) return;
    for (uint32_t code = 0; code < kLeaves * 64; ++code)
      if ((masks_[code >> 6] >> (code & 63) & 1) == 0) put(code, static_cast<uint32_t>(filling_));
    filling_ = -1;
  }

  // Fills the voxels of a leaf that the mask names with material 0. They must be empty.
  void put_mask(uint32_t leaf, uint64_t mask) {
    if (mask == 0) return;
    used_[leaf >> 6] |= uint64_t{1} << (leaf & 63);
    masks_[leaf] |= mask;
  }

  uint64_t mask(uint32_t leaf) const { return masks_[leaf]; }
  uint32_t material(uint32_t code) const {
    return static_cast<uint32_t>(nibbles_[code >> 4] >> (code & 15) * 4 & 15);
  }

  // Returns the material of all voxels of a leaf, or -1 if they have several. The leaf must hold a voxel.
  int only_material(uint32_t leaf) const {
    const uint32_t first = material(leaf << 6 | static_cast<uint32_t>(lowest_bit(masks_[leaf])));
    for (uint32_t i = 0; i < 4; ++i)
      if (nibbles_[leaf * 4 + i] != first * nibbles_of_bits(masks_[leaf] >> 16 * i & 0xffff)) return -1;
    return static_cast<int>(first);
  }

  // Calls body(leaf) for each leaf that holds a voxel, in Morton order.
  template <class Body>
  void for_each_leaf(Body body) const {
    for (uint32_t i = 0; i < used_.size(); ++i)
      for (uint64_t used = used_[i]; used != 0; used &= used - 1)
        body(i * 64 + static_cast<uint32_t>(lowest_bit(used)));
  }

  void clear() {
    for_each_leaf([&](uint32_t leaf) {
      masks_[leaf] = 0;
      for (uint32_t i = 0; i < 4; ++i) nibbles_[leaf * 4 + i] = 0;
    });
    used_ = {};
    filling_ = -1;
  }

 private:
  static constexpr std::array<uint32_t, kSide> kSpread = [] {
    std::array<uint32_t, kSide> spread = {};
    for (uint32_t v = 0; v < kSide; ++v)
      for (uint32_t bit = 0; bit < kLog2; ++bit) spread[v] |= (v >> bit & 1) << 3 * bit;
    return spread;
  }();

  // Returns a word in which nibble i is 1 if bit i, of 16, is set, and 0 otherwise.
  static constexpr uint64_t nibbles_of_bits(uint64_t bits) {
    bits = (bits | bits << 24) & 0x000000ff000000ff;
    bits = (bits | bits << 12) & 0x000f000f000f000f;
    bits = (bits | bits << 6) & 0x0303030303030303;
    return (bits | bits << 3) & 0x1111111111111111;
  }

  int filling_ = -1;
  std::vector<uint64_t> masks_;
  std::vector<uint64_t> nibbles_;                 // 16 voxels in each word; 0 where empty
  std::array<uint64_t, kLeaves / 64> used_ = {};  // a bit for each leaf that holds a voxel
};

// A function that prepares cubes before they are read, for sources whose memory has room for only some of
// them. It prepares the cubes from `begin` on, at least one, and returns the end of the prepared ones, at
// most `end`. It may drop all other cubes. One thread calls it, while no cube is being read.
using CubeLoading = std::function<size_t(size_t begin, size_t end)>;

struct CubeSource {
  uint32_t resolution = 0;  // R: voxels lie in [0, R)³
  bool materials = true;
  // The Morton keys of the cubes of 64³ voxels that may hold something, in ascending order. The key of the cube with
  // the lower corner (64 x, 64 y, 64 z) is the Morton code of (x, y, z).
  std::vector<uint64_t> cubes;
  // Fills in the voxels of cubes[i]; the cube is empty at first. Several threads call it concurrently.
  std::function<void(size_t i, VoxelCube& cube)> read;
  CubeLoading load = {};
};

struct GatheredDag {
  FrozenDag dag;
  std::array<uint64_t, 16> voxels_of = {};  // the number of voxels of each material
};

// `memory_limit` bounds the memory of the whole process, as for an engine; 0 stands for 80 % of what is free. Throws an
// Error if a voxel lies outside [0, R)³, and passes on anything that `read` throws.
GatheredDag dag_of_cubes(const CubeSource& source, uint64_t memory_limit = 0);

// The lower corner of a cube.
inline Int3 cube_corner(uint64_t key) {
  return morton_decode(key) * VoxelCube::kSide;
}

// The key of the cube that holds a voxel.
inline uint64_t cube_key(Int3 voxel) {
  return morton_encode(static_cast<uint32_t>(voxel.x) >> VoxelCube::kLog2,
                       static_cast<uint32_t>(voxel.y) >> VoxelCube::kLog2,
                       static_cast<uint32_t>(voxel.z) >> VoxelCube::kLog2);
}

// A store for readers of files, which put nodes together on the host from the leaves up. Equal nodes are
// stored once, and freeze() makes a FrozenDag of all nodes below a root.
class HostStore {
 public:
  // `memory_limit` bounds the memory of the whole process, as for an engine; 0 stands for 80 % of what is
  // free.
  HostStore(bool materials, uint64_t memory_limit = 0);
  ~HostStore();
  HostStore(const HostStore&) = delete;
  HostStore& operator=(const HostStore&) = delete;

  // Returns how many more bytes the store may use.
  uint64_t room() const;

  // Announces that in the end there will be about `growth` times as many items as after the next call that
  // stores some.
  void expect_growth(double growth);

  // Stores leaves and returns their pointers. Leaf i has the words [offsets[i], offsets[i + 1]). Each leaf must have a
  // voxel.
  std::vector<uint32_t> put_leaves(std::span<const uint32_t> words, std::span<const uint32_t> offsets);

  // Stores inner nodes and returns their pointers. masks[i] is the child mask of node i. `children` holds the pointers
  // of all nodes' children, node by node, in the order of the octants. All children are leaves, or all are nodes.
  std::vector<uint32_t> put_nodes(std::span<const uint8_t> masks, std::span<const uint32_t> children,
                                  NodeKind kind_of_children);

  // Nodes of one level: their Morton keys, ascending, and their pointers.
  struct Level {
    std::vector<uint64_t> keys;
    std::vector<uint32_t> pointers;
  };
  Level put_parents(const Level& children, NodeKind kind_of_children);

  // Returns the scene below a root that covers the whole grid of this resolution, with all of its counts.
  FrozenDag freeze(uint32_t root, uint32_t resolution);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace vox::dag
