#include "libvox/measure/compression.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <utility>

#include "libvox/base/bits.h"
#include "libvox/base/error.h"
#include "libvox/base/progress.h"
#include "libvox/dag/derived.h"
#include "libvox/dag/node.h"

namespace vox::measure {

double entropy_bits(std::span<const uint64_t> counts) {
  const uint64_t all = std::accumulate(counts.begin(), counts.end(), uint64_t{0});
  double bits = 0;
  for (const uint64_t count : counts)
    if (count > 0)
      bits += static_cast<double>(count) * std::log2(static_cast<double>(all) / static_cast<double>(count));
  return bits;
}

namespace {

double reference_bits(std::span<const ReferenceCount> references) {
  uint64_t all = 0;
  for (const ReferenceCount& count : references) all += count.references * count.nodes;
  double bits = 0;
  for (const ReferenceCount& count : references)
    if (count.references > 0)
      bits += static_cast<double>(count.references * count.nodes) *
              std::log2(static_cast<double>(all) / static_cast<double>(count.references));
  return bits;
}

}  // namespace

uint64_t SharedLevel::pointers() const {
  return std::accumulate(turns.begin(), turns.end(), uint64_t{0});
}

uint64_t SharedDag::sum(uint64_t SharedLevel::*value) const {
  return std::accumulate(levels.begin(), levels.end(), uint64_t{0},
                         [&](uint64_t sum, const SharedLevel& level) { return sum + level.*value; });
}

double SharedDag::entropy_bits() const {
  double bits = 0;
  for (const SharedLevel& level : levels)
    bits += measure::entropy_bits(level.masks) + measure::entropy_bits(level.turns) +
            reference_bits(level.references);
  return bits;
}

namespace {

class StreamWriter {
 public:
  // Adds the inner nodes of a level.
  void add(const dag::DagLevel& level) {
    uint64_t next = 0;  // the number of the next node below
    for (uint64_t number = 0; number < level.nodes; ++number) {
      if (number % kCheckEvery == 0) throw_if_cancelled();
      const uint32_t* const node = level.node(number);
      stream_.masks.push_back(static_cast<uint8_t>(dag::child_mask(node[0])));
      const uint32_t words = dag::node_words(node[0]);
      stream_.bits += 8 + (words - 1);
      for (uint32_t i = 1; i < words; ++i) {
        const bool is_first = node[i] == next;
        put_bit(is_first);
        if (is_first)
          ++next;
        else
          put_reference(next - 1 - node[i], next);
      }
    }
  }

  PointerlessStream finish(const dag::DagLevel& leaves) {
    stream_.bits += 64 * leaves.nodes;
    stream_.leaves.reserve(8 * leaves.nodes);
    for (uint64_t number = 0; number < leaves.nodes; ++number)
      for (uint64_t mask = dag::leaf_mask(leaves.node(number)), byte = 0; byte < 8; ++byte, mask >>= 8)
        stream_.leaves.push_back(static_cast<uint8_t>(mask));
    return std::move(stream_);
  }

 private:
  static constexpr uint64_t kCheckEvery = 1 << 20;

  void put_bit(bool bit) {
    if (bits_ % 8 == 0) stream_.first.push_back(0);
    stream_.first.back() = static_cast<uint8_t>(stream_.first.back() | uint32_t{bit} << bits_ % 8);
    ++bits_;
  }

  void put_reference(uint64_t back, uint64_t known) {
    stream_.bits += static_cast<uint64_t>(std::bit_width(known - 1));
    for (; back >= 128; back >>= 7) stream_.references.push_back(static_cast<uint8_t>(back | 128));
    stream_.references.push_back(static_cast<uint8_t>(back));
  }

