// The places of the items of one size: superblocks of the table's own, which runs are cut from one behind the
// other, and a reserve of them for batches that do not ask the host.
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

  // How many places batches can take that do not ask.
  uint64_t left() const { return places_end_ - next_place_ + reserve_.behind_a_run(); }
  // All that there is memory for.
  uint64_t all() const {
    uint64_t sum = 0;
    for (uint32_t number : superblocks_) sum += memory_.places(number);
    return sum;
  }
  uint64_t superblocks() const { return superblocks_.size(); }

  // Where batches that do not ask take runs: from next_place_ on, then from the reserve.
  void describe(SectorSpace& space) const {
    space.old_place = next_place_;
    space.fits = places_end_ - next_place_;
    space.new_place = reserve_.begin;
  }
  // They have asked for so many.
  void took(uint64_t asked) {
    const uint64_t had = places_end_ - next_place_, places = std::min(asked, left());
    if (places <= had)
      next_place_ += static_cast<uint32_t>(places);
    else
      begin_reserve(kLongestRun + places - had);
  }

  // Takes memory for runs of so many items together; where they lie is for the space.
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

  // Superblocks of the reserve are not given back, where they are few beside others that stay.
  void keep_reserve(std::vector<uint32_t>& released) const {
    const uint32_t begin = reserve_.begin >> kPlaceBits;
    const uint32_t end = (reserve_.end + kItemsPerSuperblock - 1) >> kPlaceBits;
    const auto others = static_cast<uint32_t>(std::count_if(
        superblocks_.begin(), superblocks_.end(), [&](uint32_t number) { return released[number] == 0; }));
    if (others == 0 || end - begin > 1 + others / kFew) return;
    std::fill(released.begin() + begin, released.begin() + end, 0u);
  }
  // The table is about to lose these superblocks.
  void lose(const std::vector<uint32_t>& released) {
    std::erase_if(superblocks_, [&](uint32_t number) { return released[number] != 0; });
    if (places_end_ > 0 && released[(places_end_ - 1) >> kPlaceBits] != 0) next_place_ = places_end_ = 0;
    if (reserve_.begin < reserve_.end && released[reserve_.begin >> kPlaceBits] != 0) reserve_ = {};
  }

 private:
  static constexpr uint32_t kFew = 8;  // one in so many superblocks
  static constexpr uint32_t kSlotsPerSlab = 1 << kSlotBits, kPlaceBits = kBlockBits + kSlabBits + kSlotBits;

  // Places where nobody has a run yet.
  struct Places {
    uint32_t begin = 0, end = 0;
    // How many there are behind the one run that other places end in.
    uint64_t behind_a_run() const { return end - begin > kLongestRun ? end - begin - kLongestRun : 0; }
  };

  // The reserve is where runs go from now on; its first `taken` places have theirs.
  void begin_reserve(uint64_t taken) {
    next_place_ = reserve_.begin + static_cast<uint32_t>(taken);
    places_end_ = std::exchange(reserve_, {}).end;
  }

  // Whole superblocks where there are as many items. Before that parts of one, each as large as all that the
  // table has, since a superblock of every item size would be a hundred times what a small scene takes.
  Places take_superblocks(uint64_t places) {
    constexpr uint64_t kFewest = 1 << 13;
    const uint64_t wanted = std::bit_ceil(std::max({places, all(), memory_.places() / kFew, kFewest}));
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

  Superblocks<Device>& memory_;
  uint32_t item_words_;
  std::vector<uint32_t> superblocks_;         // their numbers
  uint32_t next_place_ = 0, places_end_ = 0;  // where nobody has a run yet
  Places reserve_;                            // and then here
};

}  // namespace vox::hash
