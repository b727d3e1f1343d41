#include "libvox/dag/voxels_by_material.h"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <span>
#include <utility>

#include "libvox/base/bits.h"
#include "libvox/base/progress.h"
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

// Returns the first byte behind a node's counts.
const uint8_t* unpack(const uint8_t* bytes, VoxelCounts& counts) {
  const uint32_t mask = bytes[0] | static_cast<uint32_t>(bytes[1]) << 8;
  bytes += 2;
  counts.fill(0);
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    uint64_t& count = counts[static_cast<size_t>(lowest_bit(left))];
    for (uint32_t shift = 0;; shift += 7) {
      const uint8_t byte = *bytes++;
      count |= static_cast<uint64_t>(byte & 127) << shift;
      if (byte < 128) break;
    }
  }
  return bytes;
}

void add_leaf(VoxelCounts& counts, const uint32_t* leaf) {
  const auto filled = static_cast<uint32_t>(popcount(leaf_mask(leaf)));
  for (uint32_t rank = 0; rank < filled; ++rank) ++counts[ranked_material(leaf_materials(leaf), rank)];
}

}  // namespace

VoxelsByMaterial::VoxelsByMaterial(const FrozenDag& dag, uint32_t level, uint64_t memory,
                                   ranks::Ranks& ranks) {
  // The nodes above the leaves count their leaves themselves, unless these would be read from a file in any order, or by
  // several ranks.
  const bool skips_leaves = !dag.paged && ranks.count() == 1 && level < dag.depth();
  const uint32_t lowest = skips_leaves ? dag.depth() - 1 : dag.depth();
  count_level(dag, lowest, {}, memory, ranks);
  for (uint32_t above = lowest; above-- > level;) {
    const VoxelsByMaterial below = std::exchange(*this, {});
    count_level(dag, above, below, memory, ranks);
  }
}

void VoxelsByMaterial::count_level(const FrozenDag& dag, uint32_t level, const VoxelsByMaterial& below,
                                   uint64_t memory, ranks::Ranks& ranks) {
  constexpr uint64_t kUsualBytes = 12;  // for a node
  const DagLevel& here = dag.levels[level];
  const uint64_t nodes = here.places.nodes(),
                 blocks_at_once = std::max(nodes_at_once(here), 64 * kBlockNodes) / kBlockNodes;
  places_.resize((nodes + kBlockNodes - 1) / kBlockNodes);
  bytes_ = {SpillPlace::if_larger(nodes * kUsualBytes, memory), nodes * kMostBytes};
  const ranks::Counts begins = ranks::share_begins(ranks, places_.size());
  std::mutex mutex;
  tbb::enumerable_thread_specific<Reader> readers([&] { return Reader(below); });
  tbb::parallel_for(
      tbb::blocked_range<uint64_t>(begins[ranks.rank()], begins[ranks.rank() + 1], blocks_at_once),
      [&](const tbb::blocked_range<uint64_t>& range) {
        throw_if_cancelled();
        Reader& children = readers.local();
        std::vector<uint8_t> bytes;
        size_t begin = 0;  // of a block's bytes
        const NodeNumbers numbers(range.begin() * kBlockNodes, std::min(range.end() * kBlockNodes, nodes));
        for_each_in_order(here, numbers, [&](uint64_t number, const uint32_t* node) {
          VoxelCounts counts = {};
          if (level == dag.depth()) {
            add_leaf(counts, node);
          } else if (is_homogeneous(node[0])) {
            const uint64_t side = dag.level_side(level);
            counts[homogeneous_material(node[0])] = side * side * side;
          } else if (below.places_.empty()) {
            for (uint32_t i = 1; i < node_words(node[0]); ++i)
              add_leaf(counts, dag.levels[level + 1].node(node[i]));
          } else {
            for (uint32_t i = 1; i < node_words(node[0]); ++i) {
              const VoxelCounts& child = children[node[i]];
              for (size_t m = 0; m < counts.size(); ++m) counts[m] += child[m];
            }
          }
          pack(counts, bytes);
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

const VoxelCounts& VoxelsByMaterial::Reader::operator[](uint64_t number) {
  const uint64_t wanted = number / kBlockNodes;
  Block& block = blocks_[wanted % kBlocks];
  if (block.number != wanted) {
    const Place place = all_.places_[wanted];
    bytes_.resize(place.bytes);
    block.number = UINT64_MAX;
    all_.bytes_.read(place.first, bytes_);
    block.counts.resize(kBlockNodes);
    const uint8_t* at = bytes_.data();
    const uint8_t* const end = at + bytes_.size();
    for (VoxelCounts& counts : block.counts)
      if (at != end) at = unpack(at, counts);
    block.number = wanted;
  }
  return block.counts[number % kBlockNodes];
}

}  // namespace vox::dag
