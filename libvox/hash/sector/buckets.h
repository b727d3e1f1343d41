// The buckets of one item size, and the number of their items. A table that outgrows its buckets gets a
// further generation of buckets for later items. Stored items stay where they are.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "libvox/base/error.h"
#include "libvox/device/work.h"
#include "libvox/hash/sector/sweep.h"

namespace vox::hash {

// Returns how many headers a bucket has: its line and its overflow sectors.
struct SectorChainLength {
  static constexpr uint32_t kLongest = 255;  // longer chains count as this length
  const uint32_t* lines;
  const uint32_t* overflow;
  VOX_HD uint32_t operator()(uint64_t bucket) const {
    const uint32_t* header = lines + bucket * SectorLine::kWords;
    uint32_t length = 1;
    for (uint32_t next = header[SectorLine::kNextWord]; next != kNoSector && length < kLongest; ++length)
      next = overflow[uint64_t{next} * SectorOverflow::kWords + SectorOverflow::kNextWord];
    return length;
  }
};

template <class Device>
class SectorBucketSets {
 public:
  SectorBucketSets(Device& device, uint32_t load_factor) : device_(device), load_factor_(load_factor) {}

  // Makes buckets for the final number of items, unless there are buckets already.
  void expect(uint64_t items) {
    if (items == 0 || !generations_.empty()) return;
    expected_ = items;
    add((items + load_factor_ - 1) / load_factor_);
  }
  // Makes buckets for `count` more items, unless there are enough. In the end there will be `growth` times as
  // many items as with these.
  void reserve(uint64_t count, double growth) {
    if (count <= items_before_full()) return;
    add_for(count, static_cast<uint64_t>(static_cast<double>(items_ + count) * growth));
  }
  // Does the same for a table that grows by batches, each of which brings items for all buckets. Places for
  // all items that a bucket is going to get are kept free from the start, so that it needs no overflow
  // sectors, which searches would walk one after the other. If many items are still to come, these buckets
  // are for only the next part of them. The places that stay free if fewer items come are then few compared
  // with those in use.
  void plan(uint64_t count, double growth) {
    constexpr double kMostGrowth = 4;
    if (count <= items_before_full()) return;
    const double planned = static_cast<double>(items_ + count) * std::min(growth, kMostGrowth);
    add_for(count, static_cast<uint64_t>(planned));
    // Callers announce only half of the growth that is possible. Places are kept free for all of it, but not
    // for more items than these buckets are made for.
    if (growth > 1)
      planned_ =
          items_ + std::min(2 * (static_cast<uint64_t>(planned) - items_), newest_count() * load_factor_);
  }
  // Makes buckets for `items` items that may come, unless there are enough.
  void reserve_apart(uint64_t items) {
    if (items_before_full() < items) add(items / load_factor_ + 1);
  }
  void count_items(uint64_t count) {
    items_ += count;
    newest_items_ += count;
  }

  uint64_t items() const { return items_; }
  // Returns how many more items fit before further buckets are better.
  uint64_t items_before_full() const {
    if (generations_.empty()) return 0;
    if (generations_.size() == SectorTableRef::kMaxGenerations) return UINT64_MAX;
    const uint64_t most = (planned_ > 0 ? 2 : 3) * load_factor_ * newest_count() / 2;
    return std::max(most - std::min(most, newest_items_), expected_ - std::min(expected_, items_));
  }
  // Returns how many further items, of `item_words` words each, a bucket is going to get on average when
  // there are `items` items. Planned places take at most an eighth of the free memory.
  uint32_t spare(uint64_t items, uint32_t item_words) const {
    constexpr uint64_t kUnplanned = 8, kShareOfMemory = 8;
    const uint64_t buckets = newest_count();
    const auto each = [&](uint64_t in_the_end) {
      return items > in_the_end ? 0 : (in_the_end - items + buckets / 2) / buckets;
    };
    if (items <= expected_)
      return static_cast<uint32_t>(std::min<uint64_t>(each(expected_), SectorLine::kSlots));
    if (planned_ == 0) return kUnplanned;
    const uint64_t room = device_.pool().available() / (kShareOfMemory * 4 * item_words * buckets);
    return static_cast<uint32_t>(
        std::clamp<uint64_t>(std::min(each(planned_), room), kUnplanned, SectorLine::kSlots));
  }

