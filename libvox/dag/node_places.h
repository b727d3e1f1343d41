// The places where the nodes of a level begin among its words. A node is found by its number in constant
// time, however many words the level has. The table takes 2.1 bytes for each node: for every 64 nodes, the
// word at which the first of them begins, and how many words behind it each of the others begins.
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
  uint16_t steps[kNodes];  // 128 B, each node's distance from it in words; a node has at most 10
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

// A level has fewer nodes than this, because node numbers are 32-bit words.
inline constexpr uint64_t kMostNodes = UINT32_MAX;
// Files hold the places of the nodes 0, 4096, 8192, …
inline constexpr uint64_t kStartEvery = 4096;

// The facts about a level that decide how many words its nodes have.
struct LevelForm {
  uint32_t level;  // for messages only
  NodeKind kind;
  bool materials;
};

// The nodes of a run of words: their number, and the words at which the nodes begin whose number in the level
// is a multiple of kStartEvery.
struct NodeStarts {
  std::vector<uint64_t> starts;
  uint64_t nodes = 0;
};

// Walks over all words; the node at the first word has the number `first` in its level. Throws Error if a
// node reaches beyond the end, or if there are too many nodes.
NodeStarts find_starts(std::span<const uint32_t> words, const LevelForm& form, uint64_t first = 0);

class NodePlaces {
 public:
  NodePlaces() = default;  // for a level without nodes
  // Takes the starts that find_starts() has found or that a file states. Throws Error if the words do not
  // have these nodes and starts.
  NodePlaces(std::span<const uint32_t> words, const LevelForm& form, uint64_t nodes,
             std::span<const uint64_t> starts);
  // Takes finished blocks. The place behind the last node is the end of the words.
  NodePlaces(PlacesBlocks blocks, uint64_t nodes) : blocks_(std::move(blocks)), nodes_(nodes) {}

  static uint64_t blocks_for(uint64_t nodes) { return nodes / PlacesBlock::kNodes + 1; }

  uint64_t nodes() const { return nodes_; }
  NodePlacesRef ref() const { return {blocks_.data()}; }
  const PlacesBlocks& blocks() const { return blocks_; }

  // Returns the word at which a node begins. For the number nodes(), this is the end of the words.
  uint64_t operator[](uint64_t number) const { return ref()[number]; }
  uint64_t words() const { return nodes_ == 0 ? 0 : (*this)[nodes_]; }
  std::vector<uint64_t> starts() const;
  // Returns the number of nodes of each size in words.
  hash::SizeCounts sizes() const;

 private:
  void put(uint64_t number, uint64_t word);
  void place_run(std::span<const uint32_t> words, const LevelForm& form, std::span<const uint64_t> starts,
                 uint64_t run);

  PlacesBlocks blocks_;
  uint64_t nodes_ = 0;
};

// Restores the upper 32 bits of each block's first word, which a device leaves out. First words ascend.
void restore_first_words(std::span<PlacesBlock> blocks);

// Returns a place for messages, such as "level 3, word 1234".
std::string level_place(uint32_t level, uint64_t word);

}  // namespace vox::dag
