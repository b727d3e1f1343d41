// The memory of slabs: the allocator of SlabHash (Ashkiani et al. 2018, §V) in the form in which SVDAG
// editing uses it (Molenaar & Eisemann 2024, §4.2). A slab holds up to 32 items of one size. A block is 1024
// slabs with a bitmap of the slabs in use. A superblock is 16 blocks, and is the unit in which memory grows
// between batches. Small tables have only a part of one. All item sizes share one numbering:
//
//   pointer to an item   superblock 13 | block 4 | slab 10 | slot 5   32 bits, stable while the item lives
//   number of a slab     superblock 13 | block 4 | slab 10            27 bits, the same without the slot
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "libvox/base/bits.h"
#include "libvox/base/error.h"
#include "libvox/base/hd.h"
#include "libvox/device/atomics.h"
#include "libvox/device/pool.h"
#include "libvox/hash/batch.h"

namespace vox::hash {

inline constexpr uint32_t kSlotBits = 5, kSlabBits = 10, kBlockBits = 4, kSuperblockBits = 13;
inline constexpr uint32_t kSlabsPerBlock = 1 << kSlabBits;
inline constexpr uint32_t kBlocksPerSuperblock = 1 << kBlockBits;
inline constexpr uint32_t kSlabsPerSuperblock = kSlabsPerBlock * kBlocksPerSuperblock;
inline constexpr uint32_t kItemsPerSuperblock = 1 << (kBlockBits + kSlabBits + kSlotBits);
inline constexpr uint32_t kBitmapWordsPerBlock = kSlabsPerBlock / 32;
inline constexpr uint32_t kBitmapWordsPerSuperblock = kBitmapWordsPerBlock * kBlocksPerSuperblock;
// The last superblock is never used, so that no pointer is kNullPointer.
inline constexpr uint32_t kMaxSuperblocks = (1 << kSuperblockBits) - 1;

inline constexpr uint32_t kNullPointer = UINT32_MAX;
inline constexpr uint32_t kNullSlab = UINT32_MAX;

// The layout of the slabs of one table, in words. An item's first two words may lie apart from the others.
struct SlabLayout {
  uint16_t slab_words;  // 2 B
  uint16_t head_first;  // 2 B, the place of word 0 of slot 0
  uint16_t head_words;  // 2 B, distance from one slot to the next
  uint16_t tail_first;  // 2 B, 2 less than the place of word 2 of slot 0
  uint16_t tail_words;  // 2 B, distance from one slot to the next

  // Returns a layout of whole items, one behind the other, after the first `first` words.
  static constexpr SlabLayout contiguous(uint32_t slab_words, uint32_t first, uint32_t item_words) {
    const auto at = static_cast<uint16_t>(first), step = static_cast<uint16_t>(item_words);
    return {static_cast<uint16_t>(slab_words), at, step, at, step};
  }
};
static_assert(sizeof(SlabLayout) == 10);

struct Superblock {
  uint32_t* slabs;      // 8 B
  uint32_t* bitmap;     // 8 B, a bit for each slab, set if it is in use
  uint32_t index;       // 4 B, its index among the superblocks of its table
  SlabLayout layout;    // 10 B
  uint16_t slab_count;  // 2 B, number of slabs with memory; higher numbers are not slabs
};
static_assert(sizeof(Superblock) == 32);

// The trivially copyable view of the memory of all slabs, which kernel bodies capture.
struct SlabMemoryRef {
  const Superblock* superblocks;

