// The host's side of the table `sector` for one item size: its buckets, the places of its items, and how many
// of both are left for later batches. Overflow sectors are shared by all sizes (tables.h).
#pragma once

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "libvox/hash/sector/buckets.h"
#include "libvox/hash/sector/chains.h"
#include "libvox/hash/sector/table_ref.h"
#include "libvox/hash/slab_memory.h"
#include "libvox/hash/table_set.h"

namespace vox::hash {

// The places for items of one size: superblocks that belong to this table, from which runs are cut one after
// the other, and a reserve of places for batches that do not involve the host.
template <class Device>
class SectorPlaces {
 public:
  SectorPlaces(Superblocks<Device>& memory, uint32_t item_words) : memory_(memory), item_words_(item_words) {}

  // Returns how many places there are for batches that do not involve the host.
  uint64_t left() const { return places_end_ - next_place_ + reserve_.behind_a_run(); }
  // Returns for how many items there is memory.
  uint64_t all() const {
    uint64_t sum = 0;
    for (uint32_t number : superblocks_) sum += memory_.places(number);
    return sum;
  }
  uint64_t superblocks() const { return superblocks_.size(); }

  // Sets where batches that do not involve the host take runs: from next_place_ on, then from the reserve.
  void describe(SectorSpace& space) const {
    space.old_place = next_place_;
    space.fits = places_end_ - next_place_;
    space.new_place = reserve_.begin;
  }
  // Removes the places that such batches have asked for from the free ones.
  void took(uint64_t asked) {
    const uint64_t had = places_end_ - next_place_, places = std::min(asked, left());
    if (places <= had)
      next_place_ += static_cast<uint32_t>(places);
    else
      begin_reserve(kLongestRun + places - had);
  }

  // Takes places for runs of `items` items together, and stores them in `space`.
  void take(SectorSpace& space, uint64_t items) {
    space.old_place = next_place_;
    space.fits = std::min<uint64_t>(items, places_end_ - next_place_);
    if (space.fits == items) {
      next_place_ += static_cast<uint32_t>(items);
      return;
    }
    const uint64_t more = kLongestRun + items - space.fits;
    if (reserve_.end - reserve_.begin < more) reserve_ = take_superblocks(more);
    space.new_place = reserve_.begin;
    begin_reserve(more);
  }

  void make_reserve(uint64_t places) { reserve_ = take_superblocks(places); }

  // Keeps the superblocks of the reserve from being released if they are few compared with the others that
  // stay.
  void keep_reserve(std::vector<uint32_t>& released) const {
    const uint32_t begin = reserve_.begin >> kPlaceBits;
    const uint32_t end = (reserve_.end + kItemsPerSuperblock - 1) >> kPlaceBits;
    const auto others = static_cast<uint32_t>(std::count_if(
        superblocks_.begin(), superblocks_.end(), [&](uint32_t number) { return released[number] == 0; }));
    if (others == 0 || end - begin > 1 + others / kFew) return;
    std::fill(released.begin() + begin, released.begin() + end, 0u);
  }
  // Forgets the superblocks that the table is about to lose.
  void lose(const std::vector<uint32_t>& released) {
    std::erase_if(superblocks_, [&](uint32_t number) { return released[number] != 0; });
    if (places_end_ > 0 && released[(places_end_ - 1) >> kPlaceBits] != 0) next_place_ = places_end_ = 0;
    if (reserve_.begin < reserve_.end && released[reserve_.begin >> kPlaceBits] != 0) reserve_ = {};
  }

 private:
  static constexpr uint32_t kFew = 8;  // one in this many superblocks may be a reserve
  static constexpr uint32_t kSlotsPerSlab = 1 << kSlotBits, kPlaceBits = kBlockBits + kSlabBits + kSlotBits;

  // Places that no run has taken yet.
  struct Places {
    uint32_t begin = 0, end = 0;
    // Returns how many there are without the first kLongestRun, which are for the one run that no longer fits
    // in the previous places.
    uint64_t behind_a_run() const { return end - begin > kLongestRun ? end - begin - kLongestRun : 0; }
  };

  // Makes the reserve the source of runs. Its first `taken` places are already taken.
  void begin_reserve(uint64_t taken) {
    next_place_ = reserve_.begin + static_cast<uint32_t>(taken);
    places_end_ = std::exchange(reserve_, {}).end;
  }

  Places take_superblocks(uint64_t places) {
    const SlabLayout layout = SlabLayout::contiguous(kSlotsPerSlab * item_words_, 0, item_words_);
    const uint32_t slabs =
        memory_.slabs_to_take(all() / kSlotsPerSlab, (places + kSlotsPerSlab - 1) / kSlotsPerSlab);
    if (slabs < kSlabsPerSuperblock) {
      const uint32_t number = memory_.grow(1, 0, layout, slabs);
      superblocks_.push_back(number);
      return {number << kPlaceBits, (number << kPlaceBits) + slabs * kSlotsPerSlab};
    }
    const auto count = static_cast<uint32_t>((places + kItemsPerSuperblock - 1) / kItemsPerSuperblock);
    const uint32_t first = memory_.grow(count, 0, layout);
    for (uint32_t i = 0; i < count; ++i) superblocks_.push_back(first + i);
    return {first << kPlaceBits, (first + count) << kPlaceBits};
  }

