// The table `sector` of one item size, as the host sees it: its buckets, the places of its items, and what
// there is of both for batches to come.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <utility>
#include <vector>

#include "libvox/base/error.h"
#include "libvox/device/work.h"
#include "libvox/hash/sector/chains.h"
#include "libvox/hash/sector/sweep.h"
#include "libvox/hash/superblocks.h"
#include "libvox/hash/table_memory.h"

namespace vox {

// Headers of a bucket.
struct SectorChainLength {
  static constexpr uint32_t kLongest = 255;  // longer ones count as this
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

// The table of one item size, all but its overflow sectors, which are those of all sizes.
template <class Device>
class SectorTable {
 public:
  SectorTable(Device& device, Superblocks<Device>& memory, uint32_t item_words, uint32_t load_factor)
      : device_(device), memory_(memory), item_words_(item_words), load_factor_(load_factor) {}

  void expect(uint64_t items) {
    if (items == 0 || !generations_.empty()) return;
    expected_ = items;
    add_buckets((items + load_factor_ - 1) / load_factor_);
  }

  // Sees to it that there are enough buckets for `count` more items.
  void reserve_buckets(uint64_t count, double growth) {
    constexpr uint64_t kFewest = 64;
    if (count <= items_before_full()) return;
    const auto in_the_end = static_cast<uint64_t>(static_cast<double>(items_ + count) * growth);
    add_buckets(std::max({kFewest, (in_the_end - items_) / load_factor_, (items_ + count) / load_factor_}));
  }
  void count_items(uint64_t count) {
    items_ += count;
    newest_items_ += count;
  }

  // The buckets to insert `count` items into, of which the first has this number.
  SectorSpace buckets(uint32_t first, uint64_t count) const {
    SectorSpace space;
    space.lines = generations_.back().lines.data();
    space.first_bucket = first;
    space.spare = spare(items_ + count);
    return space;
  }

  // What there is for batches that do not ask: places from next_place_ on, then those of the reserve.
  void limits(SectorLimits& limits) const {
    SectorSpace& space = limits.spaces.of_size[item_words_];
    space.old_place = next_place_;
    space.fits = places_end_ - next_place_;
    space.new_place = reserve_.begin;
    space.spare = spare(items_ + 1);
    limits.places[item_words_] = places_left();
    limits.missing[item_words_] = items_before_full();
  }
  // They have asked for this, and have inserted so many items.
  void took(const SectorRoom::OfSize& room, uint64_t items) {
    const uint64_t had = places_end_ - next_place_, places = std::min(room.places, places_left());
    slots_ += room.places - room.refused_places;
    count_items(items);
    if (places <= had) {
      next_place_ += static_cast<uint32_t>(places);
    } else {
      next_place_ = reserve_.begin + kLongestRun + static_cast<uint32_t>(places - had);
      places_end_ = std::exchange(reserve_, {}).end;
    }
  }
  // So that what was refused will be there.
  void make_room(const SectorRoom::OfSize& room, double growth) {
    if (room.refused_items > 0) reserve_buckets(room.refused_items, growth);
    if (room.refused_places > places_left()) reserve_ = take_superblocks(room.refused_places + kLongestRun);
  }
  // So that batches that are like those that asked for this will not be refused anything for some time.
  void make_reserve(const SectorRoom::OfSize& room, uint64_t items, double growth) {
    constexpr uint64_t kOften = 8;
    if (places_left() < 2 * room.places)
      reserve_ = take_superblocks(std::max(kOften * room.places, items_ / kShare));
    if (items_before_full() < 2 * items) reserve_buckets(2 * items, growth);
  }
  // The same before there were any, for a share of the items that there are, or of those of all tables.
  // Nothing where a superblock would be much.
  void make_first_reserve(uint64_t all_items) {
    constexpr uint64_t kFewItems = 1 << 16;
    const uint64_t share = std::max(items_, all_items / kMaxItemWords) / kShare;
    const uint64_t places = share / kItemsPerSuperblock * kItemsPerSuperblock;
    if (places_left() < places) reserve_ = take_superblocks(places);
    if (items_before_full() < kFewItems) add_buckets(kFewItems / load_factor_ + 1);
  }

