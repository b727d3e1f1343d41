// A round: the nodes that a device built of a scene before its memory was full, as the host keeps them. They
// can be loaded into a store again.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "libvox/base/hd.h"
#include "libvox/base/paged_memory.h"
#include "libvox/base/progress.h"
#include "libvox/base/spilled_array.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/device/device.h"
#include "libvox/device/pool.h"
#include "libvox/hash/batch.h"
#include "libvox/voxelize/build_cells.h"
#include "libvox/voxelize/build_scene.h"

namespace vox::build {

// The unique nodes of one level, one behind the other. Child pointers are the children's numbers in the
// round's next level. A node takes 4 bytes for each of its words and one more.
struct RoundLevel {
  SpilledArray<uint32_t> words;
  SpilledArray<uint8_t> sizes;  // the number of words of each node

  uint64_t nodes() const { return sizes.size(); }
  // Says that the level is not used for now.
  void rest() {
    words.rest();
    sizes.rest();
  }
};

// A node on the round's first level, at one place of the scene.
struct RoundRoot {
  uint64_t code = 0;      // the Morton code of its place on that level
  uint32_t number = 0;    // the node's number; several roots may have the same
  int32_t material = -1;  // the material if the node is full and has only one, else -1
  dag::Digest digest;
};

struct Round {
  uint32_t level = 0;                       // the DAG's level on which the roots are
  std::vector<RoundRoot> roots;             // in the order in which cells were built
  std::vector<RoundLevel> levels;           // begins with the roots' level, ends with the leaves
  std::vector<voxelize::CellState> states;  // with options.solid, those of the round's chunk cells
  voxelize::BuildResult result;             // its DAG's levels have only the counts of the octree
};

// Moves the levels of a round to this place.
void move_levels(Round& round, const SpillPlace& place);

// Reads nodes that lie on the host in pieces that fit in a device's memory.

// The most words that one array with 32-bit offsets may hold. It is somewhat less than 2^32, because many
// nodes are added at once.
inline constexpr uint64_t kMostWords = uint64_t{15} << 28;

// The bytes that a node takes on a device while it passes through: its words, at most, its offset and its
// size.
inline constexpr uint64_t kBytesOnTheWay = 4 * hash::kMaxItemWords + 5;

// Returns how many nodes go through a device at once if each takes `bytes_each` bytes there.
template <class Device>
uint64_t nodes_at_once(Device& device, uint64_t bytes_each) {
  constexpr uint64_t kLeast = 1024, kMost = uint64_t{1} << 25;
  return std::clamp(device.pool().available() / 2 / bytes_each, kLeast, kMost);
}

struct SizeOfNode {
  const uint8_t* sizes;
  VOX_HD uint32_t operator()(uint64_t i) const { return sizes[i]; }
};

struct SizesOfNodes {
  const uint32_t* offsets;
  uint8_t* sizes;
  VOX_HD void operator()(uint64_t i) const { sizes[i] = static_cast<uint8_t>(offsets[i + 1] - offsets[i]); }
};

// Replaces the number of each child by the value that `below` has for it.
struct ReplaceChildren {
  uint32_t* words;
  const uint32_t* offsets;
  const uint32_t* below;
  VOX_HD void prefetch(uint64_t i, int stage) const {
    const uint32_t* node = words + offsets[i];
    if (stage == 0) return prefetch_line(node);
    for (uint32_t w = 1; w < offsets[i + 1] - offsets[i]; ++w) prefetch_line(below + node[w]);
  }
  VOX_HD void operator()(uint64_t i) const {
    uint32_t* node = words + offsets[i];
    for (uint32_t w = 1; w < offsets[i + 1] - offsets[i]; ++w) node[w] = below[node[w]];
  }
};
static_assert(device::PrefetchingBody<ReplaceChildren>);

// The nodes of a level that are on a device at once. Node i has the words
// [offsets[i], offsets[i + 1]).
struct NodePiece {
  device::Buffer<uint32_t> words, offsets;
  uint64_t first = 0, count = 0;  // the number of the first node, and how many there are
};

struct SizeOfChosen {
  const uint32_t* offsets;
  const uint32_t* chosen;
  VOX_HD uint32_t operator()(uint64_t i) const { return offsets[chosen[i] + 1] - offsets[chosen[i]]; }
};

// Copies chosen nodes one behind the other.
struct PackNodes {
  const uint32_t* words;
  const uint32_t* offsets;
  const uint32_t* chosen;
  const uint32_t* packed_offsets;
  uint32_t* packed_words;
  uint8_t* packed_sizes;
  VOX_HD void operator()(uint64_t i) const {
    const uint32_t* from = words + offsets[chosen[i]];
    uint32_t* to = packed_words + packed_offsets[i];
    const uint32_t size = packed_offsets[i + 1] - packed_offsets[i];
    for (uint32_t w = 0; w < size; ++w) to[w] = from[w];
    packed_sizes[i] = static_cast<uint8_t>(size);
  }
};

// Reads the nodes of a level on the host in pieces. The words and sizes must outlive the stream.
template <class Device>
class NodeStream {
 public:
  NodeStream(Device& device, std::span<const uint32_t> words, std::span<const uint8_t> sizes,
             uint64_t at_once)
      : device_(device), words_(words), sizes_(sizes), at_once_(at_once) {}

