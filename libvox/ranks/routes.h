// Sends data on a rank's device to other ranks, many items at once, each to its own rank, and returns their
// answers.
#pragma once

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "libvox/base/cancel.h"
#include "libvox/device/runs.h"
#include "libvox/device/uploaded.h"
#include "libvox/ranks/ranks.h"
#include "libvox/ranks/spread_node.h"

namespace vox::ranks {

using Counts = std::vector<uint64_t>;  // one for each rank

inline uint64_t total(const Counts& counts) {
  return std::reduce(counts.begin(), counts.end());
}

// Collective. values[i] is for rank i. Returns the values that all ranks have for this rank.
inline Counts tell_each(Ranks& ranks, const Counts& values) {
  const std::vector<uint64_t> sizes(ranks.count(), sizeof(uint64_t));
  Counts told(ranks.count());
  ranks.exchange(values.data(), sizes, told.data(), sizes);
  return told;
}

// Collective. Returns the sum of all ranks' values.
inline uint64_t sum_of(Ranks& ranks, uint64_t value) {
  return total(ranks.gather(value));
}

// Collective. Returns the largest of all ranks' values.
inline uint32_t most_of(Ranks& ranks, uint32_t value) {
  return static_cast<uint32_t>(std::ranges::max(ranks.gather(value)));
}

struct Share {
  uint64_t before = 0, all = 0;
};
inline Share share_of(Ranks& ranks, uint64_t value) {
  const std::vector<uint64_t> values = ranks.gather(value);
  return {std::reduce(values.begin(), values.begin() + ranks.rank()), total(values)};
}

// Collective. Sends pieces of an array, the one for rank 0 first. Returns the pieces received, the one from
// rank 0 first.
template <class T, class Device>
device::Buffer<T> exchanged(Device& device, Ranks& ranks, const T* send, const Counts& to,
                            const Counts& from) {
  throw_if_cancelled();
  auto received = device.template make<T>(total(from));
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
  Counts to, from;                 // numbers of items for each rank, and from each
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
Route find_route(Device& device, Ranks& ranks, device::Buffer<uint32_t> rank_of, uint64_t n) {
  Route route = {.ranks = std::move(rank_of),
                 .order = device.template make<uint32_t>(n),
                 .to = Counts(ranks.count()),
                 .from = {}};
  device.for_each({"ranks: number", 4}, n, PlainOrder{route.order.data()});
  device.sort_pairs({"ranks: sort by rank", 32}, route.ranks, route.order, n, kRankBits);
  device.histogram({"ranks: count", 4}, n, WordAt{route.ranks.data()}, route.to.data(), ranks.count());
  route.from = tell_each(ranks, route.to);
  route.received = total(route.from);
  return route;
}

// Returns the number of words in each of some pieces of an array of items. Item i begins at offsets[i];
// items[p] is the number of items of piece p.
template <class Device, class Offset>
Counts words_of_pieces(Device& device, const Counts& items, const Offset* offsets) {
  std::vector<uint32_t> bounds = {0};
  std::vector<Offset> places(items.size() + 1);
  for (const uint64_t count : items) bounds.push_back(bounds.back() + static_cast<uint32_t>(count));
  const auto on_device = device::uploaded(device, bounds);
  auto taken = device.template make<Offset>(bounds.size());
  device.for_each("ranks: bounds", bounds.size(),
                  device::TakeChosen<Offset>{offsets, on_device.data(), taken.data()});
  device.download(places.data(), taken.data(), places.size());
  Counts words;
  for (size_t i = 0; i < items.size(); ++i) words.push_back(places[i + 1] - places[i]);
  return words;
}

}  // namespace vox::ranks
