#include "libvox/measure/compression.h"

#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "libvox/base/bits.h"
#include "libvox/base/loops.h"
#include "libvox/base/progress.h"
#include "libvox/base/units.h"
#include "libvox/dag/node.h"
#include "libvox/dag/walk.h"
#include "libvox/scene/palette.h"

namespace vox::measure {
namespace {

// Calls on_run(material, voxels) for filled voxels in the order of a depth-first walk.
template <class OnRun>
class MaterialWalk {
 public:
  MaterialWalk(const dag::FrozenDag& dag, const dag::VoxelNumbers& counts, OnRun& on_run)
      : dag_(dag), counts_(counts), on_run_(on_run) {}

  // Visits the voxels of a node from the first-th to the one before the end-th.
  void visit(uint32_t level, uint64_t number, uint64_t first, uint64_t end) {
    const uint32_t* const node = dag_.levels[level].node(number);
    if (level == dag_.depth())
      return visit_leaf(node, static_cast<uint32_t>(first), static_cast<uint32_t>(end));
    if (dag::is_homogeneous(node[0])) return on_run_(dag::homogeneous_material(node[0]), end - first);
    const uint32_t words = dag::node_words(node[0]);
    uint64_t before = 0;  // voxels of the children so far
    for (uint32_t i = 1; i < words && before < end; ++i) {
      const uint64_t here = counts_.voxels(level + 1, node[i]);
      const uint64_t low = std::max(first, before), high = std::min(end, before + here);
      if (high - low == here && low == before) {
        visit_all(level + 1, node[i]);
      } else if (low < high) {
        visit(level + 1, node[i], low - before, high - before);
      }
      before += here;
    }
  }

 private:
  void visit_all(uint32_t level, uint64_t number) {
    const uint32_t* const node = dag_.levels[level].node(number);
    if (level == dag_.depth())
      return visit_leaf(node, 0, static_cast<uint32_t>(popcount(dag::leaf_mask(node))));
    if (dag::is_homogeneous(node[0])) {
      const uint64_t side = dag_.level_side(level);
      return on_run_(dag::homogeneous_material(node[0]), side * side * side);
    }
    const uint32_t words = dag::node_words(node[0]);
    for (uint32_t i = 1; i < words; ++i) visit_all(level + 1, node[i]);
  }

  void visit_leaf(const uint32_t* leaf, uint32_t first, uint32_t end) {
    for (uint32_t rank = first; rank < end; ++rank)
      on_run_(dag::ranked_material(dag::leaf_materials(leaf), rank), uint64_t{1});
  }

  const dag::FrozenDag& dag_;
  const dag::VoxelNumbers& counts_;
  OnRun& on_run_;
};

// The facts about a part of the order from which sizes follow.
class PartCounts {
 public:
  void operator()(uint32_t material, uint64_t voxels) {
    if (last_) {
      ++pairs_[*last_][material];
    } else {
      first_ = material;
    }
    pairs_[material][material] += voxels - 1;
    last_ = material;
    while (voxels > 0) {
      const uint64_t here = std::min(voxels, kBlockVoxels - in_block_);
      materials_ |= 1u << material;
      in_block_ += here;
      voxels -= here;
      if (in_block_ == kBlockVoxels) end_block();
    }
  }

  // Adds the part that follows. This one has ended with a whole block.
  void append(const PartCounts& next) {
    if (!next.last_) return;
    if (last_) ++pairs_[*last_][next.first_];
    if (!last_) first_ = next.first_;
    last_ = next.last_;
    for (size_t i = 0; i < pairs_.size(); ++i)
      for (size_t k = 0; k < pairs_.size(); ++k) pairs_[i][k] += next.pairs_[i][k];
    blocks_ += next.blocks_;
    index_bits_ += next.index_bits_;
  }

