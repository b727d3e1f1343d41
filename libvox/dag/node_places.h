// Where the nodes of a level begin among its words: by its number a node is found at once, however many words the
// level has. The table takes 2.1 bytes a node: for every 64 nodes the word at which the first of them begins, and
// how far behind it the others do.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "libvox/base/hd.h"
#include "libvox/base/words.h"
#include "libvox/dag/node.h"
#include "libvox/hash/batch.h"

namespace vox::dag {

struct PlacesBlock {
  static constexpr uint32_t kNodes = 64;
  uint64_t first;          //   8 B, the word at which the first node begins
  uint16_t steps[kNodes];  // 128 B, how many words behind it each node does; a node has 10 words at most
};
static_assert(sizeof(PlacesBlock) == 136);
static_assert(PlacesBlock::kNodes * hash::kMaxItemWords <= UINT16_MAX);

using PlacesBlocks = std::vector<PlacesBlock, UninitializedAllocator<PlacesBlock>>;

struct NodePlacesRef {
  const PlacesBlock* blocks;
  VOX_HD uint64_t operator[](uint64_t number) const {
    const PlacesBlock& block = blocks[number / PlacesBlock::kNodes];
    return block.first + block.steps[number % PlacesBlock::kNodes];
  }
  VOX_HD void prefetch(uint64_t number) const {
    const PlacesBlock& block = blocks[number / PlacesBlock::kNodes];
    prefetch_line(&block.first);
    prefetch_line(block.steps + number % PlacesBlock::kNodes);
  }
};

// A level has fewer nodes than this: their numbers are words.
inline constexpr uint64_t kMostNodes = UINT32_MAX;
// Files have the places of the nodes 0, 4096, 8192, …
inline constexpr uint64_t kStartEvery = 4096;

// What has to be known of a level to tell how many words its nodes have.
struct LevelForm {
  uint32_t level;  // for messages
  NodeKind kind;
  bool materials;
};

// The nodes of a run of words: how many there are, and the words at which those begin whose number in the level is
// a multiple of kStartEvery.
struct NodeStarts {
  std::vector<uint64_t> starts;
  uint64_t nodes = 0;
};

// Goes through the words from the first to the last, where node `first` of the level begins. Throws Error where a
// node reaches beyond the end, or where there are too many.
NodeStarts find_starts(std::span<const uint32_t> words, const LevelForm& form, uint64_t first = 0);

class NodePlaces {
 public:
  NodePlaces() = default;  // of a level without nodes
  // As find_starts() has found, or a file says. Throws Error where the nodes of these words are not there.
  NodePlaces(std::span<const uint32_t> words, const LevelForm& form, uint64_t nodes,
             std::span<const uint64_t> starts);
  // The blocks of this many nodes; the place behind the last node is the end of the words.
  NodePlaces(PlacesBlocks blocks, uint64_t nodes) : blocks_(std::move(blocks)), nodes_(nodes) {}

  static uint64_t blocks_for(uint64_t nodes) { return nodes / PlacesBlock::kNodes + 1; }

  uint64_t nodes() const { return nodes_; }
  NodePlacesRef ref() const { return {blocks_.data()}; }
  const PlacesBlocks& blocks() const { return blocks_; }

  // The word at which a node begins; that of number nodes() is the end.
  uint64_t operator[](uint64_t number) const { return ref()[number]; }
  uint64_t words() const { return nodes_ == 0 ? 0 : (*this)[nodes_]; }
  std::vector<uint64_t> starts() const;
  // How many nodes have how many words.
  hash::SizeCounts sizes() const;

 private:
  void put(uint64_t number, uint64_t word);
  void place_run(std::span<const uint32_t> words, const LevelForm& form, std::span<const uint64_t> starts,
                 uint64_t run);

  PlacesBlocks blocks_;
  uint64_t nodes_ = 0;
};

// Adds to the first word of each block the multiple of 2^32 that a device has left out: they ascend.
void restore_first_words(std::span<PlacesBlock> blocks);

// A place for messages, such as "level 3, word 1234".
std::string level_place(uint32_t level, uint64_t word);

}  // namespace vox::dag