  PointerlessStream stream_;
  uint64_t bits_ = 0;
};

}  // namespace

PointerlessStream pointerless_stream(const dag::FrozenDag& geometry) {
  StreamWriter writer;
  for (uint32_t level = 0; level < geometry.depth(); ++level) writer.add(geometry.levels[level]);
  return writer.finish(geometry.levels.back());
}

namespace {

constexpr uint64_t kWordBytes = 4;

// Bytes of shared nodes whose headers have so many words and whose pointers have 32 bits.
uint64_t plain_bytes(const SharedDag& dag, uint64_t header_words) {
  uint64_t bytes = 8 * dag.levels.back().nodes;
  for (size_t level = 0; level + 1 < dag.levels.size(); ++level)
    bytes += kWordBytes * (header_words * dag.levels[level].nodes + dag.levels[level].pointers());
  return bytes;
}

// The blocks of 2³ voxels of all stored leaves, and how many of them differ.
struct Blocks {
  uint64_t all = 0, different = 0;
};
Blocks blocks_of(const SharedLevel& leaves) {
  Blocks blocks;
  for (size_t mask = 1; mask < leaves.masks.size(); ++mask) {
    blocks.all += leaves.masks[mask];
    blocks.different += leaves.masks[mask] > 0;
  }
  return blocks;
}

uint64_t rounded_bytes(double bits) {
  return static_cast<uint64_t>(std::ceil(bits / 8));
}

}  // namespace

namespace {

// Counts the forms one after the other. A form that does not fit into memory is left out.
class FormCounter {
 public:
  FormCounter(Engine& engine, const dag::FrozenDag& geometry, uint64_t memory)
      : engine_(engine),
        geometry_(geometry),
        memory_(memory),
        stats_(octree_forms(geometry, count_dag(geometry, std::max(memory, kLeastForCounts)))) {}

  CompressionStats count(const CompressedSize& deflated_size, const CompressedSize& zstd_size) {
    add_shared();
    // The bytes for each node are those of the arrays that stay in memory, with some room.
    within(kCrossLevelBytes * geometry_.unique_nodes(), [&] { add_cross_level(); });
    within(kTransformBytes * geometry_.unique_nodes(), [&] { add_transforms(); });
    within(kLossyBytes * geometry_.unique_nodes(), [&] { add_lossy(); });
    within(2 * geometry_.bytes(), [&] { add_stream(deflated_size, zstd_size); });
    add_entropies();
    return std::move(stats_);
  }

 private:
  static constexpr uint64_t kLeastForCounts = 8 << 20;
  static constexpr uint64_t kCrossLevelBytes = 32, kTransformBytes = 128, kLossyBytes = 192;

  // Runs work that takes so much of the host's memory.
  template <class Work>
  void within(uint64_t bytes, const Work& work) {
    throw_if_cancelled();
    if (bytes > memory_) {
      stats_.is_complete = false;
      return;
    }
    try {
      work();
    } catch (const OutOfMemory&) {
      stats_.is_complete = false;
    }
  }

  void add(const char* name, const char* text, uint64_t nodes, uint64_t bytes) {
    stats_.forms.push_back({{name, text, bytes}, nodes});
  }

  void add_shared() {
    constexpr std::array<uint32_t, 3> kGroups = {1, kMirrors, kSymmetries};
    for (size_t i = 0; i < kGroups.size(); ++i)
      within(0, [&] { stats_.shared[i] = shared_under(engine_, geometry_, kGroups[i]); });
    const auto& [plain, mirrored, turned] = stats_.shared;
    if (plain) {
      const Blocks blocks = blocks_of(plain->levels.back());
      const uint64_t leaves = plain->levels.back().nodes;
      add("svdag_2", "SVDAG, leaves of 2³ (Kämpe 2013)", plain->nodes() + blocks.different,
          plain_bytes(*plain, 1) + kWordBytes * (blocks.all + blocks.different - leaves));
      // Reports show it before svdag_4, which octree_forms() has added.
      std::swap(stats_.forms.back(), stats_.forms[stats_.forms.size() - 2]);
      add("esvdag", "ESVDAG: pointers of 16 to 48 bits", plain->nodes(), plain->encoded_bytes());
    }
    if (mirrored) {
      add("ussvdag", "USSVDAG: mirrored sub-trees once", mirrored->nodes(), plain_bytes(*mirrored, 1));
      add("ssvdag", "SSVDAG: the same, pointers of 16 to 48 bits", mirrored->nodes(),
          mirrored->encoded_bytes());
    }
    if (turned) {
      add("symmetric", "mirrored and turned sub-trees once", turned->nodes(), plain_bytes(*turned, 2));
      add("symmetric_encoded", "the same, pointers of 16 to 48 bits", turned->nodes(),
          turned->encoded_bytes());
    }
  }

