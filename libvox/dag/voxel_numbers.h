// The numbers of a scene's filled voxels, in the order of a depth-first walk through the octree with children in Morton
// order. Equal parts of a scene are one node of the DAG, but their voxels have different numbers, by which attributes
// that are not part of the geometry are found (libvox/attributes).
#pragma once

#include <cstdint>
#include <vector>

#include "libvox/base/hd.h"
#include "libvox/base/words.h"
#include "libvox/dag/frozen_dag.h"

namespace vox::dag {

// A number for each word of the inner nodes, beginning with the root: in place of the header, how many voxels are below
// the node, and in place of a child's pointer, how many are below the children before it.
struct VoxelNumbersRef {
  const uint32_t* low = nullptr;  // the lower 32 bits
  const uint32_t* high =
      nullptr;  // the upper 32 bits, of the first `high_words` words; those of the others are 0
  uint64_t high_words = 0;

  VOX_HD uint64_t operator[](uint64_t word) const {
    return low[word] | (word < high_words ? uint64_t{high[word]} << 32 : 0);
  }
};

class VoxelNumbers {
 public:
  // check_structure() must accept the DAG, which must outlive this object.
  explicit VoxelNumbers(const FrozenDag& dag);

  // Returns the number of voxels below the node with this number on this level.
  uint64_t voxels(uint32_t level, uint64_t number) const {
    if (level == dag_.depth())
      return static_cast<uint64_t>(popcount(leaf_mask(dag_.levels[level].node(number))));
    return at(level, dag_.levels[level].places[number]);
  }

  // Returns how many voxels lie below the children that come before the child to which the node's word `word` points.
  uint64_t before(uint32_t level, uint64_t number, uint32_t word) const {
    return at(level, dag_.levels[level].places[number] + word);
  }

  struct NumberedLeaf {
    uint64_t first;  // the number of its first voxel
    const uint32_t* words;
  };
  // Returns the leaf that has its lower corner here. There must be such a leaf.
  NumberedLeaf leaf_at(Int3 corner) const;
  uint64_t first_of_leaf(Int3 corner) const { return leaf_at(corner).first; }

  // The counts of each inner level. `high` is empty if all counts of a level are less than 2^32.
  struct Level {
    Words low, high;
  };
  const std::vector<Level>& levels() const { return levels_; }

 private:
  uint64_t at(uint32_t level, uint64_t word) const {
    const Level& here = levels_[level];
    return here.low[word] | (here.high.empty() ? 0 : uint64_t{here.high[word]} << 32);
  }

  const FrozenDag& dag_;
  std::vector<Level> levels_;
};

}  // namespace vox::dag