  // Returns a slab of a table whose slabs have this size.
  VOX_HD uint32_t* slab(uint32_t number, uint32_t slab_words) const {
    return superblocks[number >> (kBlockBits + kSlabBits)].slabs +
           static_cast<uint64_t>(number & (kSlabsPerSuperblock - 1)) * slab_words;
  }
  // Returns the place of an item in a table that stores its items whole. Such a table writes it there.
  VOX_HD uint32_t* whole_item(uint32_t pointer) const {
    const Superblock& superblock = superblocks[pointer >> (kBlockBits + kSlabBits + kSlotBits)];
    return superblock.slabs +
           static_cast<uint64_t>(pointer >> kSlotBits & (kSlabsPerSuperblock - 1)) *
               superblock.layout.slab_words +
           superblock.layout.head_first + (pointer & ((1 << kSlotBits) - 1)) * superblock.layout.head_words;
  }
  VOX_HD ItemRef item(uint32_t pointer) const {
    const Superblock& superblock = superblocks[pointer >> (kBlockBits + kSlabBits + kSlotBits)];
    uint64_t slab = pointer >> kSlotBits & (kSlabsPerSuperblock - 1);
    uint32_t slot = pointer & ((1 << kSlotBits) - 1);
    const uint32_t* words = superblock.slabs + slab * superblock.layout.slab_words;
    return {words + superblock.layout.head_first + slot * superblock.layout.head_words,
            words + superblock.layout.tail_first + slot * superblock.layout.tail_words};
  }
};

// The superblocks of one table.
struct SlabAllocatorRef {
  SlabMemoryRef memory;
  const uint32_t* superblocks;  // their numbers
  uint32_t* full;               // for each superblock, a bit for each block without a free slab
  uint32_t count;
  uint32_t* slabs_used;

  static constexpr uint32_t kAllFull = (1u << kBlocksPerSuperblock) - 1;

  // Takes a slab that is not in use and returns its number. There must be one, which the host ensures before
  // the batch. `seed` spreads groups over the blocks.
  template <class Group>
  VOX_HD uint32_t allocate(Group group, uint32_t seed) const {
    for (uint32_t first = seed % count;; first = (first + 32) % count) {
      const uint32_t open = group.ballot([&](uint32_t lane) {
        return lane < count && device::atomic_load_relaxed(full + (first + lane) % count) != kAllFull;
      });
      if (open == 0) continue;
      const uint32_t index = (first + static_cast<uint32_t>(lowest_bit(open))) % count;
      const uint32_t slab = allocate_in(group, index, seed >> 16);
      if (slab != kNullSlab) return slab;
    }
  }

  VOX_HD void free(uint32_t slab) const {
    const uint32_t inner = slab & (kSlabsPerSuperblock - 1);
    const Superblock& superblock = memory.superblocks[slab >> (kBlockBits + kSlabBits)];
    device::atomic_and(superblock.bitmap + inner / 32, ~(1u << inner % 32));
    device::memory_fence();
    device::atomic_and(full + superblock.index, ~(1u << inner / kSlabsPerBlock));
    device::atomic_add(slabs_used, static_cast<uint32_t>(-1));
  }

 private:
  // Takes a slab of this superblock, or returns kNullSlab. Marks blocks that turn out to be full.
  template <class Group>
  VOX_HD uint32_t allocate_in(Group group, uint32_t index, uint32_t seed) const {
    const uint32_t number = superblocks[index];
    for (uint32_t i = 0; i < kBlocksPerSuperblock; ++i) {
      const uint32_t block = (seed + i) % kBlocksPerSuperblock;
      if (group.once([&] { return device::atomic_load_relaxed(full + index) >> block & 1; }) != 0) continue;
      uint32_t* bitmap = memory.superblocks[number].bitmap + block * kBitmapWordsPerBlock;
      uint32_t open_words = group.ballot(
          [&](uint32_t lane) { return device::atomic_load_relaxed(bitmap + lane) != UINT32_MAX; });
      for (; open_words != 0; open_words &= open_words - 1) {
        const uint32_t word = static_cast<uint32_t>(lowest_bit(open_words));
        const uint32_t bit = group.once([&] { return take_bit(bitmap + word); });
        if (bit == 32) continue;
        group.once([&] { device::atomic_add(slabs_used, 1); });
        return (number << kBlockBits | block) << kSlabBits | word * 32 | bit;
      }
      mark_full(group, index, block, bitmap);
    }
    return kNullSlab;
  }

  // Marks a block as full. free() clears a slab's bit before the block's mark, and this function reads the
  // bits again after setting the mark. Whichever comes last, a block with a free slab does not stay marked.
  template <class Group>
  VOX_HD void mark_full(Group group, uint32_t index, uint32_t block, const uint32_t* bitmap) const {
    group.once([&] { device::atomic_or(full + index, 1u << block); });
    device::memory_fence();
    if (group.ballot(
            [&](uint32_t lane) { return device::atomic_load_relaxed(bitmap + lane) != UINT32_MAX; }) != 0)
      group.once([&] { device::atomic_and(full + index, ~(1u << block)); });
  }

