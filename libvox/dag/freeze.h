// Freezes a scene of a store: lists its nodes, writes them into a FrozenDag and computes the
// digest.
#pragma once

#include <algorithm>

#include "libvox/base/error.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/dag/store.h"
#include "libvox/device/device.h"
#include "libvox/device/pool.h"

namespace vox::dag {

// Lists the nodes of a store that can be reached from some roots, level by level from the roots down, each
// node once. The nodes of a level are in the order in which the nodes above, which are themselves in order,
// first point to them. Below a single root, this is the order in which a depth-first walk first visits the
// nodes of the level.

// The unique nodes of one level, in order.
struct FrozenLevel {
  device::Buffer<uint32_t> pointers;    // the store's pointer to each node
  device::Buffer<uint32_t> edge_start;  // node i has the edges [edge_start[i], edge_start[i + 1])
  device::Buffer<uint32_t> edge_rank;   // the number of the node on the next level to which each edge leads
  uint64_t nodes = 0, edges = 0;
};

// A word for each item of a store: first the least number of an edge that leads to it, later its number on its level.
struct FoundItemWords {
  uint32_t* words;
  // The number of items before each superblock. If it is nullptr, the words are in the order of pointers,
  // which takes more memory if superblocks are only partly in use.
  const uint32_t* first;
  VOX_HD uint32_t* of(uint32_t pointer) const {
    if (!first) return words + pointer;
    return words + first[pointer / hash::kItemsPerSuperblock] + pointer % hash::kItemsPerSuperblock;
  }
};

struct CountChildren {
  static constexpr int kPrefetchStages = 1;
  hash::SlabMemoryRef store;
  const uint32_t* pointers;
  VOX_HD void prefetch(uint64_t i, int) const { prefetch_line(store.item(pointers[i]).head()); }
  VOX_HD uint32_t operator()(uint64_t i) const { return node_words(store.item(pointers[i])[0]) - 1; }
};
static_assert(device::StagedBody<CountChildren>);

struct VisitChildren {
  hash::SlabMemoryRef store;
  const uint32_t* pointers;
  const uint32_t* edge_start;
  uint32_t* edge_pointer;
  FoundItemWords mark;
  VOX_HD void prefetch(uint64_t i, int stage) const {
    const hash::ItemRef node = store.item(pointers[i]);
    if (stage == 0) return prefetch_line(node.head());
    for (uint32_t c = 1; c < node_words(node[0]); ++c) prefetch_line(mark.of(node[c]));
  }
  VOX_HD void operator()(uint64_t i) const {
    const hash::ItemRef node = store.item(pointers[i]);
    for (uint32_t edge = edge_start[i]; edge < edge_start[i + 1]; ++edge) {
      const uint32_t child = node[1 + edge - edge_start[i]];
      edge_pointer[edge] = child;
      device::atomic_min(mark.of(child), edge);
    }
  }
};
static_assert(device::PrefetchingBody<VisitChildren>);

struct VisitRoots {
  const uint32_t* pointers;
  FoundItemWords mark;
  VOX_HD void operator()(uint64_t i) const {
    device::atomic_min(mark.of(pointers[i]), static_cast<uint32_t>(i));
  }
};

struct IsFirstVisit {
  static constexpr int kPrefetchStages = 1;
  const uint32_t* edge_pointer;
  FoundItemWords mark;
  VOX_HD void prefetch(uint64_t edge, int) const { prefetch_line(mark.of(edge_pointer[edge])); }
  VOX_HD bool operator()(uint64_t edge) const { return *mark.of(edge_pointer[edge]) == edge; }
};
static_assert(device::StagedBody<IsFirstVisit>);

struct RankChildren {
  const uint32_t* first_edges;
  const uint32_t* edge_pointer;
  uint32_t* pointers;
  FoundItemWords mark;
  VOX_HD void prefetch(uint64_t i, int stage) const {
    const uint32_t* edge = edge_pointer + first_edges[i];
    prefetch_line(stage == 0 ? edge : mark.of(*edge));
  }
  VOX_HD void operator()(uint64_t i) const {
    pointers[i] = edge_pointer[first_edges[i]];
    *mark.of(pointers[i]) = static_cast<uint32_t>(i);
  }
};
static_assert(device::PrefetchingBody<RankChildren>);

struct RankEdges {
  static constexpr int kPrefetchStages = 1;
  FoundItemWords mark;
  uint32_t* edges;  // pointers in, numbers out
  VOX_HD void prefetch(uint64_t edge, int) const { prefetch_line(mark.of(edges[edge])); }
  VOX_HD void operator()(uint64_t edge) const { edges[edge] = *mark.of(edges[edge]); }
};
static_assert(device::StagedBody<RankEdges>);

struct ClearMarks {
  static constexpr int kPrefetchStages = 1;
  const uint32_t* pointers;
  FoundItemWords mark;
  VOX_HD void prefetch(uint64_t i, int) const { prefetch_line(mark.of(pointers[i])); }
  VOX_HD void operator()(uint64_t i) const { *mark.of(pointers[i]) = UINT32_MAX; }
};
static_assert(device::StagedBody<ClearMarks>);

// Some roots, several of which may be the same node, and the nodes below them.
struct Forest {
  device::Buffer<uint32_t> roots;   // the number of each root on the first level
  std::vector<FrozenLevel> levels;  // begins with the roots' level
};

// The words of all items of a store, UINT32_MAX at first.
template <class Device>
class ItemMarks {
 public:
  ItemMarks(Device& device, const DagStore<Device>& store) {
    const bool by_pointer = store.pointer_range() <= 2 * store.tables().places();  // saves a read
    const uint64_t words = by_pointer ? store.pointer_range() : store.tables().places();
    words_ = device.template make<uint32_t>(words);
    device.fill(words_.data(), words, UINT32_MAX);
    if (!by_pointer) first_ = device::uploaded(device, store.tables().first_places());
  }
  FoundItemWords ref() const { return {words_.data(), first_.data()}; }