  bool done() const { return first_ == sizes_.size(); }

  NodePiece next() { return next(at_once_); }
  // Returns the next nodes, at most this many.
  NodePiece next(uint64_t most) {
    throw_if_cancelled();
    NodePiece piece = {.words = {}, .offsets = {}, .first = first_};
    piece.count = std::min<uint64_t>(most, sizes_.size() - first_);
    auto sizes = device_.template make<uint8_t>(piece.count);
    device_.upload(sizes.data(), sizes_.data() + first_, piece.count);
    piece.offsets = device_.template make<uint32_t>(piece.count + 1);
    const uint64_t count = device_.exclusive_scan({"rounds: places", 5}, piece.count,
                                                  SizeOfNode{sizes.data()}, piece.offsets.data());
    piece.words = device_.template make<uint32_t>(count);
    device_.upload(piece.words.data(), words_.data() + word_, count);
    first_ += piece.count;
    word_ += count;
    return piece;
  }

 private:
  Device& device_;
  std::span<const uint32_t> words_;
  std::span<const uint8_t> sizes_;
  uint64_t at_once_, first_ = 0, word_ = 0;
};

// Checks that a round that was read from a file can be loaded into a store.

// The properties that all rounds of a build share.
struct RoundForm {
  size_t dag_levels = 0;
  bool materials = true;  // true if leaves hold materials
};

// True if the parts of a round fit together. The nodes of a level fill its words, each inner node has
// children, each leaf has voxels, and each child and each root is the number of a node. The roots are as many
// levels above the leaves as the round says, no two at one place, and there are counts for each level of the
// DAG. The values of counts, digests and materials are not checked; the checksum of the file covers them.
bool holds_together(const Round& round, const RoundForm& form);

// A level in canonical order, while it is written. It becomes a level in memory, or one whose words stay in a nameless
// file and are read when they are used (dag/paged_level.h).

// The place of a result's levels.
struct ResultPlace {
  SpillPlace place = {};
  // Bounds the bytes of all levels that are in memory at once. nullptr: the whole result lies in memory.
  std::shared_ptr<PagedBudget> budget = {};
};

class OrderedLevel {
 public:
  OrderedLevel(const ResultPlace& place, const dag::LevelForm& form, uint64_t nodes, uint64_t words);

  uint64_t words() const { return used_; }  // words that were written so far
  // Returns the place of the next n words. It is valid until the next call.
  std::span<uint32_t> append_words(uint64_t n);
  // Adds the places of the next nodes, which are whole blocks except at the end of the level.
  void add_places(std::span<const dag::PlacesBlock> blocks);

  // Returns the level. The next level has `nodes_below` nodes.
  dag::DagLevel finish(uint64_t nodes_below);

 private:
  const ResultPlace& place_;
  dag::LevelForm form_;
  uint64_t nodes_, all_words_, used_ = 0, blocks_used_ = 0;
  Words words_;
  dag::PlacesBlocks blocks_;
  SpilledArray<uint32_t> file_;
  LongWords starts_;  // the words at which the nodes 0, 4096, 8192, … begin
};

}  // namespace vox::build