  // Takes memory for runs of `granules` together, behind those of smaller sizes.
  void take_runs(SectorSpace& space, uint64_t granules_below, uint64_t granules) {
    const uint64_t items = granules * kGranule;
    space.granules_below = granules_below;
    space.old_place = next_place_;
    space.fits = std::min<uint64_t>(items, places_end_ - next_place_);
    if (space.fits == items) {
      slots_ += items;
      next_place_ += static_cast<uint32_t>(items);
      return;
    }
    const uint64_t more = kLongestRun + items - space.fits;
    if (reserve_.end - reserve_.begin < more) reserve_ = take_superblocks(more);
    slots_ += items;
    space.new_place = reserve_.begin;
    next_place_ = reserve_.begin + static_cast<uint32_t>(more);
    places_end_ = std::exchange(reserve_, {}).end;
  }

  SectorTableRef ref(const uint32_t* overflow) const {
    SectorTableRef ref = {
        memory_.ref(), overflow, item_words_, static_cast<uint32_t>(generations_.size()), {}};
    for (size_t i = 0; i < generations_.size(); ++i)
      ref.buckets[i] = {generations_[i].lines.data(), static_cast<uint32_t>(generations_[i].count), 0};
    return ref;
  }

  // Superblocks of the reserve stay, where they are few beside others that do.
  void keep_reserve(std::vector<uint32_t>& released) const {
    const uint32_t begin = reserve_.begin >> kPlaceBits;
    const uint32_t end = (reserve_.end + kItemsPerSuperblock - 1) >> kPlaceBits;
    const auto others = static_cast<uint32_t>(std::count_if(
        superblocks_.begin(), superblocks_.end(), [&](uint32_t number) { return released[number] == 0; }));
    if (others == 0 || end - begin > 1 + others / kFew) return;
    std::fill(released.begin() + begin, released.begin() + end, 0u);
  }

  // Removes the items that are not marked. `released` is by number of a superblock, nullptr where none goes.
  void sweep(const uint32_t* marks, const uint32_t* released, uint32_t* overflow) const {
    for (const Generation& generation : generations_)
      device_.for_each_group({"sweep: buckets", SectorLine::kWords * 4.0 + 14}, generation.count,
                             SweepBucket{generation.lines.data(), overflow, marks, released});
  }
  // After it: which superblocks the table is about to lose, and what is left.
  void adopt(const std::vector<uint32_t>& released, const uint32_t* overflow) {
    std::erase_if(superblocks_, [&](uint32_t number) { return released[number] != 0; });
    if (places_end_ > 0 && released[(places_end_ - 1) >> kPlaceBits] != 0) next_place_ = places_end_ = 0;
    if (reserve_.begin < reserve_.end && released[reserve_.begin >> kPlaceBits] != 0) reserve_ = {};
    items_ = newest_items_ = slots_ = 0;
    std::vector<Generation> left;
    for (Generation& generation : generations_) {
      const uint64_t sum = device_.sum({"sweep: count items", 32}, generation.count,
                                       CountBucket{generation.lines.data(), overflow});
      newest_items_ = sum & UINT32_MAX;
      items_ += newest_items_;
      slots_ += sum >> 32;
      if (sum != 0 || &generation == &generations_.back()) left.push_back(std::move(generation));
    }
    generations_ = std::move(left);
    if (slots_ > 0) return;
    generations_.clear();
    expected_ = 0;
  }

  uint64_t items() const { return items_; }
  uint64_t newest_buckets() const { return generations_.empty() ? 0 : generations_.back().count; }

  TableMemory memory(const uint32_t* overflow) const {
    std::array<uint64_t, SectorChainLength::kLongest + 1> lengths = {};
    uint64_t buckets = 0, headers = 0;
    for (const Generation& generation : generations_) {
      buckets += generation.count;
      device_.histogram("chain lengths", generation.count,
                        SectorChainLength{generation.lines.data(), overflow}, lengths.data(), lengths.size());
    }
    for (size_t length = 0; length < lengths.size(); ++length) headers += length * lengths[length];
    TableMemory memory = layout_memory(item_words_, items_, slots_, buckets, headers - buckets);
    memory.chain_lengths.assign(lengths.begin(), lengths.end());
    while (!memory.chain_lengths.empty() && memory.chain_lengths.back() == 0) memory.chain_lengths.pop_back();
    memory.slack_bytes = (all_places() - slots_) * item_words_ * 4;
    memory.bitmap_bytes = superblocks_.size() * kBitmapWordsPerSuperblock * 4;
    return memory;
  }