  Superblocks<Device>& memory_;
  uint32_t item_words_;
  std::vector<uint32_t> superblocks_;         // their numbers
  uint32_t next_place_ = 0, places_end_ = 0;  // the places from which runs are cut
  Places reserve_;                            // the places from which runs are cut next
};

template <class Device>
class SectorTable {
 public:
  SectorTable(Device& device, Superblocks<Device>& memory, uint32_t item_words, uint32_t load_factor)
      : memory_(memory),
        item_words_(item_words),
        buckets_(device, load_factor),
        places_(memory, item_words) {}

  const SectorBucketSets<Device>& buckets() const { return buckets_; }
  SectorBucketSets<Device>& buckets() { return buckets_; }

  // For sorted batches (plan.h): returns the buckets into which `count` items are inserted. `first` is the
  // number of the first of these buckets among the buckets of all sizes.
  SectorSpace space(uint32_t first, uint64_t count) const {
    SectorSpace space;
    space.lines = buckets_.newest_lines();
    space.first_bucket = first;
    space.spare = buckets_.spare(buckets_.items() + count, item_words_);
    return space;
  }
  // Takes places for runs of `granules` granules together. `granules_below` is how many granules the smaller sizes take
  // before them.
  void take_runs(SectorSpace& space, uint64_t granules_below, uint64_t granules) {
    space.granules_below = granules_below;
    places_.take(space, granules * kGranule);
    slots_ += granules * kGranule;
  }

  // For batches that do not involve the host (chains.h): sets how much room they have.
  void limits(SectorLimits& limits) const {
    SectorSpace& space = limits.spaces.of_size[item_words_];
    places_.describe(space);
    space.spare = buckets_.spare(buckets_.items() + 1, item_words_);
    limits.places[item_words_] = places_.left();
    limits.missing[item_words_] = buckets_.items_before_full();
  }
  // Counts the room that such batches have asked for, and the items that they have inserted.
  void took(const SectorRoom::OfSize& room, uint64_t items) {
    slots_ += room.places - room.refused_places;
    buckets_.count_items(items);
    places_.took(room.places);
  }
  // Makes the room that such batches lacked.
  void make_room(const SectorRoom::OfSize& room, double growth) {
    if (room.refused_items > 0) buckets_.reserve(room.refused_items, growth);
    if (room.refused_places > places_.left()) places_.make_reserve(room.refused_places + kLongestRun);
  }
  // Makes a reserve, so that batches which ask for as much as these did will have enough room for some time.
  void make_reserve(const SectorRoom::OfSize& room, uint64_t items, double growth) {
    constexpr uint64_t kOften = 8;
    if (places_.left() < 2 * room.places)
      places_.make_reserve(std::max(kOften * room.places, buckets_.items() / kShare));
    if (buckets_.items_before_full() < 2 * items) buckets_.reserve(2 * items, growth);
  }
  // Makes a reserve before the first such batch: buckets for a few items, and places for a share of this table's
  // items or of the items of all tables. The places are whole superblocks; if the share is smaller than one, there
  // are none.
  void make_first_reserve(uint64_t all_items) {
    constexpr uint64_t kFewItems = 1 << 16;
    const uint64_t share = std::max(buckets_.items(), all_items / kMaxItemWords) / kShare;
    const uint64_t places = share / kItemsPerSuperblock * kItemsPerSuperblock;
    if (places_.left() < places) places_.make_reserve(places);
    buckets_.reserve_apart(kFewItems);
  }
  void keep_reserve(std::vector<uint32_t>& released) const { places_.keep_reserve(released); }

  SectorTableRef ref(const uint32_t* overflow) const {
    SectorTableRef ref = {memory_.ref(), overflow, item_words_, 0, {}};
    buckets_.fill_ref(ref);
    return ref;
  }

  // Forgets the superblocks that the table is about to lose after a sweep, and counts the rest.
  void adopt(const std::vector<uint32_t>& released, const uint32_t* overflow) {
    places_.lose(released);
    slots_ = buckets_.count_again(overflow);
  }

  TableMemory memory(const uint32_t* overflow) const {
    const std::vector<uint64_t> lengths = buckets_.chain_lengths(overflow);
    uint64_t headers = 0;
    for (size_t length = 0; length < lengths.size(); ++length) headers += length * lengths[length];
    const uint64_t buckets = buckets_.count();
    TableMemory memory = layout_memory(item_words_, buckets_.items(), slots_, buckets, headers - buckets);
    memory.chain_lengths = lengths;
    memory.slack_bytes = (places_.all() - slots_) * item_words_ * 4;
    memory.bitmap_bytes = places_.superblocks() * kBitmapWordsPerSuperblock * 4;
    return memory;
  }

  // Returns the memory of this many buckets, item slots and overflow sectors.
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
  static constexpr uint64_t kShare = 32;  // for this many items, one place in reserve

  Superblocks<Device>& memory_;
  uint32_t item_words_;
  SectorBucketSets<Device> buckets_;
  SectorPlaces<Device> places_;
  uint64_t slots_ = 0;  // slots of all runs
};

}  // namespace vox::hash
