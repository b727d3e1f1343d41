// The levels of a FrozenDag on a device, one at a time, with where each node starts. In a canonical file
// every node has a pointer that leads to it, so that the child offsets of one level are the starts of the
// next: they are marked in a bitmap, one bit a word, and read off in order.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "libvox/base/error.h"
#include "libvox/base/phrase.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/device/atomics.h"
#include "libvox/device/uploaded.h"
#include "libvox/hash/batch.h"

namespace vox::dag {

// One level. Node i is the words from offsets[i] to offsets[i + 1].
struct DeviceLevel {
  device::Buffer<uint32_t> words, offsets;
  uint64_t nodes = 0;
};

struct MarkChildren {
  const uint32_t* words;
  const uint32_t* offsets;
  uint32_t* starts;  // the bitmap of the level below
  VOX_HD void prefetch(uint64_t i, int stage) const {
    if (stage == 0) return;
    for (uint32_t at = offsets[i] + 1; at < offsets[i + 1]; ++at) prefetch_line(starts + words[at] / 32);
  }
  VOX_HD void operator()(uint64_t i) const {
    for (uint32_t at = offsets[i] + 1; at < offsets[i + 1]; ++at) {
      uint32_t* word = starts + words[at] / 32;
      const uint32_t bit = 1u << words[at] % 32;
      if ((device::atomic_load(word) & bit) == 0) device::atomic_or(word, bit);
    }
  }
};

struct CountStarts {
  const uint32_t* starts;
  VOX_HD uint32_t operator()(uint64_t i) const { return static_cast<uint32_t>(popcount(starts[i])); }
};

struct NodeRank {
  const uint32_t* starts;
  const uint32_t* before;
  VOX_HD uint32_t of(uint32_t offset) const {
    const uint32_t lower = starts[offset / 32] & ((1u << offset % 32) - 1);
    return before[offset / 32] + static_cast<uint32_t>(popcount(lower));
  }
  VOX_HD void prefetch(uint32_t offset) const {
    prefetch_line(starts + offset / 32);
    prefetch_line(before + offset / 32);
  }
};

struct WriteStarts {
  const uint32_t* starts;
  const uint32_t* nodes_before;
  uint32_t* offsets;
  VOX_HD void operator()(uint64_t i) const {
    uint32_t* to = offsets + nodes_before[i];
    for (uint32_t bits = starts[i]; bits != 0; bits &= bits - 1)
      *to++ = static_cast<uint32_t>(i * 32) + static_cast<uint32_t>(lowest_bit(bits));
  }
};

// Sizes that no item has count as kMaxItemWords + 1.
struct GapSize {
  const uint32_t* offsets;
  VOX_HD uint32_t operator()(uint64_t i) const {
    const uint32_t size = offsets[i + 1] - offsets[i];
    return size <= hash::kMaxItemWords ? size : hash::kMaxItemWords + 1;
  }
};

struct HasOtherSize {
  const uint32_t* words;
  const uint32_t* offsets;
  NodeKind kind;
  bool materials;
  VOX_HD uint32_t operator()(uint64_t i) const {
    const uint32_t* item = words + offsets[i];
    const uint32_t gap = offsets[i + 1] - offsets[i];
    if (gap < hash::kMinItemWords || (i == 0 && offsets[0] != 0)) return 1;
    return gap != (kind == NodeKind::Leaf ? leaf_words(leaf_mask(item), materials) : node_words(item[0]));
  }
};

template <class Device>
class FrozenLevels {
 public:
  // The DAG is one that check_structure() accepts, not empty, and outlives this. Throws Error where a level
  // has nodes that no pointer leads to.
  FrozenLevels(Device& device, const FrozenDag& dag) : device_(device), dag_(dag) {
    starts_.resize(dag.levels.size());
    kept_.resize(dag.levels.size());
    starts_[0] = no_starts(0);
    const uint32_t first = 1;
    device_.upload(starts_[0].data(), &first, 1);
    for (uint32_t level = 0; level <= dag.depth(); ++level) {
      const bool leaves = level == dag.depth();
      DeviceLevel here = leaves ? DeviceLevel{{}, offsets(level), 0} : upload(level);
      here.nodes = here.offsets.size() - 1;
      nodes_.push_back(here.nodes);
      count_sizes(here, level);
      if (leaves) break;
      mark_below(here, level);
      if (is_worth_keeping(here)) kept_[level] = std::move(here.words);
    }
  }

