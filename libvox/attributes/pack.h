// Packs values on a device: chunk by chunk, as a scene is built.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "libvox/attributes/packed_values.h"
#include "libvox/device/device.h"
#include "libvox/device/pool.h"

namespace vox::attributes {

// The different values of a block, in the order in which they first occur.
class BlockPalette {
 public:
  // The most values of a palette. A block with more is plain: indices and a palette would take as many bytes.
  VOX_HD static uint32_t most(uint32_t value_bits) {
    uint32_t most = kBlockValues;
    while (block_bytes(bits_for(most), most, value_bits) >= block_bytes(kPlainBlock, 0, value_bits) &&
           most > 1)
      --most;
    return most;
  }

  VOX_HD BlockPalette(const uint32_t* values, uint32_t count, uint32_t most) {
    for (uint32_t i = 0; i < count; ++i) {
      if (size_ > 0 && values[i] == entries_[last_]) continue;
      last_ = index_of(values[i]);
      if (last_ < size_) continue;
      if (size_ == most) {
        plain_ = true;
        return;
      }
      entries_[size_++] = values[i];
    }
  }

  VOX_HD uint32_t width() const { return plain_ ? kPlainBlock : bits_for(size_); }
  VOX_HD uint32_t size() const { return size_; }
  VOX_HD uint32_t operator[](uint32_t index) const { return entries_[index]; }
  // Returns size() if the palette does not have the value.
  VOX_HD uint32_t index_of(uint32_t value) const {
    uint32_t index = 0;
    while (index < size_ && entries_[index] != value) ++index;
    return index;
  }

 private:
  VOX_HD static uint32_t bits_for(uint32_t count) {
    uint32_t bits = 0;
    while (1u << bits < count) ++bits;
    return bits;
  }

  uint32_t entries_[kBlockValues];
  uint32_t size_ = 0, last_ = 0;
  bool plain_ = false;
};

// The values of whole groups. If the list ends inside of a block, its last value fills the rest of the block.
struct UnpackedRef {
  const uint32_t* values;
  uint64_t count;
  uint32_t value_bits, most;  // `most` is BlockPalette::most()

  VOX_HD uint32_t size_of(uint64_t block) const {
    const uint64_t first = block * kBlockValues;
    return first >= count                 ? 0
           : count - first < kBlockValues ? static_cast<uint32_t>(count - first)
                                          : kBlockValues;
  }
  VOX_HD BlockPalette palette(uint64_t block) const {
    return BlockPalette(values + block * kBlockValues, size_of(block), most);
  }
  // True if all values of the block are the same.
  VOX_HD bool is_one_value(uint64_t block) const {
    const uint32_t* const first = values + block * kBlockValues;
    for (uint32_t i = 1; i < size_of(block); ++i)
      if (first[i] != first[0]) return false;
    return true;
  }
  // True if the block shares the bytes of the block before it.
  VOX_HD bool repeats(uint64_t block) const {
    return block % kGroupBlocks != 0 && values[block * kBlockValues] == values[(block - 1) * kBlockValues] &&
           is_one_value(block) && is_one_value(block - 1);
  }
};

// Finds how many bytes each block takes; 0 if it shares the bytes of the block before it.
struct SizeBlocks {
  UnpackedRef from;
  uint16_t* sizes;
  VOX_HD void operator()(uint64_t block) const {
    if (from.size_of(block) == 0 || from.repeats(block)) {
      sizes[block] = 0;
      return;
    }
    const BlockPalette palette = from.palette(block);
    sizes[block] = static_cast<uint16_t>(block_bytes(palette.width(), palette.size(), from.value_bits));
  }
};

struct SizeOfGroup {
  const uint16_t* sizes;
  VOX_HD uint32_t operator()(uint64_t group) const {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < kGroupBlocks; ++i) sum += sizes[group * kGroupBlocks + i];
    return sum;
  }
};

// Writes numbers of a few bits one after the other.
class BitWriter {
 public:
  VOX_HD explicit BitWriter(uint8_t* to) : to_(to) {}

