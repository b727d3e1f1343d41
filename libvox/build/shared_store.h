// A store of a scene's nodes that is divided among ranks by content: each node has one owner, whose store
// holds it once. A rank that has a node sends its words to the owner and gets its id in return, so equal
// nodes have equal ids, whichever rank made them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "libvox/base/error.h"
#include "libvox/base/hd.h"
#include "libvox/base/progress.h"
#include "libvox/build/round.h"
#include "libvox/dag/node.h"
#include "libvox/dag/store.h"
#include "libvox/device/pool.h"
#include "libvox/device/runs.h"
#include "libvox/ranks/ranks.h"

namespace vox::build {

// The words of a node whose children lie in the stores of several ranks. Ranks send nodes to each other in
// this form, and owners keep them in it. Leaves have their usual words.
//
//   word 0   the header (dag/node.h); bits 13–28, which are zero elsewhere, hold the lowest of 48 bits that say which
//            rank owns each child, 6 bits a child, those of the first child lowest
//   word 1…  for each present child a pointer into its owner's store
//   last     the upper 32 of the 48 bits
//
// A node therefore has one word more than its usual form, and at most as many as the largest leaf.

inline constexpr uint32_t kRankBits = 6, kMostRanks = 1 << kRankBits;
inline constexpr uint32_t kOwnersShift = 13, kOwnersBits = 16;  // the part in the header

// A node's id: the rank that owns it, and its pointer in that rank's store.
VOX_HD inline uint64_t node_id(uint32_t owner, uint32_t pointer) {
  return uint64_t{owner} << 32 | pointer;
}
VOX_HD inline uint32_t id_owner(uint64_t id) {
  return static_cast<uint32_t>(id >> 32);
}
VOX_HD inline uint32_t id_pointer(uint64_t id) {
  return static_cast<uint32_t>(id);
}

VOX_HD inline uint32_t spread_words(uint32_t header) {
  return dag::node_words(header) + 1;
}
VOX_HD inline uint32_t plain_header(uint32_t header) {
  return header & dag::kHeaderBits;
}

// Writes a node's words. child_id(i) returns the id of the i-th present child.
template <class ChildId>
VOX_HD void write_spread_node(uint32_t* words, uint32_t header, const ChildId& child_id) {
  const uint32_t children = dag::node_words(header) - 1;
  uint64_t owners = 0;
  for (uint32_t i = 0; i < children; ++i) {
    const uint64_t id = child_id(i);
    words[1 + i] = id_pointer(id);
    owners |= uint64_t{id_owner(id)} << kRankBits * i;
  }
  words[0] = header | static_cast<uint32_t>(owners & ((1 << kOwnersBits) - 1)) << kOwnersShift;
  words[1 + children] = static_cast<uint32_t>(owners >> kOwnersBits);
}

// The owners of a node's children, 6 bits each.
VOX_HD inline uint64_t child_owners(const uint32_t* words) {
  const uint32_t low = words[0] >> kOwnersShift & ((1 << kOwnersBits) - 1);
  return low | uint64_t{words[dag::node_words(words[0])]} << kOwnersBits;
}
VOX_HD inline uint32_t child_owner(uint64_t owners, uint32_t i) {
  return static_cast<uint32_t>(owners >> kRankBits * i) & (kMostRanks - 1);
}

// The number of words of an item in this form.
VOX_HD inline uint32_t spread_item_words(const hash::ItemRef& item, dag::NodeKind kind, bool materials) {
  return kind == dag::NodeKind::Leaf ? dag::leaf_words(dag::leaf_mask(item), materials)
                                     : spread_words(item[0]);
}

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

// Data on a rank's device are sent to other ranks, many items at once, each to its own rank, and answered.

// A rank's place in a sum over all ranks: the sum over the ranks before it, and over all.
struct Share {
  uint64_t before = 0, all = 0;
};
inline Share share_of(ranks::Ranks& ranks, uint64_t value) {
  const std::vector<uint64_t> values = ranks.gather(value);
  return {std::reduce(values.begin(), values.begin() + ranks.rank()), ranks::total(values)};
}

// Collective. Sends pieces of an array, the one for rank 0 first. Returns the pieces received, the one from
// rank 0 first.
template <class T, class Device>
device::Buffer<T> exchanged(Device& device, ranks::Ranks& ranks, const T* send, const ranks::Counts& to,
                            const ranks::Counts& from) {
  throw_if_cancelled();
  auto received = device.template make<T>(ranks::total(from));
  std::vector<uint64_t> send_sizes, receive_sizes;
  for (const uint64_t count : to) send_sizes.push_back(count * sizeof(T));
  for (const uint64_t count : from) receive_sizes.push_back(count * sizeof(T));
  device.sync();
  ranks.exchange(send, send_sizes, received.data(), receive_sizes);
  return received;
}

// The ranks to which n items go. Items are sent in the order of ranks, and items for one rank in their own
// order.
struct Route {
  device::Buffer<uint32_t> ranks;  // each item's rank, in the order of sending
  device::Buffer<uint32_t> order;  // the item that is sent at each place
  ranks::Counts to, from;          // numbers of items for each rank, and from each
  uint64_t received = 0;
};

struct PlainOrder {
  uint32_t* order;
  VOX_HD void operator()(uint64_t i) const { order[i] = static_cast<uint32_t>(i); }
};

struct WordAt {
  const uint32_t* words;
  VOX_HD uint32_t operator()(uint64_t i) const { return words[i]; }
};

// Collective. `rank_of` holds the rank to which each of the first n items goes.
template <class Device>
Route find_route(Device& device, ranks::Ranks& ranks, device::Buffer<uint32_t> rank_of, uint64_t n) {
  Route route = {.ranks = std::move(rank_of),
                 .order = device.template make<uint32_t>(n),
                 .to = ranks::Counts(ranks.count()),
                 .from = {}};
  device.for_each({"ranks: number", 4}, n, PlainOrder{route.order.data()});
  device.sort_pairs({"ranks: sort by rank", 32}, route.ranks, route.order, n, kRankBits);
  device.histogram({"ranks: count", 4}, n, WordAt{route.ranks.data()}, route.to.data(), ranks.count());
  route.from = tell_each(ranks, route.to);
  route.received = ranks::total(route.from);
  return route;
}

// Returns the number of words in each of some pieces of an array of items. Item i begins at offsets[i];
// items[p] is the number of items of piece p.
template <class Device, class Offset>
ranks::Counts words_of_pieces(Device& device, const ranks::Counts& items, const Offset* offsets) {
  std::vector<uint32_t> bounds = {0};
  std::vector<Offset> places(items.size() + 1);
  for (const uint64_t count : items) bounds.push_back(bounds.back() + static_cast<uint32_t>(count));
  const auto on_device = device::uploaded(device, bounds);
  auto taken = device.template make<Offset>(bounds.size());
  device.for_each("ranks: bounds", bounds.size(),
                  device::TakeChosen<Offset>{offsets, on_device.data(), taken.data()});
  device.download(places.data(), taken.data(), places.size());
  ranks::Counts words;
  for (size_t i = 0; i < items.size(); ++i) words.push_back(places[i + 1] - places[i]);
  return words;
}

// Divides common data among ranks: a rank with more memory gets a larger share.
struct Shares {
  std::vector<uint64_t> before;  // sums of the weights before each rank, and the sum of all

