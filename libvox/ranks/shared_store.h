// A store of a scene's nodes that is divided among ranks by content: each node has one owner, whose store
// holds it once. A rank that has a node sends its words to the owner and gets its id in return, so equal
// nodes have equal ids, whichever rank made them.
#pragma once

#include <algorithm>

#include "libvox/base/error.h"
#include "libvox/dag/store.h"
#include "libvox/ranks/routes.h"
#include "libvox/ranks/shares.h"

namespace vox::ranks {

// Items one behind the other: item i has the words from offsets[i] to before offsets[i + 1].
struct Items {
  device::Buffer<uint32_t> words, offsets;
};

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

// Returns the size of the item that is sent at each place.
struct SentWords {
  const uint32_t* offsets;
  const uint32_t* order;
  VOX_HD uint32_t operator()(uint64_t i) const { return offsets[order[i] + 1] - offsets[order[i]]; }
};

struct PackItems {
  const uint32_t* words;
  const uint32_t* offsets;
  const uint32_t* order;
  const uint32_t* sent_offsets;
  uint32_t* sent_words;
  uint8_t* sent_sizes;
  VOX_HD void operator()(uint64_t i) const {
    const uint32_t* from = words + offsets[order[i]];
    uint32_t* to = sent_words + sent_offsets[i];
    const uint32_t size = sent_offsets[i + 1] - sent_offsets[i];
    for (uint32_t w = 0; w < size; ++w) to[w] = from[w];
    sent_sizes[i] = static_cast<uint8_t>(size);
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
  SharedStore(Device& device, Ranks& ranks, const Shares& shares, const hash::TableOptions& tables,
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
      intern_piece(make(first, count), count, ids.data() + first);
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

  void intern_piece(Items items, uint64_t n, uint64_t* ids) {
    auto owners = device_.template make<uint32_t>(n);
    device_.for_each({"ranks: owners", 36}, n,
                     OwnersOfItems{items.words.data(), items.offsets.data(), share_begins_.data(),
                                   ranks_.count(), owners.data()});
    const Route route = find_route(device_, ranks_, std::move(owners), n);
    for (uint32_t rank = 0; rank < ranks_.count(); ++rank)
      if (rank != ranks_.rank()) given_ += route.to[rank];
    auto sizes = device_.template make<uint8_t>(n);
    Items sent = {device_.template make<uint32_t>(items.words.size()),
                  device_.template make<uint32_t>(n + 1)};
    device_.exclusive_scan({"ranks: places", 16}, n, SentWords{items.offsets.data(), route.order.data()},
                           sent.offsets.data());
    device_.for_each({"ranks: pack", 60}, n,
                     PackItems{items.words.data(), items.offsets.data(), route.order.data(),
                               sent.offsets.data(), sent.words.data(), sizes.data()});
    items = {};
    const Counts words_to = words_of_pieces(device_, route.to, sent.offsets.data());
    const Counts words_from = tell_each(ranks_, words_to);
    if (total(words_from) > UINT32_MAX || route.received > UINT32_MAX)
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
  Ranks& ranks_;
  device::Buffer<uint64_t> share_begins_;  // the hashes at which shares begin
  uint64_t most_items_, given_ = 0;
  dag::DagStore<Device> store_;
};

}  // namespace vox::ranks