 private:
  device::Buffer<uint32_t> words_, first_;
};

template <class Device>
class LevelFinder {
 public:
  LevelFinder(Device& device, const DagStore<Device>& store)
      : device_(device), store_(store.ref()), marks_(device, store), mark_(marks_.ref()) {}

  // The last of the `levels` levels must hold leaves. Calls found(l, level) once a level's nodes and edges are numbered.
  template <class Found>
  Forest run(device::Buffer<uint32_t> roots, size_t levels, const Found& found) {
    Forest forest = {std::move(roots), std::vector<FrozenLevel>(levels)};
    const uint64_t count = forest.roots.size();
    device_.for_each("freeze: visit roots", count, VisitRoots{forest.roots.data(), mark_});
    number(forest.roots, count, forest.levels[0]);
    for (size_t level = 0; level + 1 < levels; ++level) {
      find_next(forest.levels[level], forest.levels[level + 1]);
      found(level, forest.levels[level]);
    }
    found(levels - 1, forest.levels.back());
    return forest;
  }

 private:
  void find_next(FrozenLevel& level, FrozenLevel& next) {
    level.edge_start = device_.template make<uint32_t>(level.nodes + 1);
    level.edges =
        device_.exclusive_scan({"freeze: count edges", 20}, level.nodes,
                               CountChildren{store_, level.pointers.data()}, level.edge_start.data());
    if (level.edges >= UINT32_MAX)
      throw Error("a level of the DAG has more than 2^32 edges").hint("lower the resolution");
    level.edge_rank = device_.template make<uint32_t>(level.edges);
    device_.for_each(
        {"freeze: visit", 60}, level.nodes,
        VisitChildren{store_, level.pointers.data(), level.edge_start.data(), level.edge_rank.data(), mark_});
    number(level.edge_rank, level.edges, next);
  }

