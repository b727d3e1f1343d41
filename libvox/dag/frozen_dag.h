// A DAG in canonical form, on the host. Files hold this form, and engines load it and return it.
//
// levels[0] holds only the root, and levels.back() the leaves. The nodes of a level stand one behind the
// other in the order in which a depth-first walk from the root, with children in Morton order, first visits
// them. A child pointer is the child's number among the nodes of the next level. The place where each node
// begins is stored beside the words. The levels of an empty scene have no words.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libvox/base/bits.h"
#include "libvox/base/hd.h"
#include "libvox/base/paged_memory.h"
#include "libvox/dag/node.h"
#include "libvox/hash/batch.h"

namespace vox::dag {

// The digest: 128 bits that name the content of a scene. It is computed from the content alone. This is version 1,
// which never changes:
//
//   combine(digest, word)  low  = mix64(low ^ word) + 0x9e3779b97f4a7c15
//                          high = mix64(high + low * 0xc2b2ae3d27d4eb4f) ^ word
//   leaf                   start(1), then each of its words (32 bits each)
//   inner node             start(2), then its child mask, then low and high of each present child's digest
//                          in order
//   scene                  start(3), then resolution, depth (inner levels), material bits (0 or 4), then low
//                          and high of the root's digest (nothing for an empty scene)
//   start(kind)            low = mix64(kind), high = mix64(kind + 0x9e3779b97f4a7c15)
//
// All arithmetic is modulo 2^64. A digest is printed as 32 hexadecimal digits, high first.
struct Digest {
  uint64_t low = 0, high = 0;  // 16 B
  VOX_HD friend bool operator==(const Digest&, const Digest&) = default;
};

VOX_HD inline Digest start_digest(uint64_t kind) {
  return {mix64(kind), mix64(kind + 0x9e3779b97f4a7c15ull)};
}

VOX_HD inline void combine(Digest& digest, uint64_t word) {
  digest.low = mix64(digest.low ^ word) + 0x9e3779b97f4a7c15ull;
  digest.high = mix64(digest.high + digest.low * 0xc2b2ae3d27d4eb4full) ^ word;
}

VOX_HD inline Digest leaf_digest(const hash::ItemRef& leaf, bool materials) {
  Digest digest = start_digest(1);
  uint32_t words = leaf_words(leaf_mask(leaf), materials);
  for (uint32_t i = 0; i < words; ++i) combine(digest, leaf[i]);
  return digest;
}

// child_digest(i) returns the digest of the i-th present child.
template <class ChildDigest>
VOX_HD Digest node_digest(uint32_t header, ChildDigest child_digest) {
  Digest digest = start_digest(2);
  combine(digest, child_mask(header));
  uint32_t children = node_words(header) - 1;
  for (uint32_t i = 0; i < children; ++i) {
    Digest child = child_digest(i);
    combine(digest, child.low);
    combine(digest, child.high);
  }
  return digest;
}

// Returns the digest of a whole scene. `root` is the root's digest, or nullptr if the scene is empty.
Digest scene_digest(uint32_t resolution, uint32_t depth, bool materials, const Digest* root);

std::string to_string(const Digest& digest);
// Returns the digest that to_string() has written, or nothing if the text is none.
std::optional<Digest> parse_digest(std::string_view text);

// The places where the nodes of a level begin among its words. A node is found by its number in constant
// time, however many words the level has. The table takes 2.1 bytes for each node: for every 64 nodes, it has the
// word at which the first of them begins, and the distance in words from there to each of the others.

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

// Returns the number of words of the node at word `at`. Throws an Error if it reaches beyond the end of the words.
uint64_t checked_size(std::span<const uint32_t> words, uint64_t at, const LevelForm& form);
// Throws an Error if a level with this many words and nodes cannot have these starts.
void check_starts(const LevelForm& form, uint64_t words, uint64_t nodes, std::span<const uint64_t> starts);
// Stores the place of node `number` of those that these blocks place. Nodes must be stored in order.
void put_place(std::span<PlacesBlock> blocks, uint64_t number, uint64_t word);

// Walks over all words; the node at the first word has the number `first` in its level. Throws an Error if a
// node reaches beyond the end, or if there are too many nodes.
NodeStarts find_starts(std::span<const uint32_t> words, const LevelForm& form, uint64_t first = 0);

class NodePlaces {
 public:
  NodePlaces() = default;  // for a level without nodes
  // Takes the starts that find_starts() has found or that a file states. Throws an Error if the words do not have these
  // nodes and starts.
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
  void place_run(std::span<const uint32_t> words, const LevelForm& form, std::span<const uint64_t> starts,
                 uint64_t run);