  // The buckets of the newest generation, into which items are inserted.
  uint64_t newest_count() const { return generations_.empty() ? 0 : generations_.back().count; }
  uint32_t* newest_lines() const { return generations_.back().lines.data(); }
  void fill_ref(SectorTableRef& ref) const {
    ref.generations = static_cast<uint32_t>(generations_.size());
    for (size_t i = 0; i < generations_.size(); ++i)
      ref.buckets[i] = {generations_[i].lines.data(), static_cast<uint32_t>(generations_[i].count), 0};
  }

  // Removes the items that are not marked. `released` has a word for each superblock, by its number, or is
  // nullptr if none is released.
  void sweep(const uint32_t* marks, const uint32_t* released, uint32_t* overflow) const {
    for (const Generation& generation : generations_)
      device_.for_each_group({"sweep: buckets", SectorLine::kWords * 4.0 + 14}, generation.count,
                             SweepBucket{generation.lines.data(), overflow, marks, released});
  }
  // Counts the remaining items after a sweep, and drops generations that are empty. Returns the number of
  // slots of all runs.
  uint64_t count_again(const uint32_t* overflow) {
    uint64_t slots = 0;
    items_ = newest_items_ = 0;
    std::vector<Generation> left;
    for (Generation& generation : generations_) {
      const uint64_t sum = device_.sum({"sweep: count items", 32}, generation.count,
                                       CountBucket{generation.lines.data(), overflow});
      newest_items_ = sum & UINT32_MAX;
      items_ += newest_items_;
      slots += sum >> 32;
      if (sum != 0 || &generation == &generations_.back()) left.push_back(std::move(generation));
    }
    generations_ = std::move(left);
    if (slots == 0) {
      generations_.clear();
      expected_ = planned_ = 0;
    }
    return slots;
  }

  uint64_t count() const {
    uint64_t sum = 0;
    for (const Generation& generation : generations_) sum += generation.count;
    return sum;
  }
  // Returns how many buckets have 0, 1, 2, … headers.
  std::vector<uint64_t> chain_lengths(const uint32_t* overflow) const {
    std::vector<uint64_t> lengths(SectorChainLength::kLongest + 1);
    for (const Generation& generation : generations_)
      device_.histogram("chain lengths", generation.count,
                        SectorChainLength{generation.lines.data(), overflow}, lengths.data(), lengths.size());
    while (!lengths.empty() && lengths.back() == 0) lengths.pop_back();
    return lengths;
  }

 private:
  struct Generation {
    device::Buffer<uint32_t> lines;
    uint64_t count;
  };

  // Adds buckets for `count` more items; in the end there will be `in_the_end` items.
  void add_for(uint64_t count, uint64_t in_the_end) {
    constexpr uint64_t kFewest = 64;
    add(std::max({kFewest, (in_the_end - items_) / load_factor_, (items_ + count) / load_factor_}));
  }
  void add(uint64_t count) {
    if (count > UINT32_MAX) throw Error("a hash table has more than 2^32 buckets");
    generations_.push_back({device_.template make<uint32_t>(count * SectorLine::kWords), count});
    device_.fill(generations_.back().lines.data(), count * SectorLine::kWords, 0u);
    newest_items_ = planned_ = 0;
  }

  Device& device_;
  uint64_t load_factor_;
  uint64_t items_ = 0, newest_items_ = 0;  // in all generations; in the newest
  uint64_t expected_ = 0;                  // the items that expect() announced
  uint64_t planned_ = 0;                   // the items for which plan() made the newest buckets
  std::vector<Generation> generations_;
};

}  // namespace vox::hash