  void end_block() {
    if (in_block_ == 0) return;
    const auto most = static_cast<uint32_t>(popcount(materials_) - 1);  // the largest index
    index_bits_ += static_cast<uint64_t>(std::bit_width(most)) * in_block_;
    ++blocks_;
    in_block_ = 0, materials_ = 0;
  }

  uint64_t block_bytes() const {
    const uint64_t headers = (blocks_ + kBlocksOfHeader - 1) / kBlocksOfHeader;
    return headers * kHeaderBytes + (index_bits_ + 7) / 8;
  }
  uint64_t runs() const {
    uint64_t runs = last_ ? 1 : 0;
    for (size_t i = 0; i < pairs_.size(); ++i)
      for (size_t k = 0; k < pairs_.size(); ++k) runs += i == k ? 0 : pairs_[i][k];
    return runs;
  }
  double bits_alone() const {
    std::array<uint64_t, scene::kPaletteSize> counts = {};
    if (last_) ++counts[first_];
    for (const auto& after : pairs_)
      for (size_t k = 0; k < after.size(); ++k) counts[k] += after[k];
    return entropy_bits(counts);
  }
  double bits_after() const {
    double bits = 0;
    for (const auto& after : pairs_) bits += entropy_bits(after);
    return bits;
  }

 private:
  // pairs_[i][k]: how often material k follows material i.
  std::array<std::array<uint64_t, scene::kPaletteSize>, scene::kPaletteSize> pairs_ = {};
  uint32_t first_ = 0;
  std::optional<uint32_t> last_;
  uint64_t blocks_ = 0, index_bits_ = 0;
  uint64_t in_block_ = 0;  // voxels of the block that has begun
  uint32_t materials_ = 0;
};

constexpr uint64_t kPartVoxels = (1 << 12) * kBlockVoxels, kPartsAtOnce = 4096;

PartCounts count_materials(const dag::FrozenDag& dag) {
  PartCounts all;
  if (dag.empty()) return all;
  const dag::VoxelNumbers counts(dag);
  const uint64_t voxels = counts.voxels(0, 0);
  Progress progress("counting materials", voxels);
  for (uint64_t begin = 0; begin < voxels; begin += kPartsAtOnce * kPartVoxels) {
    const uint64_t end = std::min(begin + kPartsAtOnce * kPartVoxels, voxels);
    std::vector<PartCounts> parts((end - begin + kPartVoxels - 1) / kPartVoxels);
    parallel_for(size_t{0}, parts.size(), [&](size_t i) {
      const uint64_t first = begin + i * kPartVoxels;
      MaterialWalk(dag, counts, parts[i]).visit(0, 0, first, std::min(first + kPartVoxels, end));
      parts[i].end_block();
    });
    for (const PartCounts& part : parts) all.append(part);
    progress.update(end, format_count(end) + " voxels");
  }
  return all;
}

}  // namespace

uint64_t material_forms_memory(const dag::FrozenDag& dag) {
  uint64_t words = 0;  // of inner nodes, each of which gets a number
  for (uint32_t level = 0; level < dag.depth(); ++level) words += dag.levels[level].words.size();
  return words * sizeof(uint32_t) + kPartsAtOnce * sizeof(PartCounts);
}

std::vector<SceneSize> material_forms(const dag::FrozenDag& dag, const dag::FrozenDag& geometry) {
  const PartCounts counts = count_materials(dag);
  const auto number_bits = static_cast<uint64_t>(std::bit_width(dag.voxels));
  const auto bytes = [](auto bits) {
    return static_cast<uint64_t>(std::ceil(static_cast<double>(bits) / 8));
  };
  return {{"leaves", "in the leaves of the SVDAG (.h5)", dag.bytes() - geometry.bytes()},
          {"nibbles", "apart, 4 bits a voxel", bytes(4 * dag.voxels)},
          {"runs", "apart, runs of one material", bytes(counts.runs() * (number_bits + 4))},
          {"blocks", "apart, in blocks with palettes", counts.block_bytes()},
          {"entropy", "entropy of one voxel", bytes(counts.bits_alone())},
          {"entropy_after", "entropy, given the voxel before", bytes(counts.bits_after())}};
}

namespace {

// How often each color occurs, and how often each follows each other one.
struct ColorCounts {
  std::vector<uint64_t> alone, pairs;  // by numbers; pairs by number before · different colors + number
  uint64_t runs = 0;

