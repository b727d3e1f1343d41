// Values of a scene's filled voxels, such as their colors, apart from the geometry: one value for each voxel, in the
// order of a depth-first walk through the octree with children in Morton order. README.md explains the layout.
//
// The list is cut into blocks of 64 values. A block holds the different values in it, its palette, and for each voxel
// an index into them. Twelve blocks are a group, whose head says where each of them lies, so that any value is found by
// reading the head and then the block.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "libvox/base/hd.h"
#include "libvox/base/paged_memory.h"

namespace vox::attributes {

inline constexpr uint32_t kBlockValues = 64, kGroupBlocks = 12;
inline constexpr uint32_t kGroupValues = kBlockValues * kGroupBlocks;

struct ValueGroup {
  uint64_t first_byte = 0;  // 8 B, where the bytes of its first block begin
  // 24 B, for each block: bits 4–15 say how many bytes behind `first_byte` it begins, bits 0–3 how many bits an index
  // has. The blocks behind the last value are 0.
  uint16_t blocks[kGroupBlocks] = {};

  friend bool operator==(const ValueGroup&, const ValueGroup&) = default;
};
static_assert(sizeof(ValueGroup) == 32);

// The number of bits that says that a block has no indices: its 64 values follow one another.
inline constexpr uint32_t kPlainBlock = 15;

// A block with indices of `width` bits is 8 · width bytes of indices, the lowest bits first, and then its palette in as
// many bytes as it needs. A block of one value is that value alone. If the block before it in the group consists of the
// same value, both share the same bytes.
VOX_HD inline uint32_t block_bytes(uint32_t width, uint32_t palette, uint32_t value_bits) {
  return width == kPlainBlock ? kBlockValues / 8 * value_bits
                              : kBlockValues / 8 * width + (palette * value_bits + 7) / 8;
}

// Returns number `index` of a list of numbers of `bits` bits each, at most 24. The lowest bits come first.
VOX_HD inline uint32_t load_bits(const uint8_t* at, uint32_t index, uint32_t bits) {
  const uint32_t first = index * bits, last = first + bits - 1;
  uint32_t value = 0;
  for (uint32_t byte = first / 8; byte <= last / 8; ++byte)
    value |= uint32_t{at[byte]} << 8 * (byte - first / 8);
  return value >> first % 8 & ((1u << bits) - 1);
}

// Packed values as kernels read them.
struct ValuesRef {
  const ValueGroup* groups = nullptr;
  const uint8_t* bytes = nullptr;
  const uint32_t* table = nullptr;
  uint32_t value_bits = 0;

  VOX_HD uint32_t operator[](uint64_t i) const {
    const uint32_t value = stored(i);
    return table == nullptr ? value : table[value];
  }

  // Returns a value, or its number in the table.
  VOX_HD uint32_t stored(uint64_t i) const {
    const ValueGroup& group = groups[i / kGroupValues];
    const auto in_group = static_cast<uint32_t>(i % kGroupValues);
    const uint32_t rank = in_group % kBlockValues, code = group.blocks[in_group / kBlockValues],
                   width = code & 15;
    const uint8_t* block = bytes + group.first_byte + (code >> 4);
    if (width == kPlainBlock) return load_bits(block, rank, value_bits);
    const uint32_t index = width == 0 ? 0 : load_bits(block, rank, width);
    return load_bits(block + kBlockValues / 8 * width, index, value_bits);
  }
};

using ValueGroups = std::vector<ValueGroup, UninitializedAllocator<ValueGroup>>;

inline constexpr uint32_t kMostValueBits = 24;
inline constexpr uint32_t kMostTabled = 1 << 16;  // a table has at most this many values

struct PackedValues {
  uint64_t count = 0;        // the number of values
  uint32_t value_bits = 24;  // the bits of each value in the blocks
  ValueGroups groups;
  uint64_t byte_count = 0;  // the bytes of all blocks
  Words words;  // the bytes of all blocks, the first in the lowest bits; the rest of the last word is 0
  std::vector<uint32_t> table;  // if it is not empty, blocks hold numbers of its values

  ValuesRef ref() const {
    return {groups.data(), reinterpret_cast<const uint8_t*>(words.data()),
            table.empty() ? nullptr : table.data(), value_bits};
  }
  uint32_t operator[](uint64_t i) const { return ref()[i]; }
  uint64_t bytes() const {
    return groups.size() * sizeof(ValueGroup) + byte_count + table.size() * sizeof(uint32_t);
  }

  friend bool operator==(const PackedValues&, const PackedValues&) = default;
};

// Returns how many bits the numbers of a table's values have.
inline uint32_t bits_for_table(uint64_t values) {
  return values < 2 ? 1 : static_cast<uint32_t>(std::bit_width(values - 1));
}

inline uint64_t groups_of(uint64_t values) {
  return (values + kGroupValues - 1) / kGroupValues;
}

// Packs values on the host as they come, one after the other.
class ValueWriter {
 public:
  // With a table, put() takes the numbers of its values.
  explicit ValueWriter(uint32_t value_bits = kMostValueBits, std::vector<uint32_t> table = {});
  ~ValueWriter();
  ValueWriter(const ValueWriter&) = delete;
  ValueWriter& operator=(const ValueWriter&) = delete;

  void put(uint32_t value) {
    waiting_.push_back(value);
    if (waiting_.size() == kAtOnce) pack();
  }
  void put(std::span<const uint32_t> values);
  // Returns all values. Nothing may be put afterwards.
  PackedValues finish();

 private:
  static constexpr uint64_t kAtOnce = uint64_t{kGroupValues} << 13;
  struct Packed;
  void pack();

  uint32_t value_bits_;
  std::vector<uint32_t> table_;
  uint64_t count_ = 0;
  std::vector<uint32_t> waiting_;
  std::unique_ptr<Packed> packed_;
};

PackedValues packed_values(std::span<const uint32_t> values, uint32_t value_bits = kMostValueBits);

// Returns the values that are different, in ascending order.
std::vector<uint32_t> different_values(const PackedValues& values);

// Packs the values once more, with a table of the different ones in ascending order, if these are few enough for it.
PackedValues with_table(PackedValues values);

// Reads the values from number `first` on.
void read_values(const PackedValues& values, uint64_t first, std::span<uint32_t> to);

// Throws an Error unless all values can be read: each block lies within the bytes, and each index within its palette.
void check_structure(const PackedValues& values);

// Throws an Error unless the values are packed as packed_values() packs them, so that equal values have equal bytes.
void verify(const PackedValues& values);

}  // namespace vox::attributes
