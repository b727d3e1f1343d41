// The places for items of one size: superblocks that belong to this table, from which runs are cut one after
// the other, and a reserve of places for batches that do not involve the host.
#pragma once

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "libvox/hash/sector/spaces.h"
#include "libvox/hash/superblocks.h"

namespace vox::hash {

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
  static constexpr uint32_t kFew = 8;  // a reserve may be one in this many superblocks
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

}  // namespace vox::hash
