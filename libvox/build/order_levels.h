// Brings the nodes that ranks own into canonical order, level by level from the root down, without gathering
// them on one rank.
//
// A level's nodes are held in runs. The edges of these nodes, in order, first visit
// the nodes of the next level in that level's canonical order. The order is therefore found in these steps:
//
//   holder → owner   the pointer that each edge leads to; what an owner receives is in the order of edges, since ranks
//                    hold runs in their own order
//   owner → holder   whether the edge is the first that leads there; these are counted over all ranks
//   holder → owner   the numbers of the nodes that first edges lead to
//   owner → holder   for every edge the number that it leads to: the level's words are complete
//   owner → holder   the new nodes' words, to the ranks that hold their numbers
#pragma once

#include "libvox/base/error.h"
#include "libvox/build/shared_store.h"
#include "libvox/dag/freeze.h"
#include "libvox/dag/walk.h"
#include "libvox/device/device.h"

namespace vox::build {

// Brings nodes from their owners to the ranks that hold their places in canonical order. A rank holds a share of each
// level: a run of numbers (shared_store.h).

// Nodes that this rank owns, and their numbers in canonical order, which ascend.
struct OwnedNodes {
  device::Buffer<uint32_t> numbers, pointers;
  uint64_t count = 0;
};

// A run of nodes in canonical order, with the words that their owners keep.
struct HeldNodes {
  device::Buffer<uint32_t> words = {};
  device::Buffer<uint64_t> offsets = {};
  uint64_t first = 0, count = 0;
};

struct HoldersOfNodes {
  const uint32_t* numbers;
  const uint64_t* share_begins;
  uint32_t ranks;
  uint32_t* holders;
  VOX_HD void operator()(uint64_t i) const { holders[i] = share_that_holds(share_begins, ranks, numbers[i]); }
};

struct CopyOwned {
  hash::SlabMemoryRef store;
  const uint32_t* pointers;
  const uint64_t* offsets;
  uint32_t* words;
  uint8_t* sizes;
  VOX_HD void prefetch(uint64_t i, int stage) const {
    if (stage == 0) prefetch_line(store.item(pointers[i]).head());
  }
  VOX_HD void operator()(uint64_t i) const {
    const hash::ItemRef item = store.item(pointers[i]);
    uint32_t* to = words + offsets[i];
    const auto size = static_cast<uint32_t>(offsets[i + 1] - offsets[i]);
    for (uint32_t w = 0; w < size; ++w) to[w] = item[w];
    sizes[i] = static_cast<uint8_t>(size);
  }
};
static_assert(device::PrefetchingBody<CopyOwned>);

struct PlaceSizes {
  const uint32_t* numbers;
  const uint8_t* sizes;
  uint64_t first;
  uint8_t* placed;
  VOX_HD void operator()(uint64_t i) const { placed[numbers[i] - first] = sizes[i]; }
};

struct PlaceWords {
  const uint32_t* words;
  const uint64_t* offsets;
  const uint32_t* numbers;
  uint64_t first;
  const uint64_t* placed_offsets;
  uint32_t* placed;
  VOX_HD void operator()(uint64_t i) const {
    const uint32_t* from = words + offsets[i];
    uint32_t* to = placed + placed_offsets[numbers[i] - first];
    const uint64_t size = offsets[i + 1] - offsets[i];
    for (uint64_t w = 0; w < size; ++w) to[w] = from[w];
  }
};

// Collective. `nodes` is the number of nodes of the whole level.
template <class Device>
HeldNodes held_nodes(Device& device, ranks::Ranks& ranks, const Shares& shares, hash::SlabMemoryRef store,
                     const OwnedNodes& owned, dag::NodeKind kind, bool materials, uint64_t nodes) {
  const uint32_t count = ranks.count();
  const auto begins = device::uploaded(device, shares.begins(nodes));
  auto holders = device.template make<uint32_t>(owned.count);
  device.for_each({"ranks: holders", 8}, owned.count,
                  HoldersOfNodes{owned.numbers.data(), begins.data(), count, holders.data()});
  ranks::Counts to(count);
  device.histogram({"ranks: count", 4}, owned.count, WordAt{holders.data()}, to.data(), count);
  const ranks::Counts from = tell_each(ranks, to);
  auto offsets = device.template make<uint64_t>(owned.count + 1);
  auto words = device.template make<uint32_t>(
      device.exclusive_scan({"ranks: places", 20}, owned.count,
                            SpreadWords{store, owned.pointers.data(), kind, materials}, offsets.data()));
  auto sizes = device.template make<uint8_t>(owned.count);
  device.for_each({"ranks: copy", 60}, owned.count,
                  CopyOwned{store, owned.pointers.data(), offsets.data(), words.data(), sizes.data()});
  const ranks::Counts words_to = words_of_pieces(device, to, offsets.data());
  words = exchanged(device, ranks, words.data(), words_to, tell_each(ranks, words_to));
  sizes = exchanged(device, ranks, sizes.data(), to, from);
  const auto numbers = exchanged(device, ranks, owned.numbers.data(), to, from);

  HeldNodes held = {.first = shares.begin(nodes, ranks.rank())};
  held.count = shares.begin(nodes, ranks.rank() + 1) - held.first;
  if (ranks::total(from) != held.count) throw Error("ranks do not agree on the order of nodes");
  offsets = device.template make<uint64_t>(held.count + 1);
  held.offsets = device.template make<uint64_t>(held.count + 1);
  device.exclusive_scan({"ranks: places", 9}, held.count, ByteAt{sizes.data()}, offsets.data());
  auto placed = device.template make<uint8_t>(held.count);
  device.for_each({"ranks: place sizes", 6}, held.count,
                  PlaceSizes{numbers.data(), sizes.data(), held.first, placed.data()});
  held.words = device.template make<uint32_t>(
      device.exclusive_scan({"ranks: places", 9}, held.count, ByteAt{placed.data()}, held.offsets.data()));
  device.for_each({"ranks: place words", 60}, held.count,
                  PlaceWords{words.data(), offsets.data(), numbers.data(), held.first, held.offsets.data(),
                             held.words.data()});
  return held;
}

struct CountSpreadChildren {
  const uint32_t* words;
  const uint64_t* offsets;
  VOX_HD uint32_t operator()(uint64_t i) const { return dag::node_words(words[offsets[i]]) - 1; }
};

struct ListEdges {
  const uint32_t* words;
  const uint64_t* offsets;
  const uint32_t* edge_start;
  uint32_t* owners;
  uint32_t* pointers;
  VOX_HD void operator()(uint64_t i) const {
    const uint32_t* node = words + offsets[i];
    const uint64_t own = child_owners(node);
    const uint32_t first = edge_start[i], count = edge_start[i + 1] - first;
    for (uint32_t c = 0; c < count; ++c) {
      owners[first + c] = child_owner(own, c);
      pointers[first + c] = node[1 + c];
    }
  }
};

struct MarkFirstAsked {
  const uint32_t* asked;
  dag::FoundItemWords mark;
  VOX_HD void operator()(uint64_t i) const {
    device::atomic_min(mark.of(asked[i]), static_cast<uint32_t>(i));
  }
};

struct FlagFirstAsked {
  const uint32_t* asked;
  dag::FoundItemWords mark;
  uint8_t* flags;
  VOX_HD void operator()(uint64_t i) const { flags[i] = *mark.of(asked[i]) == i; }
};

struct FlagAt {
  const uint8_t* flags;
  VOX_HD bool operator()(uint64_t i) const { return flags[i] != 0; }
};

// Moves values from the order in which edges were sent to the order of the edges.
template <class T>
struct ToEdges {
  const uint32_t* order;
  const T* sent;
  T* edges;
  VOX_HD void operator()(uint64_t i) const { edges[order[i]] = sent[i]; }
};

struct NumberFirsts {
  const uint32_t* chosen;  // the places at which first edges were sent
  const uint32_t* order;
  const uint32_t* firsts_before;  // number of first edges before each edge
  uint64_t first;
  uint32_t* numbers;
  VOX_HD void operator()(uint64_t i) const {
    numbers[i] = static_cast<uint32_t>(first + firsts_before[order[chosen[i]]]);
  }
};

struct RankOfChosen {
  const uint32_t* ranks;
  const uint32_t* chosen;
  VOX_HD uint32_t operator()(uint64_t i) const { return ranks[chosen[i]]; }
};

struct SetNumbers {
  const uint32_t* pointers;
  const uint32_t* numbers;
  dag::FoundItemWords mark;
  VOX_HD void operator()(uint64_t i) const { *mark.of(pointers[i]) = numbers[i]; }
};

struct NumbersOfAsked {
  dag::FoundItemWords mark;
  uint32_t* asked;  // pointers in, numbers out
  VOX_HD void operator()(uint64_t i) const { asked[i] = *mark.of(asked[i]); }
};

struct WriteNumbered {
  const uint32_t* words;
  const uint64_t* offsets;
  const uint32_t* edge_start;
  const uint32_t* edge_numbers;
  uint32_t* numbered;
  VOX_HD void operator()(uint64_t i) const {
    uint32_t* to = numbered + i + edge_start[i];
    *to++ = plain_header(words[offsets[i]]);
    for (uint32_t edge = edge_start[i]; edge < edge_start[i + 1]; ++edge) *to++ = edge_numbers[edge];
  }
};

// This rank's part of a DAG, and the sizes of the whole DAG.
struct OrderedDag {
  dag::DagPart part;
  std::vector<uint64_t> nodes;  // the number of nodes of each level
};

template <class Device>
class LevelOrder {
 public:
  LevelOrder(Device& device, ranks::Ranks& ranks, const Shares& shares, const dag::DagStore<Device>& owned,
             bool materials)
      : device_(device),
        ranks_(ranks),
        shares_(shares),
        store_(owned.ref()),
        materials_(materials),
        marks_(device, owned),
        mark_(marks_.ref()) {}

