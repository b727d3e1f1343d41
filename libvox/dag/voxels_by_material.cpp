#include "libvox/dag/voxels_by_material.h"

#include <tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <array>
#include <bit>
#include <mutex>
#include <optional>
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

// The counts of a node in 64 bits: from the lowest bit on, 4 bits of material and the number of its voxels for each
// material that occurs. A number of 0 is the end. Few nodes have more materials than fit.
class CountsForm {
 public:
  explicit CountsForm(uint64_t side)
      : count_bits_(static_cast<uint32_t>(std::bit_width(side * side * side))), most_(63 / entry_bits()) {}

  // Returns the packed counts, or nothing if there are too many materials.
  std::optional<uint64_t> pack(const VoxelCounts& counts) const {
    uint64_t packed = 0;
    uint32_t entries = 0;
    for (uint64_t material = 0; material < counts.size(); ++material) {
      if (counts[material] == 0) continue;
      if (entries == most_) return std::nullopt;
      packed |= (counts[material] << 4 | material) << entries++ * entry_bits();
    }
    return packed;
  }

  void add(uint64_t packed, VoxelCounts& counts) const {
    const uint64_t mask = (uint64_t{1} << count_bits_) - 1;
    for (; (packed >> 4 & mask) != 0; packed >>= entry_bits()) counts[packed & 15] += packed >> 4 & mask;
  }

 private:
  uint32_t entry_bits() const { return 4 + count_bits_; }

  uint32_t count_bits_;
  uint32_t most_;  // materials that fit; the highest bit is not used
};

// Counts that do not fit: a byte for materials 0 to 7 and one for 8 to 15, in which the materials that occur are set; then
// their counts, 7 bits in each byte, the lowest first; a byte's eighth bit says that more follow.
using LongCounts = std::array<uint8_t, 2 + scene::kPaletteSize * 9>;

// Returns the bytes that are used.
std::span<const uint8_t> pack_long(const VoxelCounts& counts, LongCounts& bytes) {
  size_t size = 2;
  bytes[0] = bytes[1] = 0;
  for (size_t material = 0; material < counts.size(); ++material) {
    uint64_t count = counts[material];
    if (count == 0) continue;
    bytes[material / 8] |= static_cast<uint8_t>(1u << material % 8);
    for (; count > 127; count >>= 7) bytes[size++] = static_cast<uint8_t>(128 | (count & 127));
    bytes[size++] = static_cast<uint8_t>(count);
  }
  return std::span(bytes).first(size);
}

void add_long(const LongCounts& bytes, VoxelCounts& counts) {
  const uint8_t* at = bytes.data() + 2;
  visit_bits(bytes[0] | uint64_t{bytes[1]} << 8, [&](uint32_t material) {
    for (uint32_t shift = 0;; shift += 7) {
      const uint8_t byte = *at++;
      counts[material] += static_cast<uint64_t>(byte & 127) << shift;
      if (byte < 128) break;
    }
  });
}

// The number of voxels of each material below each node of a level.
class VoxelsByMaterial {
 public:
  VoxelsByMaterial() = default;  // of no nodes
  // Counts a level's voxels from the counts of the level below.
  VoxelsByMaterial(const FrozenDag& dag, uint32_t level, const VoxelsByMaterial& below, uint64_t memory,
                   ranks::Ranks& ranks);

  using Reader = LevelValues<uint64_t>::Reader;  // reads counts on one thread
  tbb::enumerable_thread_specific<Reader> readers() const { return packed_.readers(); }
  const uint64_t* in_memory() const { return packed_.size() > 0 ? packed_.in_memory() : nullptr; }

  // Adds the counts of the node with this number.
  void add(uint64_t number, Reader& packed, VoxelCounts& counts) const;

 private:
  static constexpr uint64_t kLong = uint64_t{1} << 63;  // beside the first byte of a node's counts in long_

  void give_long_to_all(ranks::Ranks& ranks);

  CountsForm form_{1};
  LevelValues<uint64_t> packed_;
  SpilledArray<uint8_t> long_;  // the LongCounts of nodes whose counts do not fit, this rank's first
  // The first node of each rank's share, and the first byte of its counts in long_.
  ranks::Counts begins_, first_long_;
};

// Returns the counts of a node, from those of the level below.
VoxelCounts counts_of(const FrozenDag& dag, uint32_t level, const uint32_t* node,
                      const VoxelsByMaterial& below, VoxelsByMaterial::Reader& packed_below) {
  VoxelCounts counts = {};
  if (level == dag.depth()) {
    add_leaf(counts, node);
  } else if (is_homogeneous(node[0])) {
    const uint64_t side = dag.level_side(level);
    counts[homogeneous_material(node[0])] = side * side * side;
  } else {
    for (uint32_t i = 1, words = node_words(node[0]); i < words; ++i)
      below.add(node[i], packed_below, counts);
  }
  return counts;
}

