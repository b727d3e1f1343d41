// Owns the slabs and buckets of one table on a device; Table (such as Accel8) says how a slab is laid out and
// walked.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "libvox/base/error.h"
#include "libvox/device/pool.h"
#include "libvox/hash/slab_memory.h"

namespace vox {

// The superblocks of all tables of one store.
template <class Device>
class SlabMemory {
 public:
  explicit SlabMemory(Device& device)
      : device_(device), directory_(device.template make<Superblock>(kMaxSuperblocks)) {}

  // Adds `count` superblocks for items of this layout, in one piece; they are the table's from `index` on.
  // Returns the number of the first.
  uint32_t grow(uint32_t count, uint32_t index, uint32_t slab_words, uint32_t item_words,
                uint32_t first_item) {
    if (used_ + count > kMaxSuperblocks)
      throw Error("the scene has more unique nodes than 32-bit pointers reach").hint("lower the resolution");
    const uint64_t slabs = uint64_t{kSlabsPerSuperblock} * slab_words,
                   words = slabs + kBitmapWordsPerSuperblock;
    Buffer<uint32_t> piece = device_.template make<uint32_t>(words * count);
    std::vector<Superblock> entries;
    for (uint32_t i = 0; i < count; ++i) {
      uint32_t* at = piece.data() + words * i;
      entries.push_back({at, at + slabs, slab_words, item_words, first_item, index + i});
      device_.fill(at + slabs, kBitmapWordsPerSuperblock, 0u);
    }
    device_.upload(directory_.data() + used_, entries.data(), count);
    pieces_.push_back(std::move(piece));
    used_ += count;
    return used_ - count;
  }

  SlabMemoryRef ref() const { return {directory_.data()}; }
  uint64_t pointer_range() const { return uint64_t{used_} << (kBlockBits + kSlabBits + kSlotBits); }

 private:
  Device& device_;
  Buffer<Superblock> directory_;
  std::vector<Buffer<uint32_t>> pieces_;
  uint32_t used_ = 0;  // superblocks
};

struct SpreadBuckets {
  const uint32_t* from;
  uint32_t* to;
  uint32_t factor;
  VOX_HD void operator()(uint64_t i) const { to[i] = from[i / factor]; }
};

template <class Device, class Table>
class SlabTable {
 public:
  static constexpr uint64_t kLoadFactor = 96;  // items per bucket aimed at (Molenaar & Eisemann 2024, §6.2)

  SlabTable(Device& device, SlabMemory<Device>& memory, uint32_t item_words)
      : device_(device), memory_(memory), item_words_(item_words) {}

  // Makes room for `count` more items, whichever buckets they fall into. Call between batches. `growth` is
  // how many times as many items as then the table is expected to hold in the end: a table that has to grow
  // searches longer.
  void reserve(uint64_t count, double growth = 1) {
    if (count == 0) return;
    if (!slabs_used_.data()) {
      slabs_used_ = device_.template make<uint32_t>(1);
      device_.fill(slabs_used_.data(), 1, 0u);
      numbers_ = device_.template make<uint32_t>(kMaxSuperblocks);
      full_ = device_.template make<uint32_t>(kMaxSuperblocks);
      device_.fill(full_.data(), kMaxSuperblocks, 0u);
    }
    grow_buckets(items_ + count, growth);
    items_ += count;
    // A bucket with x new items takes at most x / slots + 1 new slabs; a group that loses a race holds one
    // for a moment.
    const uint64_t worst = count / Table::kSlots + std::min<uint64_t>(count, bucket_count_) +
                           std::min<uint64_t>(count, Device::Group::kAtOnce);
    uint32_t used = 0;
    device_.download(&used, slabs_used_.data(), 1);
    const uint64_t capacity = uint64_t{superblocks_} * kSlabsPerSuperblock;
    if (used + worst <= capacity) return;
    const auto more =
        static_cast<uint32_t>((used + worst - capacity + kSlabsPerSuperblock - 1) / kSlabsPerSuperblock);
    const uint32_t first =
        memory_.grow(more, superblocks_, Table::slab_words(item_words_), item_words_, Table::kFirstItem);
    std::vector<uint32_t> numbers(more);
    std::iota(numbers.begin(), numbers.end(), first);
    device_.upload(numbers_.data() + superblocks_, numbers.data(), more);
    superblocks_ += more;
  }

  typename Table::Ref ref() const {
    return {{memory_.ref(), numbers_.data(), full_.data(), superblocks_, slabs_used_.data()},
            buckets_.data(),
            static_cast<uint32_t>(bucket_count_),
            item_words_};
  }

  uint64_t items() const { return items_; }

 private:
  // Keeps the load below twice the load factor.
  void grow_buckets(uint64_t items, double growth) {
    if (items <= 2 * kLoadFactor * bucket_count_) return;
    constexpr uint64_t kFewest = 256;
    const auto expected = static_cast<uint64_t>(static_cast<double>(items) * growth);
    const uint64_t wanted = std::max(kFewest, std::max(2 * items, expected) / kLoadFactor);
    const uint64_t factor = bucket_count_ == 0 ? 1 : (wanted + bucket_count_ - 1) / bucket_count_;
    const uint64_t grown_count = bucket_count_ == 0 ? wanted : bucket_count_ * factor;
    if (grown_count > UINT32_MAX) throw Error("a hash table has more than 2^32 buckets");
    Buffer<uint32_t> grown = device_.template make<uint32_t>(grown_count);
    if (bucket_count_ == 0) {
      device_.fill(grown.data(), grown_count, kNullSlab);
    } else {
      device_.for_each("grow buckets", grown_count,
                       SpreadBuckets{buckets_.data(), grown.data(), static_cast<uint32_t>(factor)});
    }
    buckets_ = std::move(grown);
    bucket_count_ = grown_count;
  }

  Device& device_;
  SlabMemory<Device>& memory_;
  uint32_t item_words_;
  uint64_t items_ = 0, bucket_count_ = 0;
  uint32_t superblocks_ = 0;
  Buffer<uint32_t> buckets_, numbers_, full_, slabs_used_;
};

}  // namespace vox
