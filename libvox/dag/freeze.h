// Freezes a scene of a store: lists its nodes (find_levels.h), writes them into a FrozenDag and computes the
// digest.
#pragma once

#include <algorithm>

#include "libvox/dag/digest.h"
#include "libvox/dag/find_levels.h"
#include "libvox/dag/frozen_dag.h"

namespace vox::dag {

struct FrozenWords {
  static constexpr int kPrefetchStages = 1;
  hash::SlabMemoryRef store;
  const uint32_t* pointers;
  NodeKind kind;
  bool materials;
  VOX_HD void prefetch(uint64_t i, int) const { prefetch_line(store.item(pointers[i]).head()); }
  VOX_HD uint32_t operator()(uint64_t i) const { return words_of(store.item(pointers[i]), kind, materials); }
};

// Writes the places of the nodes, and the place behind the last one. The offsets are modulo 2^32; the host
// restores their upper bits (restore_first_words()).
struct StepPlaces {
  const uint32_t* offsets;
  PlacesBlock* blocks;
  VOX_HD void operator()(uint64_t number) const {
    PlacesBlock& block = blocks[number / PlacesBlock::kNodes];
    const uint32_t first = offsets[number / PlacesBlock::kNodes * PlacesBlock::kNodes];
    if (number % PlacesBlock::kNodes == 0) block.first = first;
    block.steps[number % PlacesBlock::kNodes] = static_cast<uint16_t>(offsets[number] - first);
  }
};

// Writes the words of a run of nodes.
struct WriteFrozen {
  hash::SlabMemoryRef store;
  const uint32_t* pointers;
  const uint32_t* offsets;     // modulo 2^32
  const uint32_t* edge_start;  // nullptr for leaves
  const uint32_t* edge_rank;
  uint64_t first;   // the run's first node
  uint32_t* words;  // the run's words
  VOX_HD void prefetch(uint64_t i, int stage) const {
    if (stage == 0) prefetch_line(store.item(pointers[first + i]).head());
  }
  VOX_HD void operator()(uint64_t i) const {
    const uint64_t number = first + i;
    const hash::ItemRef item = store.item(pointers[number]);
    uint32_t* to = words + (offsets[number] - offsets[first]);
    const uint32_t size = offsets[number + 1] - offsets[number];
    for (uint32_t w = 0; w < size; ++w)
      to[w] = edge_start && w > 0 ? edge_rank[edge_start[number] + w - 1] : item[w];
  }
};

struct DigestNodes {
  hash::SlabMemoryRef store;
  const uint32_t* pointers;
  NodeKind kind;
  bool materials;
  const uint32_t* edge_start;
  const uint32_t* edge_rank;
  const Digest* child_digests;
  Digest* digests;
  VOX_HD void prefetch(uint64_t i, int stage) const {
    if (stage == 0) return prefetch_line(store.item(pointers[i]).head());
    if (kind == NodeKind::Leaf) return;
    for (uint32_t edge = edge_start[i]; edge < edge_start[i + 1]; ++edge)
      prefetch_line(child_digests + edge_rank[edge]);
  }
  VOX_HD void operator()(uint64_t i) const {
    const hash::ItemRef item = store.item(pointers[i]);
    const uint32_t* ranks = kind == NodeKind::Leaf ? nullptr : edge_rank + edge_start[i];
    const Digest* children = child_digests;
    digests[i] = kind == NodeKind::Leaf
                     ? leaf_digest(item, materials)
                     : node_digest(item[0], [ranks, children](uint32_t c) { return children[ranks[c]]; });
  }
};

template <class Device>
class Freezer {
 public:
  Freezer(Device& device, const DagStore<Device>& store, FrozenDag& dag)
      : device_(device), dag_store_(store), store_(store.ref()), dag_(dag) {}

  // Fills the levels' words and their counts of unique nodes, and the digest. For an empty scene, root is
  // kNullPointer.
  void run(uint32_t root) {
    if (root != hash::kNullPointer) {
      levels_ =
          find_levels(device_, dag_store_, device::uploaded(device_, std::vector{root}), dag_.levels.size())
              .levels;
      for (size_t level = 0; level < levels_.size(); ++level) write_level(level);
    }
    const Digest* root_digest = root != hash::kNullPointer ? digest_levels() : nullptr;
    dag_.digest = scene_digest(dag_.resolution, dag_.depth(), dag_.materials, root_digest);
  }

 private:
  // The number of nodes that are written at once. It bounds the memory that their words take on the device,
  // and keeps the words fewer than 2^32.
  static constexpr uint64_t kRun = uint64_t{1} << 26;

  NodeKind kind(size_t level) const {
    return level + 1 == dag_.levels.size() ? NodeKind::Leaf : NodeKind::Inner;
  }

  void write_level(size_t l) {
    const FrozenLevel& level = levels_[l];
    DagLevel& to = dag_.levels[l];
    auto offsets = device_.template make<uint32_t>(level.nodes + 1);
    const uint64_t word_count = device_.exclusive_scan(
        {"freeze: places", 20}, level.nodes,
        FrozenWords{store_, level.pointers.data(), kind(l), dag_.materials}, offsets.data());
    to.nodes = level.nodes;
    to.places = places(level.nodes, offsets, word_count);
    to.words.resize(word_count);
    for (uint64_t first = 0; first < level.nodes; first += kRun) {
      const uint64_t n = std::min(kRun, level.nodes - first), begin = to.places[first];
      auto words = device_.template make<uint32_t>(to.places[first + n] - begin);
      device_.for_each({"freeze: write", 60}, n,
                       WriteFrozen{store_, level.pointers.data(), offsets.data(), level.edge_start.data(),
                                   level.edge_rank.data(), first, words.data()});
      device_.download(to.words.data() + begin, words.data(), words.size());
    }
  }

  NodePlaces places(uint64_t nodes, const device::Buffer<uint32_t>& offsets, uint64_t words) {
    auto on_device = device_.template make<PlacesBlock>(NodePlaces::blocks_for(nodes));
    device_.for_each({"freeze: steps", 6}, nodes + 1, StepPlaces{offsets.data(), on_device.data()});
    PlacesBlocks blocks(on_device.size());
    device_.download(blocks.data(), on_device.data(), blocks.size());
    if (words > UINT32_MAX) restore_first_words(blocks);
    return {std::move(blocks), nodes};
  }

  const Digest* digest_levels() {
    device::Buffer<Digest> below;
    for (size_t l = levels_.size(); l-- > 0;) {
      FrozenLevel& level = levels_[l];
      auto digests = device_.template make<Digest>(level.nodes);
      device_.for_each(
          {"digest", 80}, level.nodes,
          DigestNodes{store_, level.pointers.data(), kind(l), dag_.materials, level.edge_start.data(),
                      level.edge_rank.data(), below.data(), digests.data()});
      below = std::move(digests);
      level = {};
    }
    device_.download(&root_digest_, below.data(), 1);
    return &root_digest_;
  }

  Device& device_;
  const DagStore<Device>& dag_store_;
  hash::SlabMemoryRef store_;
  FrozenDag& dag_;
  std::vector<FrozenLevel> levels_;
  Digest root_digest_;
};

}  // namespace vox::dag
