// Merges the forests of all ranks into one scene, level by level from the leaves up. Every node goes to its
// owner, and the nodes above refer to their children by id. Each rank computes the digests of its own nodes
// along the way.
#pragma once

#include "libvox/dag/freeze.h"
#include "libvox/device/device.h"
#include "libvox/ranks/shared_store.h"

namespace vox::ranks {

struct SpreadWords {
  static constexpr int kPrefetchStages = 1;
  hash::SlabMemoryRef store;
  const uint32_t* pointers;
  dag::NodeKind kind;
  bool materials;
  VOX_HD void prefetch(uint64_t i, int) const { prefetch_line(store.item(pointers[i]).head()); }
  VOX_HD uint32_t operator()(uint64_t i) const {
    return spread_item_words(store.item(pointers[i]), kind, materials);
  }
};
static_assert(device::StagedBody<SpreadWords>);

struct WriteSpread {
  hash::SlabMemoryRef store;
  const uint32_t* pointers;
  const uint32_t* offsets;
  const uint32_t* edge_start;  // nullptr for leaves
  const uint32_t* edge_rank;
  const uint64_t* child_ids;
  uint32_t* words;
  VOX_HD void prefetch(uint64_t i, int stage) const {
    if (stage == 0) return prefetch_line(store.item(pointers[i]).head());
    if (!edge_start) return;
    for (uint32_t edge = edge_start[i]; edge < edge_start[i + 1]; ++edge)
      prefetch_line(child_ids + edge_rank[edge]);
  }
  VOX_HD void operator()(uint64_t i) const {
    const hash::ItemRef item = store.item(pointers[i]);
    uint32_t* to = words + offsets[i];
    if (edge_start) {
      const uint32_t* ranks = edge_rank + edge_start[i];
      const uint64_t* ids = child_ids;
      return write_spread_node(to, item[0], [ranks, ids](uint32_t c) { return ids[ranks[c]]; });
    }
    const uint32_t size = offsets[i + 1] - offsets[i];
    for (uint32_t w = 0; w < size; ++w) to[w] = item[w];
  }
};
static_assert(device::PrefetchingBody<WriteSpread>);

// The ids and digests of the nodes of one level, by their numbers in the forest.
struct KnownLevel {
  device::Buffer<uint64_t> ids;
  device::Buffer<dag::Digest> digests;
};

template <class Device>
class LevelExchange {
 public:
  LevelExchange(Device& device, const dag::DagStore<Device>& store, SharedStore<Device>& shared,
                bool materials)
      : device_(device), store_(store.ref()), shared_(shared), materials_(materials) {}

  // Collective. Returns the ids and digests of the nodes of the first level, and frees the other levels.
  KnownLevel run(std::vector<dag::FrozenLevel>& levels) {
    KnownLevel below;
    for (size_t l = levels.size(); l-- > 0;) {
      const bool is_leaf = l + 1 == levels.size();
      KnownLevel known = exchange(levels[l], is_leaf ? dag::NodeKind::Leaf : dag::NodeKind::Inner, below);
      below = std::move(known);
      if (l > 0) levels[l] = {};
    }
    return below;
  }

 private:
  KnownLevel exchange(const dag::FrozenLevel& level, dag::NodeKind kind, const KnownLevel& below) {
    KnownLevel known;
    known.digests = device_.template make<dag::Digest>(level.nodes);
    device_.for_each(
        {"digest", 80}, level.nodes,
        dag::DigestNodes{store_, level.pointers.data(), kind, materials_, level.edge_start.data(),
                         level.edge_rank.data(), below.digests.data(), known.digests.data()});
    known.ids = shared_.intern(
        level.nodes, [&](uint64_t first, uint64_t count) { return items(level, kind, below, first, count); });
    return known;
  }

  Items items(const dag::FrozenLevel& level, dag::NodeKind kind, const KnownLevel& below, uint64_t first,
              uint64_t count) {
    const uint32_t* pointers = level.pointers.data() + first;
    Items items = {.words = {}, .offsets = device_.template make<uint32_t>(count + 1)};
    const uint64_t words = device_.exclusive_scan(
        {"ranks: places", 20}, count, SpreadWords{store_, pointers, kind, materials_}, items.offsets.data());
    items.words = device_.template make<uint32_t>(words);
    const uint32_t* edge_start = kind == dag::NodeKind::Leaf ? nullptr : level.edge_start.data() + first;
    device_.for_each({"ranks: write", 60}, count,
                     WriteSpread{store_, pointers, items.offsets.data(), edge_start, level.edge_rank.data(),
                                 below.ids.data(), items.words.data()});
    return items;
  }

  Device& device_;
  hash::SlabMemoryRef store_;
  SharedStore<Device>& shared_;
  bool materials_;
};

}  // namespace vox::ranks
