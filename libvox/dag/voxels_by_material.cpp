#include "libvox/dag/voxels_by_material.h"

#include <oneapi/tbb/parallel_for.h>
#include <tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <mutex>
#include <span>

#include "libvox/base/bits.h"
#include "libvox/base/loops.h"
#include "libvox/base/progress.h"
#include "libvox/dag/level_values.h"
#include "libvox/dag/node.h"
#include "libvox/dag/paged_level.h"
#include "libvox/dag/walk.h"

namespace vox::dag {
namespace {

// The counts of a node: a byte for materials 0 to 7 and one for 8 to 15, in which the materials that occur are set; then
// their counts, 7 bits in each byte, the lowest first; a byte's eighth bit says that more follow.
constexpr uint64_t kMostBytes = 2 + scene::kPaletteSize * 9;

void pack(const VoxelCounts& counts, std::vector<uint8_t>& bytes) {
  const size_t mask_at = bytes.size();
  bytes.resize(mask_at + 2, 0);
  for (size_t material = 0; material < counts.size(); ++material) {
    uint64_t count = counts[material];
    if (count == 0) continue;
    bytes[mask_at + material / 8] |= static_cast<uint8_t>(1u << material % 8);
    for (; count > 127; count >>= 7) bytes.push_back(static_cast<uint8_t>(128 | (count & 127)));
    bytes.push_back(static_cast<uint8_t>(count));
  }
}

uint32_t packed_mask(const uint8_t* bytes) {
  return bytes[0] | static_cast<uint32_t>(bytes[1]) << 8;
}

// Adds a node's counts. Returns the first byte behind them.
const uint8_t* add_packed(const uint8_t* bytes, VoxelCounts& counts) {
  uint32_t left = packed_mask(bytes);
  for (bytes += 2; left != 0; left &= left - 1) {
    uint64_t& count = counts[static_cast<size_t>(lowest_bit(left))];
    for (uint32_t shift = 0;; shift += 7) {
      const uint8_t byte = *bytes++;
      count += static_cast<uint64_t>(byte & 127) << shift;
      if (byte < 128) break;
    }
  }
  return bytes;
}

// Returns the first byte behind a node's counts.
const uint8_t* behind_packed(const uint8_t* bytes) {
  auto left = static_cast<uint32_t>(popcount(packed_mask(bytes)));
  for (bytes += 2; left > 0; ++bytes) left -= *bytes < 128 ? 1 : 0;
  return bytes;
}

// The number of voxels of each material below each node of a level. Most nodes have few materials, so only counts other than
// 0 are stored, with as many bytes as they need: about 8 bytes for a node instead of 128.
class VoxelsByMaterial {
 public:
  VoxelsByMaterial() = default;  // of no nodes
  // Counts a level's voxels from the counts of the level below. If there are none, a level above the leaves reads its
  // leaves.
  VoxelsByMaterial(const FrozenDag& dag, uint32_t level, const VoxelsByMaterial& below, uint64_t memory,
                   ranks::Ranks& ranks);

  bool empty() const { return places_.empty(); }

  // Reads counts on one thread.
  class Reader {
   public:
    explicit Reader(const VoxelsByMaterial& all) : all_(all), blocks_(all.bytes_.in_file() ? kBlocks : 0) {}
    // Adds the counts of the node with this number.
    void add(uint64_t number, VoxelCounts& counts);

   private:
    static constexpr uint64_t kBlocks = 256;
    struct Block {  // of counts that lie in a file
      uint64_t number = UINT64_MAX;
      std::vector<VoxelCounts> counts;
    };

    const VoxelsByMaterial& all_;
    std::vector<Block> blocks_;
    std::vector<uint8_t> bytes_;
  };

 private:
  // Nodes are read in any order: in memory, a read skips half a block.
  static constexpr uint64_t kBlockNodes = 16;
  struct Place {
    uint64_t first;
    uint32_t bytes;
  };

  void give_to_all(ranks::Ranks& ranks, const ranks::Counts& begins);

