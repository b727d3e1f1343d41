// The host's side of the table `sector` for one item size: its buckets, the places of its items, and how many
// of both are left for later batches. Overflow sectors are shared by all sizes (tables.h).
#pragma once

#include "libvox/hash/sector/buckets.h"
#include "libvox/hash/sector/chains.h"
#include "libvox/hash/sector/places.h"
#include "libvox/hash/table_memory.h"

namespace vox::hash {

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
  // Takes places for runs of `granules` granules together. The granules of smaller sizes are counted before
  // them.
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
  // Makes a reserve before the first such batch: places for a share of this table's items, or of the items of
  // all tables, but none if a superblock would be too much; and buckets for a few items.
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
  static constexpr uint64_t kShare = 32;  // one place in reserve for this many items

  Superblocks<Device>& memory_;
  uint32_t item_words_;
  SectorBucketSets<Device> buckets_;
  SectorPlaces<Device> places_;
  uint64_t slots_ = 0;  // slots of all runs
};

}  // namespace vox::hash
