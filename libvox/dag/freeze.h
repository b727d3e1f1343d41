// Freezes a scene of a store to a FrozenDag: lists its nodes (find_levels.h), writes them and computes the digest.
#pragma once

#include "libvox/base/error.h"
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
  VOX_HD uint32_t operator()(uint64_t i) const {
    const hash::ItemRef item = store.item(pointers[i]);
    return kind == NodeKind::Leaf ? leaf_words(leaf_mask(item), materials) : node_words(item[0]);
  }
};

struct WriteFrozen {
  hash::SlabMemoryRef store;
  const uint32_t* pointers;
  const uint32_t* offsets;
  const uint32_t* edge_start;  // nullptr for leaves
  const uint32_t* edge_rank;
  const uint32_t* child_offsets;
  uint32_t* words;
  VOX_HD void prefetch(uint64_t i, int stage) const {
    if (stage == 0) return prefetch_line(store.item(pointers[i]).head());
    if (!edge_start) return;
    for (uint32_t edge = edge_start[i]; edge < edge_start[i + 1]; ++edge)
      prefetch_line(child_offsets + edge_rank[edge]);
  }
  VOX_HD void operator()(uint64_t i) const {
    const hash::ItemRef item = store.item(pointers[i]);
    uint32_t* to = words + offsets[i];
    const uint32_t size = offsets[i + 1] - offsets[i];
    for (uint32_t w = 0; w < size; ++w)
      to[w] = edge_start && w > 0 ? child_offsets[edge_rank[edge_start[i] + w - 1]] : item[w];
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

  // Fills the levels' words and unique counts and the digest. An empty scene has root == kNullPointer.
  void run(uint32_t root) {
    if (root != hash::kNullPointer) {
      levels_ =
          find_levels(device_, dag_store_, device::uploaded(device_, std::vector{root}), dag_.levels.size())
              .levels;
      write_levels();
    }
    const Digest* root_digest = root != hash::kNullPointer ? digest_levels() : nullptr;
    dag_.digest = scene_digest(dag_.resolution, dag_.depth(), dag_.materials, root_digest);
  }

 private:
  NodeKind kind(size_t level) const {
    return level + 1 == dag_.levels.size() ? NodeKind::Leaf : NodeKind::Inner;
  }

  void write_levels() {
    device::Buffer<uint32_t> child_offsets;
    for (size_t l = levels_.size(); l-- > 0;) {
      FrozenLevel& level = levels_[l];
      auto offsets = device_.template make<uint32_t>(level.nodes + 1);
      const uint64_t word_count = device_.exclusive_scan(
          {"freeze: places", 20}, level.nodes,
          FrozenWords{store_, level.pointers.data(), kind(l), dag_.materials}, offsets.data());
      if (word_count > UINT32_MAX)
        throw Error("a level of the DAG has more than 2^32 words").hint("lower the resolution");
      auto words = device_.template make<uint32_t>(word_count);
      device_.for_each({"freeze: write", 60}, level.nodes,
                       WriteFrozen{store_, level.pointers.data(), offsets.data(), level.edge_start.data(),
                                   level.edge_rank.data(), child_offsets.data(), words.data()});
      dag_.levels[l].nodes = level.nodes;
      dag_.levels[l].words.resize(word_count);
      device_.download(dag_.levels[l].words.data(), words.data(), word_count);
      child_offsets = std::move(offsets);
    }
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