  VOX_HD void put(uint32_t value, uint32_t bits) {
    pending_ |= value << bits_;
    for (bits_ += bits; bits_ >= 8; bits_ -= 8, pending_ >>= 8) *to_++ = static_cast<uint8_t>(pending_);
  }
  // Writes the last bits, which do not fill a byte.
  VOX_HD void finish() {
    if (bits_ > 0) *to_ = static_cast<uint8_t>(pending_);
  }

 private:
  uint8_t* to_;
  uint32_t pending_ = 0, bits_ = 0;
};

// Writes blocks and their entries in the heads of groups.
struct WriteBlocks {
  UnpackedRef from;
  const uint16_t* sizes;
  const uint32_t* offsets;  // where the bytes of each group begin
  uint64_t first_byte;      // where the bytes of the first group begin
  ValueGroup* groups;
  uint8_t* bytes;

  VOX_HD void operator()(uint64_t block) const {
    const uint64_t group = block / kGroupBlocks;
    uint32_t step = 0;
    for (uint64_t i = group * kGroupBlocks; i < block; ++i) step += sizes[i];
    uint16_t& entry = groups[group].blocks[block % kGroupBlocks];
    if (block % kGroupBlocks == 0) groups[group].first_byte = first_byte + offsets[group];
    if (from.size_of(block) == 0) {
      entry = 0;
    } else if (sizes[block] == 0) {
      entry = static_cast<uint16_t>((step - block_bytes(0, 1, from.value_bits)) << 4);
    } else {
      const BlockPalette palette = from.palette(block);
      entry = static_cast<uint16_t>(step << 4 | palette.width());
      write(block, palette, bytes + offsets[group] + step);
    }
  }

 private:
  VOX_HD void write(uint64_t block, const BlockPalette& palette, uint8_t* to) const {
    const uint32_t* const values = from.values + block * kBlockValues;
    const uint32_t count = from.size_of(block), width = palette.width();
    const auto value = [&](uint32_t i) { return values[i < count ? i : count - 1]; };
    if (width == kPlainBlock) {
      BitWriter plain(to);
      for (uint32_t i = 0; i < kBlockValues; ++i) plain.put(value(i), from.value_bits);
      return;
    }
    BitWriter indices(to);
    uint32_t index = 0;
    for (uint32_t i = 0; i < kBlockValues && width > 0; ++i) {
      if (palette[index] != value(i)) index = palette.index_of(value(i));
      indices.put(index, width);
    }
    BitWriter entries(to + kBlockValues / 8 * width);
    for (uint32_t i = 0; i < palette.size(); ++i) entries.put(palette[i], from.value_bits);
    entries.finish();
  }
};

// Values that a device has packed. The first one begins a group.
struct PackedPiece {
  device::Buffer<ValueGroup> groups;
  device::Buffer<uint8_t> bytes;
};

// Packs `count` values on the device. `first_byte` is where the bytes of the first group begin.
template <class Device>
PackedPiece pack_on(Device& device, const uint32_t* values, uint64_t count, uint32_t value_bits,
                    uint64_t first_byte) {
  const UnpackedRef from = {values, count, value_bits, BlockPalette::most(value_bits)};
  const uint64_t groups = groups_of(count), blocks = groups * kGroupBlocks;
  auto sizes = device.template make<uint16_t>(blocks);
  device.for_each({"attributes: size blocks", 256}, blocks, SizeBlocks{from, sizes.data()});
  auto offsets = device.template make<uint32_t>(groups + 1);
  const uint64_t bytes =
      device.exclusive_scan({"attributes: places", 28}, groups, SizeOfGroup{sizes.data()}, offsets.data());
  PackedPiece piece = {device.template make<ValueGroup>(groups), device.template make<uint8_t>(bytes)};
  device.for_each(
      {"attributes: write blocks", 320}, blocks,
      WriteBlocks{from, sizes.data(), offsets.data(), first_byte, piece.groups.data(), piece.bytes.data()});
  return piece;
}

// Puts pieces together on the host. They follow one another, and all but the last consist of whole groups.
class PackedList {
 public:
  uint64_t byte_count() const { return packed_.byte_count; }