  // Numbers the nodes that visited edges lead to. The edges' pointers become numbers.
  void number(device::Buffer<uint32_t>& edge_rank, uint64_t edges, FrozenLevel& next) {
    auto first_edges = device_.template make<uint32_t>(edges);
    next.nodes = device_.select({"freeze: first visits", 12}, edges, IsFirstVisit{edge_rank.data(), mark_},
                                first_edges.data());
    next.pointers = device_.template make<uint32_t>(next.nodes);
    device_.for_each({"freeze: rank nodes", 16}, next.nodes,
                     RankChildren{first_edges.data(), edge_rank.data(), next.pointers.data(), mark_});
    device_.for_each({"freeze: rank edges", 12}, edges, RankEdges{mark_, edge_rank.data()});
    device_.for_each({"freeze: clear", 8}, next.nodes, ClearMarks{next.pointers.data(), mark_});
  }

  Device& device_;
  hash::SlabMemoryRef store_;
  ItemMarks<Device> marks_;
  FoundItemWords mark_;
};

template <class Device>
Forest find_levels(Device& device, const DagStore<Device>& store, device::Buffer<uint32_t> roots,
                   size_t levels) {
  return LevelFinder<Device>(device, store).run(std::move(roots), levels, [](size_t, const FrozenLevel&) {});
}

struct FrozenWords {
  static constexpr int kPrefetchStages = 1;
  hash::SlabMemoryRef store;
  const uint32_t* pointers;
  NodeKind kind;
  bool materials;
  VOX_HD void prefetch(uint64_t i, int) const { prefetch_line(store.item(pointers[i]).head()); }
  VOX_HD uint32_t operator()(uint64_t i) const { return words_of(store.item(pointers[i]), kind, materials); }
};
static_assert(device::StagedBody<FrozenWords>);

// Writes the places of the nodes, and the place behind the last one, which the rest of its block repeats. The offsets
// are modulo 2^32; the host restores their upper bits (restore_first_words()).
struct StepPlaces {
  const uint32_t* offsets;
  uint64_t nodes;
  PlacesBlock* blocks;
  VOX_HD void operator()(uint64_t number) const {
    PlacesBlock& block = blocks[number / PlacesBlock::kNodes];
    const uint32_t first = offsets[number / PlacesBlock::kNodes * PlacesBlock::kNodes];
    const uint32_t offset = offsets[number < nodes ? number : nodes];
    if (number % PlacesBlock::kNodes == 0) block.first = first;
    block.steps[number % PlacesBlock::kNodes] = static_cast<uint16_t>(offset - first);
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
static_assert(device::PrefetchingBody<WriteFrozen>);

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
static_assert(device::PrefetchingBody<DigestNodes>);

template <class Device>
class Freezer {
 public:
  Freezer(Device& device, const DagStore<Device>& store, FrozenDag& dag)
      : device_(device), dag_store_(store), store_(store.ref()), dag_(dag) {}

  // Fills the levels' words and their counts of unique nodes, and the digest. For an empty scene, root is
  // kNullPointer.
  void run(uint32_t root) {
    if (root != hash::kNullPointer) {
      levels_ = LevelFinder<Device>(device_, dag_store_)
                    .run(device::uploaded(device_, std::vector{root}), dag_.levels.size(),
                         [this](size_t l, const FrozenLevel& level) { expect_words(l, level); })
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

  // Makes room for the level's words. Only leaves with materials differ in size.
  void expect_words(size_t l, const FrozenLevel& level) {
    const bool leaves = kind(l) == NodeKind::Leaf;
    if (leaves && dag_.materials) return;
    Words& words = dag_.levels[l].words;
    words.resize(leaves ? 2 * level.nodes : level.nodes + level.edges);
    device_.expect(words.data(), words.size());
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
    device_.for_each({"freeze: steps", 6}, on_device.size() * PlacesBlock::kNodes,
                     StepPlaces{offsets.data(), nodes, on_device.data()});
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
