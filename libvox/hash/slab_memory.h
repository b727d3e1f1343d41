// Where slabs lie: the allocator of SlabHash (Ashkiani et al. 2018, §V) as SVDAG editing uses it (Molenaar &
// Eisemann 2024, §4.2). A slab holds up to 32 items of one size. 1024 slabs are a block with a bitmap of
// those in use, 16 blocks a superblock, the unit in which memory grows, between batches. All item sizes share
// one numbering:
//
//   pointer to an item    superblock 13 | block 4 | slab 10 | slot 5     32 bits, stable as long as the item
//   lives number of a slab                  superblock 13 | block 4 | slab 10  the same without the slot
#pragma once

#include <cstdint>

#include "libvox/base/bits.h"
#include "libvox/base/hd.h"
#include "libvox/device/atomics.h"

namespace vox {

inline constexpr uint32_t kSlotBits = 5, kSlabBits = 10, kBlockBits = 4, kSuperblockBits = 13;
inline constexpr uint32_t kSlabsPerBlock = 1 << kSlabBits;
inline constexpr uint32_t kBlocksPerSuperblock = 1 << kBlockBits;
inline constexpr uint32_t kSlabsPerSuperblock = kSlabsPerBlock * kBlocksPerSuperblock;
inline constexpr uint32_t kBitmapWordsPerBlock = kSlabsPerBlock / 32;
inline constexpr uint32_t kBitmapWordsPerSuperblock = kBitmapWordsPerBlock * kBlocksPerSuperblock;
// The last superblock is never used, so that no pointer is kNullPointer.
inline constexpr uint32_t kMaxSuperblocks = (1 << kSuperblockBits) - 1;

inline constexpr uint32_t kNullPointer = UINT32_MAX;
inline constexpr uint32_t kNullSlab = UINT32_MAX;

struct Superblock {
  uint32_t* slabs;         // 8 B
  uint32_t* bitmap;        // 8 B, set where a slab is in use
  uint32_t slab_words;     // 4 B
  uint32_t item_words;     // 4 B
  uint32_t first_item;     // 4 B, words before the first item of a slab
  uint32_t item_distance;  // 4 B, words from one item of a slab to the next
};
static_assert(sizeof(Superblock) == 32);

// Trivially copyable view that kernel bodies capture.
struct SlabMemoryRef {
  const Superblock* superblocks;

  VOX_HD uint32_t* slab(uint32_t number) const {
    const Superblock& superblock = superblocks[number >> (kBlockBits + kSlabBits)];
    return superblock.slabs +
           static_cast<uint64_t>(number & (kSlabsPerSuperblock - 1)) * superblock.slab_words;
  }
  VOX_HD uint32_t* item(uint32_t pointer) const {
    const Superblock& superblock = superblocks[pointer >> (kBlockBits + kSlabBits + kSlotBits)];
    uint64_t slab = pointer >> kSlotBits & (kSlabsPerSuperblock - 1);
    uint32_t slot = pointer & ((1 << kSlotBits) - 1);
    return superblock.slabs + slab * superblock.slab_words + superblock.first_item +
           slot * superblock.item_distance;
  }
};

// The superblocks of one table.
struct SlabAllocatorRef {
  SlabMemoryRef memory;
  const uint32_t* superblocks;  // their numbers
  uint32_t count;
  uint32_t first_open;  // those before it are nearly full
  uint32_t* slabs_used;

  // A slab nobody uses. There is one: the host has made sure before the batch. `seed` spreads groups over the
  // blocks.
  template <class Group>
  VOX_HD uint32_t allocate(Group group, uint32_t seed) const {
    const uint32_t blocks = count * kBlocksPerSuperblock;
    uint32_t open = blocks - first_open * kBlocksPerSuperblock;
    uint32_t block = first_open * kBlocksPerSuperblock + seed % open;
    for (;; block = block + 1 == blocks ? 0 : block + 1) {
      uint32_t superblock = superblocks[block / kBlocksPerSuperblock], inner = block % kBlocksPerSuperblock;
      uint32_t* bitmap = memory.superblocks[superblock].bitmap + inner * kBitmapWordsPerBlock;
      uint32_t open_words =
          group.ballot([&](uint32_t lane) { return atomic_load(bitmap + lane) != UINT32_MAX; });
      while (open_words != 0) {
        uint32_t word = static_cast<uint32_t>(lowest_bit(open_words));
        uint32_t bit = group.once([&] { return take_bit(bitmap + word); });
        if (bit < 32) {
          group.once([&] { return atomic_add(slabs_used, 1); });
          return (superblock << kBlockBits | inner) << kSlabBits | word * 32 | bit;
        }
        open_words &= open_words - 1;
      }
    }
  }

  VOX_HD void free(uint32_t slab) const {
    uint32_t inner = slab & (kSlabsPerSuperblock - 1);
    uint32_t* bitmap = memory.superblocks[slab >> (kBlockBits + kSlabBits)].bitmap;
    atomic_and(bitmap + inner / 32, ~(1u << inner % 32));
    atomic_add(slabs_used, static_cast<uint32_t>(-1));
  }

 private:
  // Sets a clear bit of the word and returns its index, or 32 when there is none any more.
  VOX_HD static uint32_t take_bit(uint32_t* word) {
    for (uint32_t seen = atomic_load(word); seen != UINT32_MAX;) {
      uint32_t bit = static_cast<uint32_t>(lowest_bit(~seen));
      uint32_t before = atomic_or(word, 1u << bit);
      if ((before & 1u << bit) == 0) return bit;
      seen = before | 1u << bit;
    }
    return 32;
  }
};

}  // namespace vox