VoxelsByMaterial::VoxelsByMaterial(const FrozenDag& dag, uint32_t level, const VoxelsByMaterial& below,
                                   uint64_t memory, ranks::Ranks& ranks)
    : form_(dag.level_side(level)) {
  constexpr uint64_t kUsualBytes = 4;  // for each node, because few have counts that do not fit
  const uint64_t nodes = dag.levels[level].places.nodes();
  long_ = {SpillPlace::if_larger(nodes * kUsualBytes, memory), nodes * sizeof(LongCounts)};
  std::mutex mutex;
  packed_ = values_of_level(dag.levels[level], below.packed_, memory, ranks,
                            [&](uint64_t, const uint32_t* node, auto& packed_below) {
                              const VoxelCounts counts = counts_of(dag, level, node, below, packed_below);
                              if (const auto packed = form_.pack(counts)) return *packed;
                              LongCounts bytes;
                              const std::span<const uint8_t> used = pack_long(counts, bytes);
                              const std::lock_guard lock(mutex);
                              const uint64_t first = long_.size();
                              long_.append(used.size());
                              long_.write(first, used);
                              return kLong | first;
                            });
  throw_if_cancelled();  // counts of words that could not be read stay here
  begins_ = ranks::share_begins(ranks, nodes);
  first_long_.assign(begins_.size(), 0);
  give_long_to_all(ranks);
}

// The counts of other ranks come behind this rank's own.
void VoxelsByMaterial::give_long_to_all(ranks::Ranks& ranks) {
  if (ranks.count() == 1) return;
  const ranks::Counts sizes = ranks.gather(long_.size());
  for (uint32_t rank = 0; rank < ranks.count(); ++rank) {
    if (rank == ranks.rank()) continue;
    first_long_[rank] = long_.size();
    long_.append(sizes[rank]);
  }
  ranks::give_to_all<uint8_t>(
      ranks, sizes, [&](uint64_t first, std::span<uint8_t> to) { long_.read(first, to); },
      [&](uint32_t rank, uint64_t first, std::span<const uint8_t> from) {
        long_.write(first_long_[rank] + first, from);
      });
}

void VoxelsByMaterial::add(uint64_t number, Reader& packed, VoxelCounts& counts) const {
  const uint64_t value = packed[number];
  if ((value & kLong) == 0) return form_.add(value, counts);
  const auto rank = static_cast<size_t>(std::ranges::upper_bound(begins_, number) - begins_.begin()) - 1;
  const uint64_t first = first_long_[rank] + (value ^ kLong);
  LongCounts bytes;
  long_.read(first, std::span(bytes).first(std::min(bytes.size(), long_.size() - first)));
  add_long(bytes, counts);
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

namespace {

// Most leaves have one material.
uint8_t leaf_majority(const uint32_t* leaf) {
  const auto filled = static_cast<uint32_t>(popcount(leaf_mask(leaf)));
  const uint32_t* const materials = leaf_materials(leaf);
  const uint32_t first = materials[0] & 15, word = word_of_one_material(first);
  uint32_t differs = 0;
  for (uint32_t i = 0; i < filled / 8; ++i) differs |= materials[i] ^ word;
  if (filled % 8 != 0) differs |= (materials[filled / 8] ^ word) & ((1u << filled % 8 * 4) - 1);
  if (differs == 0) return static_cast<uint8_t>(first);
  VoxelCounts counts = {};
  add_leaf(counts, leaf);
  return majority(counts);
}

}  // namespace

MaterialBytes majority_materials(const FrozenDag& dag, uint32_t level, uint64_t memory, ranks::Ranks& ranks) {
  VoxelsByMaterial below;
  for (uint32_t at = dag.depth(); at > level; --at) below = VoxelsByMaterial(dag, at, below, memory, ranks);
  const NodeNumbers own = own_nodes(ranks, dag.levels[level]);
  MaterialBytes materials(own.size());
  auto readers = below.readers();
  const uint64_t* const all_below = below.in_memory();
  parallel_for(own, [&](const NodeNumbers& range) {
    VoxelsByMaterial::Reader& reader = readers.local();
    for_each_in_order(
        dag.levels[level], range,
        [&](const uint32_t* node) {
          if (all_below) prefetch_children(node, all_below);
        },
        [&](uint64_t number, const uint32_t* node) {
          materials[number - own.begin()] = level == dag.depth()
                                                ? leaf_majority(node)
                                                : majority(counts_of(dag, level, node, below, reader));
        });
  });
  throw_if_cancelled();  // counts of words that could not be read stay here
  return materials;
}

}  // namespace vox::dag
