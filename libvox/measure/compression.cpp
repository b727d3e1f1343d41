#include "libvox/measure/compression.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "libvox/base/bits.h"
#include "libvox/base/progress.h"
#include "libvox/dag/lossy.h"
#include "libvox/dag/node.h"
#include "libvox/measure/transforms.h"

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

void add_transforms(CompressionStats& stats, const dag::FrozenDag& geometry) {
  const TransformDag moved = transform_dag(geometry);
  for (const TransformLevel& level : moved.levels) {
    stats.moved_nodes.push_back(level.distinct);
    stats.moved_stored.push_back(level.masks.size());
  }
  stats.forms.push_back(
      {{"moved_encoded", "mirrored, turned and moved sub-trees once, pointers of 16 to 48 bits",
        moved.table_bytes()},
       moved.nodes()});
  stats.forms.push_back(
      {{"moved_huffman", "the same, Huffman codes for transforms", moved.huffman_bytes()}, moved.nodes()});
}

void add_lossy(CompressionStats& stats, const dag::FrozenDag& geometry) {
  const dag::LossyDag lossy = dag::lossy(geometry, kLossyShare);
  stats.lossy_changed_voxels = lossy.changed_voxels;
  stats.forms.push_back(
      {{"lossy", "SVDAG with rare nodes replaced, 1 % of the voxels at most", lossy.dag.bytes()},
       lossy.dag.unique_nodes()});
}

}  // namespace

CompressionStats measure_compression(Engine& engine, const dag::FrozenDag& geometry,
                                     const CompressedSize& deflated_size, const CompressedSize& zstd_size) {
  const DagStats counts = count_dag(geometry);
  CompressionStats stats;
  stats.voxels = geometry.voxels;
  for (const LevelStats& level : counts.levels) stats.octree_nodes.push_back(level.svo_nodes);
  stats.shared[0] = shared_under(engine, geometry, 1);
  stats.shared[1] = shared_under(engine, geometry, kMirrors);
  stats.shared[2] = shared_under(engine, geometry, kSymmetries);
  const auto& [plain, mirrored, turned] = stats.shared;

  const auto add = [&](const char* name, const char* text, uint64_t nodes, uint64_t bytes) {
    stats.forms.push_back({{name, text, bytes}, nodes});
  };
  const LevelStats octree = counts.all_levels();
  const uint64_t leaves = counts.levels.back().svo_nodes, blocks = counts.octree_masks - octree.svo_nodes;
  add("octree_masks", "octree, a byte a node", counts.octree_masks, counts.octree_masks);
  // A leaf of 4³ voxels has two words. As a node, it has a header, and a pointer to each of its blocks.
  add("octree_2", "octree, pointers of 32 bits, leaves of 2³", counts.octree_masks,
      kWordBytes * (octree.svo_words - leaves + 2 * blocks));
  add("octree_4", "octree, pointers of 32 bits, leaves of 4³", octree.svo_nodes,
      kWordBytes * octree.svo_words);
  const Blocks shared_blocks = blocks_of(plain.levels.back());
  const uint64_t plain_leaves = plain.levels.back().nodes;
  add("svdag_2", "SVDAG, leaves of 2³ (Kämpe 2013)", plain.nodes() + shared_blocks.different,
      plain_bytes(plain, 1) + kWordBytes * (shared_blocks.all + shared_blocks.different - plain_leaves));
  add("svdag_4", "SVDAG, leaves of 4³ (.h5)", plain.nodes(), plain_bytes(plain, 1));
  add("esvdag", "ESVDAG: pointers of 16 to 48 bits", plain.nodes(), plain.encoded_bytes());
  add("ussvdag", "USSVDAG: mirrored sub-trees once", mirrored.nodes(), plain_bytes(mirrored, 1));
  add("ssvdag", "SSVDAG: the same, pointers of 16 to 48 bits", mirrored.nodes(), mirrored.encoded_bytes());
  add("symmetric", "mirrored and turned sub-trees once", turned.nodes(), plain_bytes(turned, 2));
  add("symmetric_encoded", "the same, pointers of 16 to 48 bits", turned.nodes(), turned.encoded_bytes());
  const CrossLevel merged = cross_level(geometry);
  add("cross_level", "SVDAG without what levels above show coarsely",
      std::accumulate(merged.nodes.begin(), merged.nodes.end(), uint64_t{0}), merged.bytes);
  add_transforms(stats, geometry);
  add_lossy(stats, geometry);
  const PointerlessStream stream = pointerless_stream(geometry);
  const auto size_after = [&](const CompressedSize& compressed_size) {
    uint64_t size = 0;
    for (const std::span<const uint8_t> part : stream.parts()) size += compressed_size(part);
    return size;
  };
  add("stream", "depth first without pointers", plain.nodes(), (stream.bits + 7) / 8);
  add("stream_deflated", "depth first without pointers, after deflate", plain.nodes(),
      size_after(deflated_size));
  if (zstd_size)
    add("stream_zstd", "depth first without pointers, after Zstandard", plain.nodes(), size_after(zstd_size));
  add("entropy", "entropy of the SVDAG", plain.nodes(), rounded_bytes(plain.entropy_bits()));
  add("entropy_mirrors", "entropy with mirrored sub-trees once", mirrored.nodes(),
      rounded_bytes(mirrored.entropy_bits()));
  add("entropy_symmetric", "entropy with mirrored and turned sub-trees once", turned.nodes(),
      rounded_bytes(turned.entropy_bits()));
  return stats;
}

}  // namespace vox::measure
