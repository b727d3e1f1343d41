// Owns the memory of slabs (slab_memory.h).
#pragma once

#include <algorithm>
#include <bit>
#include <vector>

#include "libvox/base/error.h"
#include "libvox/device/pool.h"
#include "libvox/hash/slab_memory.h"

namespace vox::hash {

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
  // Returns how many slabs a table takes that has `has` of them and needs `more`. A whole superblock for
  // every item size would be a hundred times what a small scene needs. A table that is smaller than a
  // superblock therefore takes a part of one, as large as all that it has. From kSlabsPerSuperblock on, it
  // takes whole ones.
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