  // Collective. `root` is the root's id.
  OrderedDag run(uint64_t root, size_t levels) {
    OrderedDag dag = {.part = {std::vector<dag::LevelPart>(levels)}, .nodes = std::vector<uint64_t>(levels)};
    OwnedNodes owned;
    if (id_owner(root) == ranks_.rank())
      owned = {device::uploaded(device_, std::vector{uint32_t{0}}),
               device::uploaded(device_, std::vector{id_pointer(root)}), 1};
    uint64_t nodes = 1;
    for (size_t l = 0; l < levels; ++l) {
      const bool is_leaf = l + 1 == levels;
      HeldNodes held = held_nodes(device_, ranks_, shares_, store_, owned,
                                  is_leaf ? dag::NodeKind::Leaf : dag::NodeKind::Inner, materials_, nodes);
      dag::LevelPart& part = dag.part.levels[l];
      part = {.words = {}, .first = held.first, .nodes = held.count};
      dag.nodes[l] = nodes;
      owned = {};
      if (!is_leaf) {
        Numbered numbered = number_children(held);
        held.words = std::move(numbered.words);
        owned = std::move(numbered.owned);
        nodes = numbered.nodes;
      }
      part.words.resize(held.words.size());
      device_.download(part.words.data(), held.words.data(), held.words.size());
    }
    return dag;
  }