  std::vector<Place> places_;  // of each block of kBlockNodes nodes
  SpilledArray<uint8_t> bytes_;
};

// Counts the voxels below one node after another, on one thread.
class NodeCounter {
 public:
  NodeCounter(const FrozenDag& dag, uint32_t level, const VoxelsByMaterial& below)
      : dag_(dag), level_(level), reads_leaves_(below.empty()), children_(below) {}

  VoxelCounts operator()(const uint32_t* node) {
    VoxelCounts counts = {};
    if (level_ == dag_.depth()) {
      add_leaf(counts, node);
    } else if (is_homogeneous(node[0])) {
      const uint64_t side = dag_.level_side(level_);
      counts[homogeneous_material(node[0])] = side * side * side;
    } else if (reads_leaves_) {
      for (uint32_t i = 1; i < node_words(node[0]); ++i)
        add_leaf(counts, dag_.levels[level_ + 1].node(node[i]));
    } else {
      for (uint32_t i = 1; i < node_words(node[0]); ++i) children_.add(node[i], counts);
    }
    return counts;
  }

 private:
  const FrozenDag& dag_;
  const uint32_t level_;
  const bool reads_leaves_;
  VoxelsByMaterial::Reader children_;
};

VoxelsByMaterial::VoxelsByMaterial(const FrozenDag& dag, uint32_t level, const VoxelsByMaterial& below,
                                   uint64_t memory, ranks::Ranks& ranks) {
  constexpr uint64_t kUsualBytes = 12;  // for a node
  const DagLevel& here = dag.levels[level];
  const uint64_t nodes = here.places.nodes(),
                 blocks_at_once = std::max(nodes_at_once(here), 64 * kBlockNodes) / kBlockNodes;
  places_.resize((nodes + kBlockNodes - 1) / kBlockNodes);
  bytes_ = {SpillPlace::if_larger(nodes * kUsualBytes, memory), nodes * kMostBytes};
  const ranks::Counts begins = ranks::share_begins(ranks, places_.size());
  std::mutex mutex;
  tbb::enumerable_thread_specific<NodeCounter> counters([&] { return NodeCounter(dag, level, below); });
  tbb::parallel_for(
      tbb::blocked_range<uint64_t>(begins[ranks.rank()], begins[ranks.rank() + 1], blocks_at_once),
      [&](const tbb::blocked_range<uint64_t>& range) {
        throw_if_cancelled();
        NodeCounter& counter = counters.local();
        std::vector<uint8_t> bytes;
        size_t begin = 0;  // of a block's bytes
        const NodeNumbers numbers(range.begin() * kBlockNodes, std::min(range.end() * kBlockNodes, nodes));
        for_each_in_order(here, numbers, [&](uint64_t number, const uint32_t* node) {
          pack(counter(node), bytes);
          if ((number + 1) % kBlockNodes != 0 && number + 1 != nodes) return;
          places_[number / kBlockNodes] = {begin, static_cast<uint32_t>(bytes.size() - begin)};
          begin = bytes.size();
        });
        uint64_t first = 0;
        {
          const std::lock_guard lock(mutex);
          first = bytes_.size();
          bytes_.append(bytes.size());
        }
        bytes_.write(first, bytes);
        for (uint64_t block = range.begin(); block < range.end(); ++block) places_[block].first += first;
      },
      tbb::simple_partitioner());
  throw_if_cancelled();  // counts of words that could not be read stay here
  give_to_all(ranks, begins);
}

// The bytes of other ranks come behind this rank's own, and the places of their blocks follow from that.
void VoxelsByMaterial::give_to_all(ranks::Ranks& ranks, const ranks::Counts& begins) {
  if (ranks.count() == 1) return;
  const ranks::Counts bytes = ranks.gather(bytes_.size());
  ranks::Counts first_bytes;  // of each rank, here
  for (uint32_t rank = 0; rank < ranks.count(); ++rank) {
    first_bytes.push_back(rank == ranks.rank() ? 0 : bytes_.size());
    if (rank != ranks.rank()) bytes_.append(bytes[rank]);
  }
  ranks::give_to_all<uint8_t>(
      ranks, bytes, [&](uint64_t first, std::span<uint8_t> to) { bytes_.read(first, to); },
      [&](uint32_t rank, uint64_t first, std::span<const uint8_t> from) {
        bytes_.write(first_bytes[rank] + first, from);
      });
  const auto own = places_.begin() + static_cast<ptrdiff_t>(begins[ranks.rank()]);
  const auto own_end = places_.begin() + static_cast<ptrdiff_t>(begins[ranks.rank() + 1]);
  places_ = brought_to_all(ranks, std::vector<Place>(own, own_end));
  for (uint32_t rank = 0; rank < ranks.count(); ++rank)
    for (uint64_t block = begins[rank]; block < begins[rank + 1]; ++block)
      places_[block].first += first_bytes[rank];
}

void VoxelsByMaterial::Reader::add(uint64_t number, VoxelCounts& counts) {
  const uint64_t wanted = number / kBlockNodes;
  const Place place = all_.places_[wanted];
  if (blocks_.empty()) {
    const uint8_t* at = all_.bytes_.data() + place.first;
    for (uint64_t before = number % kBlockNodes; before > 0; --before) at = behind_packed(at);
    add_packed(at, counts);
    return;
  }
  Block& block = blocks_[wanted % kBlocks];
  if (block.number != wanted) {
    bytes_.resize(place.bytes);
    block.number = UINT64_MAX;
    all_.bytes_.read(place.first, bytes_);
    block.counts.assign(kBlockNodes, {});
    const uint8_t* at = bytes_.data();
    const uint8_t* const end = at + bytes_.size();
    for (VoxelCounts& of_node : block.counts)
      if (at != end) at = add_packed(at, of_node);
    block.number = wanted;
  }
  const VoxelCounts& child = block.counts[number % kBlockNodes];
  for (size_t m = 0; m < counts.size(); ++m) counts[m] += child[m];
}

}  // namespace

// Counts one material after the other, eight voxels at a time: most leaves have one to three.
void add_leaf(VoxelCounts& counts, const uint32_t* leaf) {
  constexpr uint32_t kAll = 0x11111111, kMostWords = 8;
  const auto filled = static_cast<uint32_t>(popcount(leaf_mask(leaf)));
  const uint32_t* const materials = leaf_materials(leaf);
  const uint32_t words = (filled + 7) / 8;
  uint32_t left[kMostWords];  // a bit for each voxel that is not yet counted
  std::fill_n(left, words, kAll);
  if (filled % 8 != 0) left[words - 1] &= (1u << filled % 8 * 4) - 1;
  for (uint32_t first = 0; first < words;) {
    if (left[first] == 0) {
      ++first;
      continue;
    }
    const uint32_t material = materials[first] >> lowest_bit(left[first]) & 15;
    for (uint32_t i = first; i < words; ++i) {
      uint32_t differs = materials[i] ^ word_of_one_material(material);
      differs |= differs >> 2;
      differs |= differs >> 1;
      counts[material] += static_cast<uint64_t>(popcount(left[i] & ~differs));
      left[i] &= differs;
    }
  }
}

uint8_t majority(const VoxelCounts& counts) {
  return static_cast<uint8_t>(std::ranges::max_element(counts) - counts.begin());
}

std::vector<uint8_t> majority_materials(const FrozenDag& dag, uint32_t level, uint64_t memory,
                                        ranks::Ranks& ranks) {
  VoxelsByMaterial below;
  // The nodes above the leaves count their leaves themselves, unless these would be read from a file in any order, or by
  // several ranks.
  const bool counts_leaves = dag.paged || ranks.count() > 1;
  for (uint32_t at = counts_leaves ? dag.depth() : std::max(dag.depth(), 1u) - 1; at > level; --at)
    below = VoxelsByMaterial(dag, at, below, memory, ranks);
  const NodeNumbers own = own_nodes(ranks, dag.levels[level]);
  std::vector<uint8_t> materials(own.size());
  tbb::enumerable_thread_specific<NodeCounter> counters([&] { return NodeCounter(dag, level, below); });
  parallel_for(own, [&](const NodeNumbers& range) {
    NodeCounter& counter = counters.local();
    for_each_in_order(dag.levels[level], range, [&](uint64_t number, const uint32_t* node) {
      materials[number - own.begin()] = majority(counter(node));
    });
  });
  throw_if_cancelled();  // counts of words that could not be read stay here
  return materials;
}

}  // namespace vox::dag