  // Sets a clear bit of the word and returns its index, or 32 if no bit is clear.
  VOX_HD static uint32_t take_bit(uint32_t* word) {
    for (uint32_t seen = device::atomic_load_relaxed(word); seen != UINT32_MAX;) {
      uint32_t bit = static_cast<uint32_t>(lowest_bit(~seen));
      uint32_t before = device::atomic_or(word, 1u << bit);
      if ((before & 1u << bit) == 0) return bit;
      seen = before | 1u << bit;
    }
    return 32;
  }
};

// Flags the superblocks that have a marked pointer. `flags` has a word for each superblock, by its number.
// The marks of a superblock, a bit for each pointer, are read in strips, each only up to its first mark.
struct FlagMarked {
  static constexpr uint32_t kMarkWords = kSlabsPerSuperblock, kStrips = 64;
  const uint32_t* marks;
  uint32_t* flags;
  VOX_HD void operator()(uint64_t i) const {
    const uint32_t* strip = marks + i * (kMarkWords / kStrips);
    for (uint32_t word = 0; word < kMarkWords / kStrips; ++word)
      if (strip[word] != 0) {
        if (device::atomic_load_relaxed(flags + i / kStrips) == 0)
          device::atomic_or_relaxed(flags + i / kStrips, 1);
        return;
      }
  }
};

// Marks slabs without memory as in use, so that they are never taken.
struct StartBitmaps {
  uint32_t* bitmaps;
  uint32_t slabs;  // per superblock; fills whole words of its bitmap
  VOX_HD void operator()(uint64_t i) const {
    bitmaps[i] = i % kBitmapWordsPerSuperblock * 32 < slabs ? 0 : UINT32_MAX;
  }
};

// The superblocks of all tables of one set.
template <class Device>
class Superblocks {
 public:
  explicit Superblocks(Device& device)
      : device_(device), directory_(device.template make<Superblock>(kMaxSuperblocks)) {}

  // Adds `count` superblocks of this layout, with successive numbers, and returns the number of the first.
  // Their indices in their table begin at `index`. The first `slabs` slabs of each have memory; `slabs` must
  // be a multiple of 32.
  uint32_t grow(uint32_t count, uint32_t index, const SlabLayout& layout,
                uint32_t slabs = kSlabsPerSuperblock) {
    const uint32_t first = free_numbers(count);
    // Large amounts of memory are taken in few allocations, in pieces that are still small enough to be given
    // back.
    constexpr uint32_t kMostPieces = 16;
    const uint32_t each = (count + kMostPieces - 1) / kMostPieces;
    std::vector<Piece> pieces;
    std::vector<Superblock> entries;
    for (uint32_t i = 0; i < count; i += each)
      pieces.push_back(make_piece(first + i, std::min(each, count - i), index + i, layout, slabs, entries));
    device_.upload(directory_.data() + first, entries.data(), count);
    entries_.resize(std::max<size_t>(entries_.size(), first + count));
    std::copy(entries.begin(), entries.end(), entries_.begin() + first);
    for (Piece& piece : pieces) pieces_.push_back(std::move(piece));
    return first;
  }

  // Returns which superblocks can be given back once the items without a mark are gone: a word for each
  // number, 1 or 0. If memory was taken for several superblocks at once, they form a piece and can only go
  // together.
  std::vector<uint32_t> without_marks(const uint32_t* marks) const {
    std::vector<uint32_t> marked(entries_.size()), result(entries_.size());
    if (marked.empty()) return result;
    auto flags = device_.template make<uint32_t>(marked.size());
    device_.fill(flags.data(), marked.size(), 0u);
    device_.for_each("sweep: superblocks", uint64_t{FlagMarked::kStrips} * marked.size(),
                     FlagMarked{marks, flags.data()});
    device_.download(marked.data(), flags.data(), marked.size());
    for (const Piece& piece : pieces_) {
      const auto begin = marked.begin() + piece.first, end = begin + piece.count;
      if (std::find(begin, end, 1u) == end) std::fill_n(result.begin() + piece.first, piece.count, 1u);
    }
    return result;
  }