  // What so many buckets, item slots and overflow sectors take.
  static TableMemory layout_memory(uint32_t item_words, uint64_t items, uint64_t slots, uint64_t buckets,
                                   uint64_t sectors) {
    TableMemory memory;
    memory.item_words = item_words;
    memory.items = items;
    memory.buckets = buckets;
    memory.slabs = buckets + sectors;
    memory.item_bytes = items * item_words * 4;
    memory.empty_bytes = (slots - items) * item_words * 4;
    memory.fingerprint_bytes = buckets * SectorLine::kSlots + sectors * SectorOverflow::kSlots;
    memory.link_bytes =
        buckets * SectorLine::kWords * 4 + sectors * SectorOverflow::kWords * 4 - memory.fingerprint_bytes;
    return memory;
  }

 private:
  static constexpr uint32_t kFew = 8;     // one in so many superblocks
  static constexpr uint64_t kShare = 32;  // of the items there are, that may be places for more
  static constexpr uint32_t kSlotsPerSlab = 1 << kSlotBits, kPlaceBits = kBlockBits + kSlabBits + kSlotBits;

  struct Generation {
    Buffer<uint32_t> lines;
    uint64_t count;
  };
  // Places where nobody has a run yet.
  struct Places {
    uint32_t begin = 0, end = 0;
    // How many there are behind the one run that other places end in.
    uint64_t behind_a_run() const { return end - begin > kLongestRun ? end - begin - kLongestRun : 0; }
  };

  // How many more there may be before further buckets are better.
  uint64_t items_before_full() const {
    if (generations_.empty()) return 0;
    if (generations_.size() == SectorTableRef::kMaxGenerations) return UINT64_MAX;
    const uint64_t most = 3 * load_factor_ * generations_.back().count / 2;
    return std::max(most - std::min(most, newest_items_), expected_ - std::min(expected_, items_));
  }

  // Whole superblocks where there are as many items. Before that parts of one, each as large as all that the
  // table has, since a superblock of every item size would be a hundred times what a small scene takes.
  Places take_superblocks(uint64_t places) {
    constexpr uint64_t kFewest = 1 << 13;
    const uint64_t wanted = std::bit_ceil(std::max({places, all_places(), memory_.places() / kFew, kFewest}));
    const SlabLayout layout = SlabLayout::contiguous(kSlotsPerSlab * item_words_, 0, item_words_);
    if (wanted < kItemsPerSuperblock) {
      const uint32_t number = memory_.grow(1, 0, layout, static_cast<uint32_t>(wanted / kSlotsPerSlab));
      superblocks_.push_back(number);
      return {number << kPlaceBits, (number << kPlaceBits) + static_cast<uint32_t>(wanted)};
    }
    const auto count = static_cast<uint32_t>((places + kItemsPerSuperblock - 1) / kItemsPerSuperblock);
    const uint32_t first = memory_.grow(count, 0, layout);
    for (uint32_t i = 0; i < count; ++i) superblocks_.push_back(first + i);
    return {first << kPlaceBits, (first + count) << kPlaceBits};
  }

  uint64_t all_places() const {
    uint64_t sum = 0;
    for (uint32_t number : superblocks_) sum += memory_.places(number);
    return sum;
  }

  uint64_t places_left() const { return places_end_ - next_place_ + reserve_.behind_a_run(); }

  void add_buckets(uint64_t count) {
    if (count > UINT32_MAX) throw Error("a hash table has more than 2^32 buckets");
    generations_.push_back({device_.template make<uint32_t>(count * SectorLine::kWords), count});
    device_.fill(generations_.back().lines.data(), count * SectorLine::kWords, 0u);
    newest_items_ = 0;
  }

  // How many items a bucket is going to get on average when there are so many.
  uint32_t spare(uint64_t items) const {
    constexpr uint32_t kUnplanned = 8;
    if (items > expected_) return kUnplanned;
    const uint64_t buckets = generations_.back().count;
    return static_cast<uint32_t>(
        std::min<uint64_t>((expected_ - items + buckets / 2) / buckets, SectorLine::kSlots));
  }

  Device& device_;
  Superblocks<Device>& memory_;
  uint32_t item_words_;
  uint64_t load_factor_;
  uint64_t items_ = 0, newest_items_ = 0, expected_ = 0;
  uint64_t slots_ = 0;  // of all runs
  std::vector<Generation> generations_;
  std::vector<uint32_t> superblocks_;         // their numbers
  uint32_t next_place_ = 0, places_end_ = 0;  // where nobody has a run yet
  Places reserve_;                            // and then here
};

}  // namespace vox
