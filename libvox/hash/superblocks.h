// Owns the memory that slabs lie in (slab_memory.h).
#pragma once

#include <vector>

#include "libvox/base/error.h"
#include "libvox/device/pool.h"
#include "libvox/hash/slab_memory.h"

namespace vox {

// The superblocks of all tables of one set.
template <class Device>
class Superblocks {
 public:
  explicit Superblocks(Device& device)
      : device_(device), directory_(device.template make<Superblock>(kMaxSuperblocks)) {}

  // Adds `count` superblocks of this layout, in one piece; they are the table's from `index` on. Returns the
  // number of the first.
  uint32_t grow(uint32_t count, uint32_t index, const SlabLayout& layout) {
    if (used_ + count > kMaxSuperblocks)
      throw Error("the scene has more unique nodes than 32-bit pointers reach").hint("lower the resolution");
    const uint64_t slab_words = uint64_t{kSlabsPerSuperblock} * layout.slab_words;
    Buffer<uint32_t> piece =
        device_.template make<uint32_t>((slab_words + kBitmapWordsPerSuperblock) * count);
    uint32_t* bitmaps = piece.data() + slab_words * count;
    device_.fill(bitmaps, uint64_t{kBitmapWordsPerSuperblock} * count, 0u);
    std::vector<Superblock> entries;
    for (uint32_t i = 0; i < count; ++i)
      entries.push_back({piece.data() + slab_words * i, bitmaps + uint64_t{kBitmapWordsPerSuperblock} * i,
                         index + i, layout, 0});
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

}  // namespace vox