  // Sets the order in which a table has the superblocks with these numbers. It takes effect at the next
  // release().
  void set_order(const std::vector<uint32_t>& numbers) {
    for (uint32_t i = 0; i < numbers.size(); ++i) entries_[numbers[i]].index = i;
  }

  // Gives back the superblocks that without_marks() named. Nothing may refer to them any more. Their numbers
  // are used again.
  void release(const std::vector<uint32_t>& released) {
    device_.sync();
    for (const Piece& piece : pieces_)
      if (released[piece.first] != 0) std::fill_n(entries_.begin() + piece.first, piece.count, Superblock{});
    std::erase_if(pieces_, [&](const Piece& piece) { return released[piece.first] != 0; });
    while (!entries_.empty() && !entries_.back().slabs) entries_.pop_back();
    device_.upload(directory_.data(), entries_.data(), entries_.size());
  }

  SlabMemoryRef ref() const { return {directory_.data()}; }
  // Returns for how many items there is memory.
  uint64_t places() const {
    uint64_t slabs = 0;
    for (const Superblock& entry : entries_) slabs += entry.slab_count;
    return slabs << kSlotBits;
  }
  uint64_t places(uint32_t number) const { return uint64_t{entries_[number].slab_count} << kSlotBits; }
  // Returns how many slabs to take for a table that has `has` slabs and needs `more`. A whole superblock for
  // every item size would be a hundred times what a small scene needs. A table that is smaller than a superblock
  // therefore takes a part of one, as large as all that it has. From kSlabsPerSuperblock on, it takes whole
  // ones.
  uint32_t slabs_to_take(uint64_t has, uint64_t more) const {
    constexpr uint64_t kFewest = 1 << 8, kFew = 8;
    return static_cast<uint32_t>(std::min<uint64_t>(
        std::bit_ceil(std::max({more, has, (places() >> kSlotBits) / kFew, kFewest})), kSlabsPerSuperblock));
  }
  // Returns for each superblock, by its number, how many of these places lie before it.
  std::vector<uint32_t> first_places() const {
    std::vector<uint32_t> first;
    uint64_t before = 0;
    for (const Superblock& entry : entries_) {
      first.push_back(static_cast<uint32_t>(before));  // there are fewer than 2^32
      before += uint64_t{entry.slab_count} << kSlotBits;
    }
    return first;
  }
  uint64_t pointer_range() const { return uint64_t{entries_.size()} << (kBlockBits + kSlabBits + kSlotBits); }

 private:
  struct Piece {
    device::Buffer<uint32_t> memory;
    uint32_t first, count;  // numbers of its superblocks
  };

  Piece make_piece(uint32_t first, uint32_t count, uint32_t index, const SlabLayout& layout,
                   uint32_t slabs_each, std::vector<Superblock>& entries) const {
    const uint64_t slab_words = uint64_t{slabs_each} * layout.slab_words;
    Piece piece = {device_.template make<uint32_t>((slab_words + kBitmapWordsPerSuperblock) * count), first,
                   count};
    uint32_t* slabs = piece.memory.data();
    uint32_t* bitmaps = slabs + slab_words * count;
    device_.for_each({"start bitmaps", 4}, uint64_t{kBitmapWordsPerSuperblock} * count,
                     StartBitmaps{bitmaps, slabs_each});
    for (uint32_t i = 0; i < count; ++i)
      entries.push_back({slabs + slab_words * i, bitmaps + uint64_t{kBitmapWordsPerSuperblock} * i, index + i,
                         layout, static_cast<uint16_t>(slabs_each)});
    return piece;
  }

  // Returns the lowest of `count` successive numbers that are not in use.
  uint32_t free_numbers(uint32_t count) const {
    uint32_t first = 0;
    for (uint32_t number = 0; number < entries_.size() && number - first < count; ++number)
      if (entries_[number].slabs) first = number + 1;
    if (first + count > kMaxSuperblocks)
      throw Error("the scene has more unique nodes than 32-bit pointers can address")
          .hint("lower the resolution");
    return first;
  }

  Device& device_;
  device::Buffer<Superblock> directory_;
  std::vector<Superblock> entries_;  // the directory on the host; unused numbers have no slabs
  std::vector<Piece> pieces_;
};

}  // namespace vox::hash
