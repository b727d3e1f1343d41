// Brings nodes from their owners to the ranks that hold their places in canonical order. Of each level, a
// rank holds a share: a run of numbers (shares.h).
#pragma once

#include "libvox/base/error.h"
#include "libvox/dag/find_levels.h"
#include "libvox/ranks/exchange_levels.h"
#include "libvox/ranks/routes.h"

namespace vox::ranks {

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
HeldNodes held_nodes(Device& device, Ranks& ranks, const Shares& shares, hash::SlabMemoryRef store,
                     const OwnedNodes& owned, dag::NodeKind kind, bool materials, uint64_t nodes) {
  const uint32_t count = ranks.count();
  const auto begins = device::uploaded(device, shares.begins(nodes));
  auto holders = device.template make<uint32_t>(owned.count);
  device.for_each({"ranks: holders", 8}, owned.count,
                  HoldersOfNodes{owned.numbers.data(), begins.data(), count, holders.data()});
  Counts to(count);
  device.histogram({"ranks: count", 4}, owned.count, WordAt{holders.data()}, to.data(), count);
  const Counts from = tell_each(ranks, to);
  auto offsets = device.template make<uint64_t>(owned.count + 1);
  auto words = device.template make<uint32_t>(
      device.exclusive_scan({"ranks: places", 20}, owned.count,
                            SpreadWords{store, owned.pointers.data(), kind, materials}, offsets.data()));
  auto sizes = device.template make<uint8_t>(owned.count);
  device.for_each({"ranks: copy", 60}, owned.count,
                  CopyOwned{store, owned.pointers.data(), offsets.data(), words.data(), sizes.data()});
  const Counts words_to = words_of_pieces(device, to, offsets.data());
  words = exchanged(device, ranks, words.data(), words_to, tell_each(ranks, words_to));
  sizes = exchanged(device, ranks, sizes.data(), to, from);
  const auto numbers = exchanged(device, ranks, owned.numbers.data(), to, from);

  HeldNodes held = {.first = shares.begin(nodes, ranks.rank())};
  held.count = shares.begin(nodes, ranks.rank() + 1) - held.first;
  if (total(from) != held.count) throw Error("ranks do not agree on the order of nodes");
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

}  // namespace vox::ranks