  // Returns where a rank's share of n things begins; n is at most 2^32.
  uint64_t begin(uint64_t n, uint32_t rank) const { return n * before[rank] / before.back(); }
  // Returns where each rank's share begins.
  std::vector<uint64_t> begins(uint64_t n) const {
    std::vector<uint64_t> result;
    for (uint32_t rank = 0; rank + 1 < before.size(); ++rank) result.push_back(begin(n, rank));
    return result;
  }
};

// Collective. `memory` is how many bytes this rank may use.
inline Shares agreed_shares(ranks::Ranks& ranks, uint64_t memory) {
  constexpr uint64_t kMost = uint64_t{1} << 24;  // in MiB; it keeps products below 2^64
  Shares shares = {{0}};
  for (const uint64_t weight : ranks.gather(1 + std::min(memory >> 20, kMost)))
    shares.before.push_back(shares.before.back() + weight);
  return shares;
}

// Returns the rank whose share holds a thing. `begins` says where the ranks' shares begin.
VOX_HD inline uint32_t share_that_holds(const uint64_t* begins, uint32_t ranks, uint64_t thing) {
  uint32_t low = 0, high = ranks;
  while (high - low > 1) {
    const uint32_t middle = (low + high) / 2;
    if (begins[middle] <= thing) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

// Finds the owner of each item; each rank owns a share of all hashes.
struct OwnersOfItems {
  const uint32_t* words;
  const uint32_t* offsets;
  const uint64_t* share_begins;
  uint32_t ranks;
  uint32_t* owners;
  VOX_HD void operator()(uint64_t i) const {
    // The hash is mixed once more, because tables choose buckets by it, and an owner's items should fall into
    // all buckets.
    const uint64_t hash = mix64(hash::hash_words(words + offsets[i], offsets[i + 1] - offsets[i]));
    owners[i] = share_that_holds(share_begins, ranks, hash >> 32);
  }
};

struct ByteAt {
  const uint8_t* bytes;
  VOX_HD uint32_t operator()(uint64_t i) const { return bytes[i]; }
};

struct TakeIds {
  const uint32_t* owners;
  const uint32_t* order;
  const uint32_t* pointers;
  uint64_t* ids;
  VOX_HD void operator()(uint64_t i) const { ids[order[i]] = node_id(owners[i], pointers[i]); }
};

template <class Device>
class SharedStore {
 public:
  // `most_items` is how many items are sent at once; 0 means as many as memory allows.
  SharedStore(Device& device, ranks::Ranks& ranks, const Shares& shares, const hash::TableOptions& tables,
              uint64_t most_items)
      : device_(device),
        ranks_(ranks),
        share_begins_(device::uploaded(device, shares.begins(uint64_t{1} << 32))),
        most_items_(most_items),
        store_(device, tables) {}

  // Collective. Returns the ids of this rank's n items. make(first, count) returns `count` of them. Ranks may
  // have different numbers of items.
  template <class Make>
  device::Buffer<uint64_t> intern(uint64_t n, const Make& make) {
    auto ids = device_.template make<uint64_t>(n);
    const std::vector<uint64_t> capacities = ranks_.gather(capacity()), counts = ranks_.gather(n);
    const uint64_t most = *std::ranges::min_element(capacities);
    const uint64_t rounds = (*std::ranges::max_element(counts) + most - 1) / most;
    for (uint64_t round = 0; round < rounds; ++round) {
      const uint64_t first = std::min(n, round * most), count = std::min(n - first, most);
      intern_piece(make(first, count), ids.data() + first);
    }
    return ids;
  }

  const dag::DagStore<Device>& store() const { return store_; }
  uint64_t given() const { return given_; }  // number of items sent to other ranks

 private:
  uint64_t capacity() const {
    // An item takes: its words (24 bytes for a leaf of a textured scene, up to 40) where it is made, packed
    // and received; its owner and its place twice, for sorting; its hash, its place in the table of
    // duplicates and its pointer; and the growth of the store.
    constexpr uint64_t kBytesPerItem = 320;
    if (most_items_ > 0) return most_items_;
    return std::clamp<uint64_t>(device_.pool().available() / kBytesPerItem, 1024, uint64_t{1} << 25);
  }

  void intern_piece(NodePiece items, uint64_t* ids) {
    const uint64_t n = items.count;
    auto owners = device_.template make<uint32_t>(n);
    device_.for_each({"ranks: owners", 36}, n,
                     OwnersOfItems{items.words.data(), items.offsets.data(), share_begins_.data(),
                                   ranks_.count(), owners.data()});
    const Route route = find_route(device_, ranks_, std::move(owners), n);
    for (uint32_t rank = 0; rank < ranks_.count(); ++rank)
      if (rank != ranks_.rank()) given_ += route.to[rank];
    auto sizes = device_.template make<uint8_t>(n);
    NodePiece sent = {.words = device_.template make<uint32_t>(items.words.size()),
                      .offsets = device_.template make<uint32_t>(n + 1)};
    device_.exclusive_scan({"ranks: places", 16}, n, SizeOfChosen{items.offsets.data(), route.order.data()},
                           sent.offsets.data());
    device_.for_each({"ranks: pack", 60}, n,
                     PackNodes{items.words.data(), items.offsets.data(), route.order.data(),
                               sent.offsets.data(), sent.words.data(), sizes.data()});
    items = {};
    const ranks::Counts words_to = words_of_pieces(device_, route.to, sent.offsets.data());
    const ranks::Counts words_from = tell_each(ranks_, words_to);
    if (ranks::total(words_from) > UINT32_MAX || route.received > UINT32_MAX)
      throw Error("a rank is sent more than 2^32 words at once");
    const auto words = exchanged(device_, ranks_, sent.words.data(), words_to, words_from);
    sent = {};
    sizes = exchanged(device_, ranks_, sizes.data(), route.to, route.from);
    auto offsets = device_.template make<uint32_t>(route.received + 1);
    device_.exclusive_scan({"ranks: places", 5}, route.received, ByteAt{sizes.data()}, offsets.data());
    auto pointers = device_.template make<uint32_t>(route.received);
    store_.intern(words.data(), offsets.data(), route.received, pointers.data());
    const auto answers = exchanged(device_, ranks_, pointers.data(), route.from, route.to);
    device_.for_each({"ranks: take ids", 20}, n,
                     TakeIds{route.ranks.data(), route.order.data(), answers.data(), ids});
  }

  Device& device_;
  ranks::Ranks& ranks_;
  device::Buffer<uint64_t> share_begins_;  // the hashes at which shares begin
  uint64_t most_items_, given_ = 0;
  dag::DagStore<Device> store_;
};

}  // namespace vox::build
