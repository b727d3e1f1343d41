// The number of voxels of each material below each node of a level.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "libvox/base/spilled_array.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/ranks/ranks.h"
#include "libvox/scene/palette.h"

namespace vox::dag {

// There are at most 2^60 voxels, so no count overflows.
using VoxelCounts = std::array<uint64_t, scene::kPaletteSize>;

// Counts of all nodes of a level. Most nodes have few materials, so only counts other than 0 are stored, with as many bytes
// as they need: about 8 bytes for a node instead of 128. They lie in a file without a name, in the folder for temporary
// files, if they would take more memory than is given.
class VoxelsByMaterial {
 public:
  // Finds the counts of the nodes of `level`, from the leaves up. The DAG must have materials, and be one that
  // check_structure() accepts. Each level is read once, in order. A collective call, in which each rank reads its share of
  // the nodes; all ranks have the counts of all nodes then.
  VoxelsByMaterial(const FrozenDag& dag, uint32_t level, uint64_t memory, ranks::Ranks& ranks);

  // Reads counts on one thread.
  class Reader {
   public:
    explicit Reader(const VoxelsByMaterial& all) : all_(all), blocks_(kBlocks) {}
    const VoxelCounts& operator[](uint64_t number);

   private:
    static constexpr uint64_t kBlocks = 64;
    struct Block {
      uint64_t number = UINT64_MAX;
      std::vector<VoxelCounts> counts;
    };

    const VoxelsByMaterial& all_;
    std::vector<Block> blocks_;
    std::vector<uint8_t> bytes_;
  };

 private:
  static constexpr uint64_t kBlockNodes = 64;
  struct Place {
    uint64_t first;
    uint32_t bytes;
  };

  VoxelsByMaterial() = default;
  void count_level(const FrozenDag& dag, uint32_t level, const VoxelsByMaterial& below, uint64_t memory,
                   ranks::Ranks& ranks);
  void give_to_all(ranks::Ranks& ranks, const ranks::Counts& begins);

  std::vector<Place> places_;  // of each block of kBlockNodes nodes
  SpilledArray<uint8_t> bytes_;
};

}  // namespace vox::dag