 private:
  struct Numbered {
    device::Buffer<uint32_t> words;  // complete words of this level
    OwnedNodes owned;                // the nodes of the next level that this rank owns
    uint64_t nodes = 0;              // the number of all nodes of the next level
  };

  Numbered number_children(const HeldNodes& held) {
    auto edge_start = device_.template make<uint32_t>(held.count + 1);
    const uint64_t edges = device_.exclusive_scan({"ranks: count edges", 20}, held.count,
                                                  CountSpreadChildren{held.words.data(), held.offsets.data()},
                                                  edge_start.data());
    auto owners = device_.template make<uint32_t>(edges);
    auto pointers = device_.template make<uint32_t>(edges);
    device_.for_each(
        {"ranks: edges", 80}, held.count,
        ListEdges{held.words.data(), held.offsets.data(), edge_start.data(), owners.data(), pointers.data()});
    Numbered numbered = number_edges(std::move(owners), pointers, edges);
    numbered.words = device_.template make<uint32_t>(held.count + edges);
    device_.for_each({"ranks: write numbers", 60}, held.count,
                     WriteNumbered{held.words.data(), held.offsets.data(), edge_start.data(), pointers.data(),
                                   numbered.words.data()});
    return numbered;
  }

  // `targets` holds the edges' pointers first, and their numbers after the call.
  Numbered number_edges(device::Buffer<uint32_t> owners, const device::Buffer<uint32_t>& targets,
                        uint64_t edges) {
    const Route route = find_route(device_, ranks_, std::move(owners), edges);
    if (route.received >= UINT32_MAX)
      throw Error("more than 2^32 edges of a level lead to nodes of one rank").hint("use more ranks");
    auto sent = device_.template make<uint32_t>(edges);
    device_.for_each({"ranks: take targets", 12}, edges,
                     device::TakeChosen<uint32_t>{targets.data(), route.order.data(), sent.data()});
    const auto asked = exchanged(device_, ranks_, sent.data(), route.to, route.from);
    device_.for_each({"ranks: visit", 12}, route.received, MarkFirstAsked{asked.data(), mark_});
    auto first_here = device_.template make<uint8_t>(route.received);
    device_.for_each({"ranks: first visits", 12}, route.received,
                     FlagFirstAsked{asked.data(), mark_, first_here.data()});
    const auto first_sent = exchanged(device_, ranks_, first_here.data(), route.from, route.to);
    Numbered numbered = take_numbers(route, edges, first_sent);
    numbered.owned.pointers = first_asked(asked, first_here, numbered.owned.count);
    device_.for_each({"ranks: set numbers", 12}, numbered.owned.count,
                     SetNumbers{numbered.owned.pointers.data(), numbered.owned.numbers.data(), mark_});
    device_.for_each({"ranks: numbers", 12}, route.received, NumbersOfAsked{mark_, asked.data()});
    sent = exchanged(device_, ranks_, asked.data(), route.from, route.to);
    device_.for_each({"ranks: to edges", 12}, edges,
                     ToEdges<uint32_t>{route.order.data(), sent.data(), targets.data()});
    device_.for_each({"freeze: clear", 8}, numbered.owned.count,
                     dag::ClearMarks{numbered.owned.pointers.data(), mark_});
    return numbered;
  }