  // `share` is how much of all values has come when this piece is added, or 0 if that is not known. It says how much
  // memory to reserve. Pages of it that are not written take none.
  template <class Device>
  void add(Device& device, const PackedPiece& piece, double share = 0) {
    const size_t groups = packed_.groups.size();
    grow(packed_.groups, groups + piece.groups.size(), share);
    device.download(packed_.groups.data() + groups, piece.groups.data(), piece.groups.size());
    const uint64_t first = packed_.byte_count;
    packed_.byte_count += piece.bytes.size();
    grow(packed_.words, (packed_.byte_count + 3) / 4, share);
    device.download(reinterpret_cast<uint8_t*>(packed_.words.data()) + first, piece.bytes.data(),
                    piece.bytes.size());
  }

  // Returns all values, and leaves nothing here.
  PackedValues take(uint64_t count, uint32_t value_bits, std::vector<uint32_t> table = {}) {
    if (const auto used = static_cast<uint32_t>(packed_.byte_count % 4); used != 0)
      packed_.words.back() &= (1u << 8 * used) - 1;
    packed_.count = count;
    packed_.value_bits = value_bits;
    packed_.table = std::move(table);
    return std::exchange(packed_, {});
  }

 private:
  template <class Vector>
  static void grow(Vector& to, size_t size, double share) {
    constexpr double kLeastShare = 0.005, kMargin = 1.1;
    if (size > to.capacity()) {
      const double all = static_cast<double>(size) * (share > kLeastShare ? kMargin / share : 2);
      to.reserve(std::max(size, static_cast<size_t>(all)));
    }
    to.resize(size);
  }

  PackedValues packed_;
};

// Packs the values of a scene that is built chunk by chunk. Values that do not fill a group yet wait on the host for
// the next chunk.
template <class Device>
class StreamPacker {
 public:
  // With a table, the chunks' values are numbers of its values.
  StreamPacker(Device& device, uint32_t value_bits, std::vector<uint32_t> table = {})
      : device_(device), value_bits_(value_bits), table_(std::move(table)) {}

  // Room for the values of the next chunk. add() adds them; if the chunk is tried again, they are dropped.
  struct Chunk {
    device::Buffer<uint32_t> values;
    uint64_t waiting = 0;  // values of the chunk before, which come first
    uint32_t* begin() { return values.data() + waiting; }
  };
  Chunk chunk(uint64_t count) {
    Chunk chunk = {device_.template make<uint32_t>(waiting_.size() + count), waiting_.size()};
    device_.upload(chunk.values.data(), waiting_.data(), waiting_.size());
    return chunk;
  }

  // The whole groups of a chunk, on the device, and the values behind them.
  struct Ready {
    PackedPiece piece;
    std::vector<uint32_t> waiting;
    uint64_t count = 0;
  };
  Ready packed(const Chunk& chunk) {
    const uint64_t all = chunk.values.size(), whole = all / kGroupValues * kGroupValues;
    Ready ready = {pack_on(device_, chunk.values.data(), whole, value_bits_, list_.byte_count()),
                   std::vector<uint32_t>(all - whole), all - chunk.waiting};
    device_.download(ready.waiting.data(), chunk.values.data() + whole, all - whole);
    return ready;
  }

  // `share` is how much of all work is done with this chunk.
  void add(Ready ready, double share = 0) {
    count_ += ready.count;
    list_.add(device_, ready.piece, share);
    waiting_ = std::move(ready.waiting);
  }

  PackedValues finish() {
    const Chunk rest = chunk(0);
    list_.add(device_, pack_on(device_, rest.values.data(), rest.waiting, value_bits_, list_.byte_count()));
    waiting_.clear();
    return list_.take(count_, value_bits_, std::move(table_));
  }

 private:
  Device& device_;
  uint32_t value_bits_;
  std::vector<uint32_t> table_;
  PackedList list_;
  std::vector<uint32_t> waiting_;
  uint64_t count_ = 0;
};

}  // namespace vox::attributes