  ColorCounts(size_t different, bool counts_pairs)
      : alone(different), pairs(counts_pairs ? different * different : 0) {}

  void add(const ColorCounts& other) {
    for (size_t i = 0; i < alone.size(); ++i) alone[i] += other.alone[i];
    for (size_t i = 0; i < pairs.size(); ++i) pairs[i] += other.pairs[i];
    runs += other.runs;
  }
  double bits_after() const {
    double bits = 0;
    for (size_t first = 0; first < pairs.size(); first += alone.size())
      bits += entropy_bits(std::span(pairs).subspan(first, alone.size()));
    return bits;
  }
};

// Counts the colors from number `begin` to before `end`, each after the one before it.
template <class NumberAt>
void count_part(const NumberAt& number_at, uint64_t begin, uint64_t end, ColorCounts& counts) {
  std::optional<uint32_t> last;
  if (begin > 0) last = number_at(begin - 1);
  for (uint64_t i = begin; i < end; ++i) {
    const uint32_t here = number_at(i);
    ++counts.alone[here];
    if (last && !counts.pairs.empty()) ++counts.pairs[*last * counts.alone.size() + here];
    if (here != last) ++counts.runs;
    last = here;
  }
}

ColorCounts count_colors(const attributes::PackedValues& colors, const std::vector<uint32_t>& different,
                         bool counts_pairs) {
  constexpr uint64_t kAtOnce = uint64_t{1} << 26;
  std::vector<uint32_t> number_of(different.empty() ? 0 : different.back() + 1);
  for (size_t i = 0; i < different.size(); ++i) number_of[different[i]] = static_cast<uint32_t>(i);
  const auto number_at = [&](uint64_t i) { return number_of[colors[i]]; };
  tbb::enumerable_thread_specific<ColorCounts> parts(
      [&] { return ColorCounts(different.size(), counts_pairs); });
  Progress progress("counting colors", colors.count);
  for (uint64_t begin = 0; begin < colors.count; begin += kAtOnce) {
    const uint64_t end = std::min(begin + kAtOnce, colors.count);
    parallel_for(tbb::blocked_range<uint64_t>(begin, end, 1 << 14), [&](const auto& range) {
      count_part(number_at, range.begin(), range.end(), parts.local());
    });
    progress.update(end, format_count(end) + " voxels");
  }
  ColorCounts all(different.size(), counts_pairs);
  for (const ColorCounts& part : parts) all.add(part);
  return all;
}

}  // namespace

std::vector<SceneSize> color_forms(const attributes::PackedValues& colors) {
  constexpr size_t kMostPaired = 4096;
  const std::vector<uint32_t> different = attributes::different_values(colors);
  const bool counts_pairs = different.size() <= kMostPaired;
  const ColorCounts counts = count_colors(colors, different, counts_pairs);
  const auto number_bits = static_cast<uint64_t>(std::bit_width(colors.count));
  const auto bytes = [](auto bits) {
    return static_cast<uint64_t>(std::ceil(static_cast<double>(bits) / 8));
  };
  std::vector<SceneSize> forms = {{"blocks", "in blocks with palettes (.h5)", colors.bytes()},
                                  {"list", "24 bits a voxel", bytes(24 * colors.count)},
                                  {"runs", "runs of one color", bytes(counts.runs * (number_bits + 24))},
                                  {"entropy", "entropy of one voxel", bytes(entropy_bits(counts.alone))}};
  if (counts_pairs)
    forms.push_back({"entropy_after", "entropy, given the voxel before", bytes(counts.bits_after())});
  return forms;
}

}  // namespace vox::measure