  // Counts the first edges of all ranks, and tells owners the numbers of the nodes that these edges lead to.
  Numbered take_numbers(const Route& route, uint64_t edges, const device::Buffer<uint8_t>& first_sent) {
    auto first_edges = device_.template make<uint8_t>(edges);
    device_.for_each({"ranks: to edges", 6}, edges,
                     ToEdges<uint8_t>{route.order.data(), first_sent.data(), first_edges.data()});
    auto before = device_.template make<uint32_t>(edges + 1);
    const Share share = share_of(ranks_, device_.exclusive_scan({"ranks: count first visits", 9}, edges,
                                                                ByteAt{first_edges.data()}, before.data()));
    if (share.all >= UINT32_MAX)
      throw Error("a level of the DAG has more than 2^32 nodes").hint("lower the resolution");
    auto chosen = device_.template make<uint32_t>(edges);
    const uint64_t count =
        device_.select({"ranks: choose first visits", 5}, edges, FlagAt{first_sent.data()}, chosen.data());
    auto numbers = device_.template make<uint32_t>(count);
    device_.for_each(
        {"ranks: number nodes", 16}, count,
        NumberFirsts{chosen.data(), route.order.data(), before.data(), share.before, numbers.data()});
    ranks::Counts to(ranks_.count());
    device_.histogram({"ranks: count", 8}, count, RankOfChosen{route.ranks.data(), chosen.data()}, to.data(),
                      to.size());
    const ranks::Counts from = tell_each(ranks_, to);
    Numbered numbered = {.words = {}, .owned = {}, .nodes = share.all};
    numbered.owned.numbers = exchanged(device_, ranks_, numbers.data(), to, from);
    numbered.owned.count = ranks::total(from);
    return numbered;
  }

  // Returns the pointers of the nodes to which first edges lead, in the order in which these were sent. The nodes get
  // their numbers in the same order.
  device::Buffer<uint32_t> first_asked(const device::Buffer<uint32_t>& asked,
                                       const device::Buffer<uint8_t>& first_here, uint64_t expected) {
    auto chosen = device_.template make<uint32_t>(asked.size());
    const uint64_t count = device_.select({"ranks: choose first visits", 5}, asked.size(),
                                          FlagAt{first_here.data()}, chosen.data());
    if (count != expected) throw Error("ranks do not agree on the order of nodes");
    auto pointers = device_.template make<uint32_t>(count);
    device_.for_each({"ranks: take nodes", 12}, count,
                     device::TakeChosen<uint32_t>{asked.data(), chosen.data(), pointers.data()});
    return pointers;
  }

  Device& device_;
  ranks::Ranks& ranks_;
  const Shares& shares_;
  hash::SlabMemoryRef store_;
  bool materials_;
  dag::ItemMarks<Device> marks_;
  dag::FoundItemWords mark_;
};

}  // namespace vox::build
