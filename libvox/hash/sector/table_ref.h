// The search in the table `sector` (layout.h describes the layout), with one thread for each item.
#pragma once

#include "libvox/hash/batch.h"
#include "libvox/hash/sector/layout.h"
#include "libvox/hash/slab/table_ref.h"

namespace vox::hash {

// A generation: the buckets of one item size that were made at the same time. A table that outgrows its
// buckets gets a further generation for later items. Stored items stay where they are.
struct SectorBuckets {
  uint32_t* lines;  // 8 B
  uint32_t count;   // 4 B
  uint32_t first;   // 4 B, index of the first among the buckets of all sizes that get items

  VOX_HD uint32_t* line(uint64_t hash) const {
    return lines + uint64_t{bucket_of(hash, count)} * SectorLine::kWords;
  }
};
static_assert(sizeof(SectorBuckets) == 16);

// The trivially copyable view of a table, which kernel bodies capture.
struct SectorTableRef {
  static constexpr uint32_t kMaxGenerations = 8;

  SlabMemoryRef memory;
  const uint32_t* overflow;  // sectors
  uint32_t item_words;
  uint32_t generations;
  SectorBuckets buckets[kMaxGenerations];  // the last one gets insertions

  // Prefetches the lines that find() reads.
  VOX_HD void prefetch(uint64_t hash) const {
    for (uint32_t generation = 0; generation < generations; ++generation) {
      const uint32_t* line = buckets[generation].line(hash);
      prefetch_line(line);
      prefetch_line(line + 16);
    }
  }
  // Prefetches what these lines lead to: the items with the same fingerprint, and the first overflow sector.
  // An item that is not stored is searched for in all of them, and most lines have an item with its
  // fingerprint by chance.
  VOX_HD void prefetch_candidates(uint64_t hash) const {
    for (uint32_t generation = 0; generation < generations; ++generation) {
      const uint32_t* line = buckets[generation].line(hash);
      SlotMask same = match_bytes<SectorLine::kSlots>(line, byte_fingerprint(hash));
      while (same.any()) prefetch_line(item_at(slot_pointer<SectorLine>(line, same.take_lowest())));
      const uint32_t number = line[SectorLine::kNextWord];
      if (number != kNoSector) prefetch_line(overflow + uint64_t{number} * SectorOverflow::kWords);
    }
  }

  // Returns the pointer to the item, or kNullPointer.
  template <class Probe>
  VOX_HD uint32_t find(const uint32_t* item, uint64_t hash, Probe& probe) const {
    uint32_t found = kNullPointer;
    for (uint32_t generation = generations; generation-- > 0 && found == kNullPointer;) {
      const uint32_t* line = buckets[generation].line(hash);
      probe.touch(line, SectorLine::kWords * 4);
      SlotMask same = match_bytes<SectorLine::kSlots>(line, byte_fingerprint(hash));
      while (same.any() && found == kNullPointer)
        found = check(slot_pointer<SectorLine>(line, same.take_lowest()), item, probe);
      if (found == kNullPointer) found = find_in_overflow(line[SectorLine::kNextWord], item, hash, probe);
    }
    return found;
  }

  // Searches the overflow sectors of a bucket, beginning with sector `number`.
  template <class Probe>
  VOX_HD uint32_t find_in_overflow(uint32_t number, const uint32_t* item, uint64_t hash, Probe& probe) const {
    uint32_t found = kNullPointer;
    while (number != kNoSector && found == kNullPointer) {
      const uint32_t* sector = overflow + uint64_t{number} * SectorOverflow::kWords;
      probe.touch(sector, SectorOverflow::kWords * 4);
      SlotMask same = match_bytes<SectorOverflow::kSlots>(sector, byte_fingerprint(hash));
      while (same.any() && found == kNullPointer)
        found = check(slot_pointer<SectorOverflow>(sector, same.take_lowest()), item, probe);
      number = sector[SectorOverflow::kNextWord];
    }
    return found;
  }

  VOX_HD const uint32_t* item_at(uint32_t pointer) const {
    return memory.superblocks[pointer / kItemsPerSuperblock].slabs +
           uint64_t{pointer % kItemsPerSuperblock} * item_words;
  }

 private:
  // Returns the pointer if the wanted item is there, else kNullPointer.
  template <class Probe>
  VOX_HD uint32_t check(uint32_t pointer, const uint32_t* item, Probe& probe) const {
    const uint32_t* there = item_at(pointer);
    probe.touch(there, item_words * 4);
#ifdef __CUDA_ARCH__
    // All words are read at once, which is faster than waiting for one after the other.
    uint32_t differ = 0;
#pragma unroll
    for (uint32_t word = 0; word < kMaxItemWords; ++word)
      if (word < item_words) differ |= there[word] ^ item[word];
    return differ == 0 ? pointer : kNullPointer;
#else
    return same_words(ItemRef(there), item, item_words) ? pointer : kNullPointer;
#endif
  }
};

}  // namespace vox::hash
