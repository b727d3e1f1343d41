#include "libvox/dag/digests.h"

#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <span>

#include "libvox/base/loops.h"
#include "libvox/base/progress.h"
#include "libvox/dag/level_values.h"
#include "libvox/dag/node.h"
#include "libvox/dag/paged_level.h"

namespace vox::dag {
namespace {

// Adds the digests of pieces of `pieces_of` items, which put(digest, first item, end) makes.
template <class Put>
void combine_pieces(Digest& all, uint64_t kind, uint64_t items, uint64_t items_each, Put put) {
  std::vector<Digest> pieces((items + items_each - 1) / items_each);
  parallel_for(size_t{0}, pieces.size(), [&](size_t i) {
    pieces[i] = start_digest(kind);
    put(pieces[i], i * items_each, std::min(items, (i + 1) * items_each));
  });
  for (const Digest& piece : pieces) {
    combine(all, piece.low);
    combine(all, piece.high);
  }
}

}  // namespace

Digest digest_of(const attributes::PackedValues& values) {
  constexpr uint64_t kValues = 4, kHeads = 5, kBlocks = 6;  // the kinds of digests
  constexpr uint64_t kPiece = 1 << 14;
  Digest digest = start_digest(kValues);
  combine(digest, values.count);
  combine(digest, values.value_bits);
  combine(digest, values.table.size());
  for (const uint32_t value : values.table) combine(digest, value);
  combine_pieces(digest, kHeads, values.groups.size(), kPiece, [&](Digest& to, uint64_t begin, uint64_t end) {
    for (uint64_t i = begin; i < end; ++i) {
      const attributes::ValueGroup& group = values.groups[i];
      combine(to, group.first_byte);
      for (uint32_t block = 0; block < attributes::kGroupBlocks; block += 4)
        combine(to, group.blocks[block] | uint64_t{group.blocks[block + 1]} << 16 |
                        uint64_t{group.blocks[block + 2]} << 32 | uint64_t{group.blocks[block + 3]} << 48);
    }
  });
  combine_pieces(digest, kBlocks, values.words.size(), 8 * kPiece,
                 [&](Digest& to, uint64_t begin, uint64_t end) {
                   for (uint64_t i = begin; i < end; i += 2)
                     combine(to, values.words[i] | (i + 1 < end ? uint64_t{values.words[i + 1]} << 32 : 0));
                 });
  return digest;
}

std::vector<std::vector<Digest>> digests_of(const FrozenDag& dag,
                                            const std::vector<std::vector<uint32_t>>& numbers,
                                            uint64_t memory, ranks::Ranks& ranks) {
  std::vector<std::vector<Digest>> result(numbers.size());
  LevelValues<Digest> below;
  for (uint32_t level = dag.depth() + 1; level-- > 0;) {
    throw_if_cancelled();
    below = values_of_level(dag.levels[level], below, memory, ranks,
                            [&](uint64_t, const uint32_t* node, auto& children) {
                              if (level == dag.depth()) return leaf_digest(node, dag.materials);
                              return node_digest(node[0], [&](uint32_t i) { return children[node[1 + i]]; });
                            });
    LevelValues<Digest>::Reader found(below);
    for (const uint32_t number : numbers[level]) result[level].push_back(found[number]);
  }
  return result;
}

Digest digest_of(const FrozenDag& dag, uint64_t memory, ranks::Ranks& ranks) {
  std::vector<std::vector<uint32_t>> root(dag.levels.size());
  if (!dag.empty()) root[0] = {0};
  const std::vector<std::vector<Digest>> digests = digests_of(dag, root, memory, ranks);
  return scene_digest(dag.resolution, dag.depth(), dag.materials, dag.empty() ? nullptr : &digests[0][0]);
}

// There are at most 8^18 leaves of 64 voxels, so no count overflows.
OctreeCounts octree_counts(const FrozenDag& dag, uint64_t memory, ranks::Ranks& ranks) {
  struct Sums {
    uint64_t nodes = 0, voxels = 0;
    Sums& operator+=(const Sums& other) {
      nodes += other.nodes;
      voxels += other.voxels;
      return *this;
    }
  };
  OctreeCounts counts;
  const auto sums = sums_over_nodes<Sums>(
      dag, memory, ranks, [&](uint32_t level, const uint32_t* node, const NodeUses& uses, Sums& to) {
        to.nodes += uses.places;
        if (level == dag.depth()) to.voxels += uses.places * static_cast<uint64_t>(popcount(leaf_mask(node)));
      });
  for (const Sums& level : sums) counts.nodes.push_back(level.nodes);
  if (!sums.empty()) counts.voxels = sums.back().voxels;
  for (uint64_t& nodes : counts.nodes) nodes = sum_of(ranks, nodes);
  counts.voxels = sum_of(ranks, counts.voxels);
  return counts;
}

void count_octree(FrozenDag& dag, uint64_t memory) {
  const OctreeCounts counts = octree_counts(dag, memory);
  for (size_t level = 0; level < dag.levels.size(); ++level)
    dag.levels[level].svo_nodes = counts.nodes[level];
  dag.voxels = counts.voxels;
}

}  // namespace vox::dag