  PlacesBlocks blocks_;
  uint64_t nodes_ = 0;
};

// Restores the upper 32 bits of each block's first word, which a device leaves out. First words ascend.
void restore_first_words(std::span<PlacesBlock> blocks);

// Returns a place for messages, such as "level 3, word 1234".
std::string level_place(uint32_t level, uint64_t word);

struct FiledLevel;  // paged_level.h

struct DagLevel {
  Words words;
  uint64_t nodes = 0;      // unique nodes
  uint64_t svo_nodes = 0;  // nodes of the octree, before deduplication
  NodePlaces places = {};  // where each node begins among the words
  std::shared_ptr<const FiledLevel> filed =
      {};  // the source of the words if they are read only when they are used

  // Returns the words of a node.
  const uint32_t* node(uint64_t number) const { return words.data() + places[number]; }
};

struct FrozenDag {
  uint32_t resolution = 0;  // R: voxels lie in [0, R)³
  bool materials = true;    // leaves hold 4-bit materials
  uint64_t voxels = 0;
  // levels.size() follows from R: kLeafLog2 + levels.size() - 1 is the log2 of the smallest power of two >= R
  // (and >= 4).
  std::vector<DagLevel> levels;
  Digest digest;
  // True if words and places come from the file when they are first read, and may go again: the scene need not fit
  // into memory. A loop over all nodes should then go level by level, in order.
  bool paged = false;

  bool empty() const { return levels.front().words.empty(); }
  uint32_t depth() const { return static_cast<uint32_t>(levels.size()) - 1; }  // inner levels
  uint32_t side() const { return kLeafSide << depth(); }                 // voxels a side of the whole cube
  uint32_t level_side(uint32_t level) const { return side() >> level; }  // voxels a side of a node
  uint64_t unique_nodes() const;
  uint64_t svo_nodes() const;
  uint64_t bytes() const;  // bytes of the words of nodes and leaves
};

// Returns the number of levels above the leaves of a scene of this resolution.
uint32_t depth_for(uint32_t resolution);

// Returns an empty scene of this resolution.
FrozenDag empty_dag(uint32_t resolution, bool materials);

inline constexpr int kEmptyVoxel = -1;

// Returns the voxel's material (0 without materials), or kEmptyVoxel. Voxels outside the cube are empty.
int voxel_at(const FrozenDag& dag, uint32_t x, uint32_t y, uint32_t z);

// Recomputes the digest from the words. The DAG must be one that check_structure() accepts.
Digest compute_digest(const FrozenDag& dag);

// Checks everything that a reader relies on: the structure, header bits, child numbers, canonical order,
// uniqueness, homogeneous flags, zero padding, that nothing is filled outside [0, R)³, the counts and the
// digest. Throws an Error that names the level and the word.
void verify(const FrozenDag& dag);

// Child pointers as word offsets into the next level. Scene files of version 1 and pages hold these instead
// of the children's numbers.

// Replaces the word offsets of all levels by node numbers, and finds the places of the nodes. Throws an Error that
// names the level and the word if a node reaches beyond the end of its level, or if a pointer leads to a word where no
// node starts.
void offsets_to_numbers(FrozenDag& dag);

// A level has at most this many words, because offsets are 32-bit words.
inline constexpr uint64_t kMostOffsetWords = uint64_t{1} << 32;

// Returns the words of a level with word offsets for pointers; leaves have no pointers. The level below must
// have at most kMostOffsetWords words.
Words words_with_offsets(const FrozenDag& dag, uint32_t level);

// Counts the nodes and voxels of the octree that a DAG represents.
struct OctreeCounts {
  std::vector<uint64_t> nodes;  // for each level, beginning with the root's
  uint64_t voxels = 0;
};

// The DAG must be one that check_structure() accepts.
OctreeCounts octree_counts(const FrozenDag& dag);

// Sets the counts of octree nodes and of voxels in a DAG in which everything else is set.
void count_octree(FrozenDag& dag);

}  // namespace vox::dag