  uint64_t nodes(uint32_t level) const { return nodes_[level]; }
  // Which node of its level begins at an offset, from two words that lie close together.
  NodeRank rank(uint32_t level, const device::Buffer<uint32_t>& nodes_before) const {
    return {starts_[level].data(), nodes_before.data()};
  }
  // How many nodes begin before each word of the bitmap.
  device::Buffer<uint32_t> nodes_before(uint32_t level) const {
    const uint64_t n = bitmap_words(level);
    auto before = device_.template make<uint32_t>(n + 1);
    device_.exclusive_scan({"levels: count nodes", 8}, n, CountStarts{starts_[level].data()}, before.data());
    return before;
  }

  // How many nodes of each size there are, in all levels together.
  const hash::SizeCounts& sizes() const { return sizes_; }

  DeviceLevel upload(uint32_t level) {
    DeviceLevel here = {words(level), offsets(level), 0};
    here.nodes = here.offsets.size() - 1;
    const auto kind = level == dag_.depth() ? NodeKind::Leaf : NodeKind::Inner;
    if (device_.sum({"levels: check sizes", 12}, here.nodes,
                    HasOtherSize{here.words.data(), here.offsets.data(), kind, dag_.materials}) > 0)
      throw_lost_nodes(level);
    return here;
  }

 private:
  [[noreturn]] static void throw_lost_nodes(uint32_t level) {
    throw Error("level " + std::to_string(level) + " of the DAG has nodes that no pointer leads to")
        .hint(phrase(Phrase::VerifyFile));
  }

  // Where there is much more memory than a level takes, its words need not come to the device once more.
  bool is_worth_keeping(const DeviceLevel& level) const {
    return level.words.size() * sizeof(uint32_t) < device_.pool().available() / 16;
  }

  device::Buffer<uint32_t> words(uint32_t level) {
    if (kept_[level].data() != nullptr) return std::move(kept_[level]);
    return device::uploaded(device_, dag_.levels[level].words);
  }

  uint64_t bitmap_words(uint32_t level) const { return (dag_.levels[level].words.size() + 31) / 32; }

  device::Buffer<uint32_t> no_starts(uint32_t level) const {
    auto starts = device_.template make<uint32_t>(bitmap_words(level));
    device_.fill(starts.data(), starts.size(), 0u);
    return starts;
  }

  void mark_below(const DeviceLevel& here, uint32_t level) {
    starts_[level + 1] = no_starts(level + 1);
    device_.for_each({"levels: mark children", 40}, here.nodes,
                     MarkChildren{here.words.data(), here.offsets.data(), starts_[level + 1].data()});
  }

  device::Buffer<uint32_t> offsets(uint32_t level) const {
    const uint64_t n = bitmap_words(level);
    const device::Buffer<uint32_t> before = nodes_before(level);
    uint32_t nodes = 0;
    device_.download(&nodes, before.data() + n, 1);
    auto offsets = device_.template make<uint32_t>(uint64_t{nodes} + 1);
    device_.for_each({"levels: node starts", 40}, n,
                     WriteStarts{starts_[level].data(), before.data(), offsets.data()});
    const auto end = static_cast<uint32_t>(dag_.levels[level].words.size());
    device_.upload(offsets.data() + nodes, &end, 1);
    return offsets;
  }

  void count_sizes(const DeviceLevel& here, uint32_t level) {
    std::array<uint64_t, hash::kMaxItemWords + 2> counts = {};
    device_.histogram({"levels: count sizes", 4}, here.nodes, GapSize{here.offsets.data()}, counts.data(),
                      counts.size());
    if (counts[hash::kMaxItemWords + 1] > 0) throw_lost_nodes(level);
    for (uint32_t words = 0; words <= hash::kMaxItemWords; ++words) sizes_[words] += counts[words];
  }

  Device& device_;
  const FrozenDag& dag_;
  std::vector<device::Buffer<uint32_t>> starts_;  // the bitmap of each level
  std::vector<device::Buffer<uint32_t>> kept_;    // words of levels, until they are asked for
  std::vector<uint64_t> nodes_;
  hash::SizeCounts sizes_ = {};
};

}  // namespace vox::dag