  void add_cross_level() {
    const CrossLevel merged = cross_level(geometry_);
    add("cross_level", "SVDAG without what levels above show coarsely",
        std::accumulate(merged.nodes.begin(), merged.nodes.end(), uint64_t{0}), merged.bytes);
  }

  void add_transforms() {
    const TransformDag moved = transform_dag(geometry_);
    for (const TransformLevel& level : moved.levels) {
      stats_.moved_nodes.push_back(level.distinct);
      stats_.moved_stored.push_back(level.masks.size());
    }
    add("moved_encoded", "mirrored, turned and moved sub-trees once, pointers of 16 to 48 bits",
        moved.nodes(), moved.table_bytes());
    add("moved_huffman", "the same, Huffman codes for transforms", moved.nodes(), moved.huffman_bytes());
  }

  void add_lossy() {
    const dag::LossyDag lossy = dag::lossy(geometry_, kLossyShare);
    stats_.lossy_changed_voxels = lossy.changed_voxels;
    add("lossy", "SVDAG with rare nodes replaced, 1 % of the voxels at most", lossy.dag.unique_nodes(),
        lossy.dag.bytes());
  }

  void add_stream(const CompressedSize& deflated_size, const CompressedSize& zstd_size) {
    const PointerlessStream stream = pointerless_stream(geometry_);
    const auto size_after = [&](const CompressedSize& compressed_size) {
      uint64_t size = 0;
      for (const std::span<const uint8_t> part : stream.parts()) size += compressed_size(part);
      return size;
    };
    const uint64_t nodes = geometry_.unique_nodes();
    add("stream", "depth first without pointers", nodes, (stream.bits + 7) / 8);
    add("stream_deflated", "depth first without pointers, after deflate", nodes, size_after(deflated_size));
    if (zstd_size)
      add("stream_zstd", "depth first without pointers, after Zstandard", nodes, size_after(zstd_size));
  }

  void add_entropies() {
    const std::array<std::pair<const char*, const char*>, 3> names = {
        {{"entropy", "entropy of the SVDAG"},
         {"entropy_mirrors", "entropy with mirrored sub-trees once"},
         {"entropy_symmetric", "entropy with mirrored and turned sub-trees once"}}};
    for (size_t i = 0; i < names.size(); ++i)
      if (const std::optional<SharedDag>& shared = stats_.shared[i])
        add(names[i].first, names[i].second, shared->nodes(), rounded_bytes(shared->entropy_bits()));
  }

  Engine& engine_;
  const dag::FrozenDag& geometry_;
  const uint64_t memory_;
  CompressionStats stats_;
};

}  // namespace

CompressionStats octree_forms(const dag::FrozenDag& dag, const DagStats& counts) {
  CompressionStats stats;
  stats.voxels = dag.voxels;
  for (const LevelStats& level : counts.levels) stats.octree_nodes.push_back(level.svo_nodes);
  const LevelStats octree = counts.all_levels();
  const LevelStats& last = counts.levels.back();
  const uint64_t leaves = last.svo_nodes, blocks = counts.octree_masks - octree.svo_nodes;
  const uint64_t inner_words = octree.svo_words - last.svo_words;  // a leaf may have materials
  const auto add = [&](const char* name, const char* text, uint64_t nodes, uint64_t bytes) {
    stats.forms.push_back({{name, text, bytes}, nodes});
  };
  add("octree_masks", "octree, a byte a node", counts.octree_masks, counts.octree_masks);
  // A leaf of 4³ voxels has two words. As a node, it has a header, and a pointer to each of its blocks.
  add("octree_2", "octree, pointers of 32 bits, leaves of 2³", counts.octree_masks,
      kWordBytes * (inner_words + leaves + 2 * blocks));
  add("octree_4", "octree, pointers of 32 bits, leaves of 4³", octree.svo_nodes,
      kWordBytes * (inner_words + 2 * leaves));
  if (!dag.materials)
    add("svdag_4", "SVDAG, leaves of 4³ (.h5)", octree.unique_nodes, kWordBytes * octree.words);
  return stats;
}

CompressionStats measure_compression(Engine& engine, const dag::FrozenDag& geometry,
                                     const CompressedSize& deflated_size, const CompressedSize& zstd_size,
                                     uint64_t memory) {
  return FormCounter(engine, geometry, memory).count(deflated_size, zstd_size);
}

}  // namespace vox::measure
