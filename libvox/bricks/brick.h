// The parts that all types of bricks share: the shape of a brick, its voxels before its type is chosen, and
// the counts that decide the type.
//
// A brick is a cube of 4 to 512 voxels a side. Its voxels are words of one, two or four bytes; the word 0 is
// empty (volume/volume.h). A brick's data are 32-bit words that hold arrays of smaller elements. Each
// array is aligned to the size of its elements; unused bytes are zero.
#pragma once

#include <cstdint>
#include <type_traits>

#include "libvox/base/bits.h"
#include "libvox/base/hd.h"
#include "libvox/base/vec.h"

namespace vox::bricks {

inline constexpr uint32_t kMinBrickLog2 = 2, kMaxBrickLog2 = 9;
// The largest side that is tried when the best side is searched for. Larger bricks seldom save memory, and one thread
// makes each of them.
inline constexpr uint32_t kMostTriedLog2 = 6;

struct BrickShape {
  uint32_t log2_side = kMinBrickLog2;

  VOX_HD uint32_t side() const { return 1u << log2_side; }
  VOX_HD uint32_t code_bits() const { return 3 * log2_side; }
  VOX_HD uint32_t voxels() const { return 1u << code_bits(); }
  VOX_HD uint32_t blocks() const { return voxels() >> 6; }  // blocks of 4³ voxels
  VOX_HD uint32_t row_major(Int3 v) const {
    return static_cast<uint32_t>(v.x | v.y << log2_side | v.z << 2 * log2_side);
  }
};

// Returns the place of the i-th cell of a grid, x fastest.
VOX_HD inline Int3 cell_place(Int3 grid, uint64_t i) {
  const auto columns = static_cast<uint64_t>(grid.x), rows = static_cast<uint64_t>(grid.y), row = i / columns;
  return {static_cast<int32_t>(i % columns), static_cast<int32_t>(row % rows),
          static_cast<int32_t>(row / rows)};
}

// Returns the number of a cell of a grid, the inverse of cell_place().
VOX_HD inline uint64_t cell_index(Int3 grid, Int3 place) {
  return (static_cast<uint64_t>(place.z) * static_cast<uint64_t>(grid.y) + static_cast<uint64_t>(place.y)) *
             static_cast<uint64_t>(grid.x) +
         static_cast<uint64_t>(place.x);
}

// Spreads eight bits, with two zeros between neighbors: ...cba -> c..b..a.
VOX_HD inline uint32_t spread_brick_bits(uint32_t v) {
  v = (v | v << 8) & 0x0300f00f;
  v = (v | v << 4) & 0x030c30c3;
  return (v | v << 2) & 0x09249249;
}
// The inverse of spread_brick_bits(), for nine bits.
VOX_HD inline uint32_t gather_brick_bits(uint32_t v) {
  v &= 0x09249249;
  v = (v | v >> 2) & 0x030c30c3;
  v = (v | v >> 4) & 0x0300f00f;
  v = (v | v >> 8) & 0x030000ff;
  return (v | v >> 16) & 0x1ff;
}

// Converts a voxel's place in its brick to its Morton code, x lowest, and back. Only the largest bricks have a ninth
// bit along each axis; the others do no work for it.
VOX_HD inline uint32_t brick_code(Int3 v, BrickShape shape) {
  uint32_t code = spread_brick_bits(static_cast<uint32_t>(v.x)) |
                  spread_brick_bits(static_cast<uint32_t>(v.y)) << 1 |
                  spread_brick_bits(static_cast<uint32_t>(v.z)) << 2;
  if (shape.log2_side == 9)
    code |= static_cast<uint32_t>(v.x & 256) << 16 | static_cast<uint32_t>(v.y & 256) << 17 |
            static_cast<uint32_t>(v.z & 256) << 18;
  return code;
}
VOX_HD inline Int3 brick_voxel(uint32_t code) {
  return {static_cast<int32_t>(gather_brick_bits(code)), static_cast<int32_t>(gather_brick_bits(code >> 1)),
          static_cast<int32_t>(gather_brick_bits(code >> 2))};
}

// The counts of a brick, from which its size in every type follows. "Filled" cubes have at least one voxel
// that is not empty.
struct BrickCounts {
  uint32_t voxels = 0;  // 4 B
  uint32_t pairs = 0;   // 4 B, filled cubes of 2³
  uint32_t blocks = 0;  // 4 B, filled cubes of 4³
  uint32_t inner = 0;   // 4 B, filled cubes of 4³, 8³, … and the brick itself: the octree's nodes
  uint32_t values = 0;  // 4 B, different values, including empty; kMaxPalette + 1 if more than kMaxPalette
};
static_assert(sizeof(BrickCounts) == 20);

inline constexpr uint32_t kMaxPalette = 256;

// A type returns this size for a brick that it cannot hold.
inline constexpr uint32_t kNever = UINT32_MAX;

// The voxels of one brick in Morton order, and a mask for each block, with a bit for each voxel that is not
// empty.
template <class T>
struct BrickVoxels {
  const T* words;
  const uint64_t* masks;

  // Calls f(code, word) for the voxels that are not empty, in Morton order.
  template <class F>
  VOX_HD void each(BrickShape shape, const F& f) const {
    for (uint32_t block = 0; block < shape.blocks(); ++block)
      for (uint64_t mask = masks[block]; mask != 0; mask &= mask - 1) {
        const uint32_t code = block << 6 | static_cast<uint32_t>(lowest_bit(mask));
        f(code, words[code]);
      }
  }
};

// --- arrays inside a brick's words ---

VOX_HD constexpr uint32_t round_up(uint32_t bytes, uint32_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

template <class T>
VOX_HD const T* array_at(const uint32_t* brick, uint32_t byte) {
  return reinterpret_cast<const T*>(reinterpret_cast<const char*>(brick) + byte);
}
template <class T>
VOX_HD T* array_at(uint32_t* brick, uint32_t byte) {
  return reinterpret_cast<T*>(reinterpret_cast<char*>(brick) + byte);
}

// Returns the size in bytes of each element of an array that counts a brick's voxels: 2, or 4 in bricks of
// 64³ and more.
VOX_HD inline uint32_t count_bytes(BrickShape shape) {
  return shape.log2_side >= 6 ? 4 : 2;
}
VOX_HD inline uint32_t count_at(const uint32_t* brick, BrickShape shape, uint32_t byte, uint32_t i) {
  return count_bytes(shape) == 2 ? array_at<uint16_t>(brick, byte)[i] : array_at<uint32_t>(brick, byte)[i];
}
VOX_HD inline void put_count(uint32_t* brick, BrickShape shape, uint32_t byte, uint32_t i, uint32_t count) {
  if (count_bytes(shape) == 2) {
    array_at<uint16_t>(brick, byte)[i] = static_cast<uint16_t>(count);
  } else {
    array_at<uint32_t>(brick, byte)[i] = count;
  }
}

// Binary search in at(0), at(1), …, which ascend. Returns the index of the first one that is not less
// than `value`, or `count` if there is none.
template <class T, class At>
VOX_HD uint32_t first_not_less(uint32_t count, T value, const At& at) {
  uint32_t begin = 0;
  while (begin < count) {
    const uint32_t middle = (begin + count) / 2;
    if (at(middle) < value) {
      begin = middle + 1;
    } else {
      count = middle;
    }
  }
  return begin;
}

// Implements neighbors() for types without a faster way.
template <class Type, class T>
VOX_HD void neighbors_one_by_one(const uint32_t* brick, BrickShape shape, Int3 at, uint32_t count, T* row) {
  for (uint32_t i = 0; i < count; ++i, ++at.x) row[i] = Type::template get<T>(brick, shape, at);
}

// Implements cube() for types without a faster way: the voxel and its neighbors above it along each axis,
// x fastest.
template <class Type, class T>
VOX_HD void cube_by_rows(const uint32_t* brick, BrickShape shape, Int3 at, T* words) {
  VOX_UNROLL for (int32_t row = 0; row < 4; ++row)
      Type::template neighbors<T>(brick, shape, at + Int3{0, row & 1, row >> 1}, 2, words + 2 * row);
}

// Sets of the different values of a brick, which must be few.

// Returns the index of `value` in ascending values, or the one where it would be inserted.
template <class T>
VOX_HD uint32_t place_of(const T* values, uint32_t count, T value) {
  return first_not_less(count, value, [&](uint32_t i) { return values[i]; });
}

template <class T>
class ValueSet {
 public:
  VOX_HD bool add(T value) {
    if (count_ > 0 && value == last_) return true;
    last_ = value;
    const uint32_t place = place_of(values_, count_, value);
    if (place < count_ && values_[place] == value) return true;
    if (count_ == kMaxPalette) return false;
    for (uint32_t i = count_++; i > place; --i) values_[i] = values_[i - 1];
    values_[place] = value;
    return true;
  }
  VOX_HD uint32_t size() const { return count_; }
  // Returns the place of a value of the set among the others.
  VOX_HD uint32_t index_of(T value) const { return place_of(values_, count_, value); }
  // Calls f(value) for the values, ascending.
  template <class F>
  VOX_HD void each(const F& f) const {
    for (uint32_t i = 0; i < count_; ++i) f(values_[i]);
  }
  VOX_HD void copy_to(T* out) const {
    each([&](T value) { *out++ = value; });
  }

 private:
  T values_[kMaxPalette];
  uint32_t count_ = 0;
  T last_ = 0;
};

// Most bytes are below 64, so their set fits in a register.
template <>
class ValueSet<uint8_t> {
 public:
  VOX_HD bool add(uint8_t value) {
    if (value < 64) {
      low_ |= uint64_t{1} << value;
    } else {
      high_[(value >> 6) - 1] |= uint64_t{1} << (value & 63);
    }
    return true;
  }
  VOX_HD uint32_t size() const {
    return static_cast<uint32_t>(popcount(low_) + popcount(high_[0]) + popcount(high_[1]) +
                                 popcount(high_[2]));
  }
  VOX_HD uint32_t index_of(uint8_t value) const {
    const uint64_t lower = (uint64_t{1} << (value & 63)) - 1;
    if (value < 64) return static_cast<uint32_t>(popcount(low_ & lower));
    int before = popcount(low_) + popcount(high_[(value >> 6) - 1] & lower);
    for (uint32_t word = 1; word < value >> 6; ++word) before += popcount(high_[word - 1]);
    return static_cast<uint32_t>(before);
  }
  template <class F>
  VOX_HD void each(const F& f) const {
    for (uint32_t word = 0; word < 4; ++word)
      for (uint64_t left = word == 0 ? low_ : high_[word - 1]; left != 0; left &= left - 1)
        f(static_cast<uint8_t>(64 * word + static_cast<uint32_t>(lowest_bit(left))));
  }
  VOX_HD void copy_to(uint8_t* out) const {
    each([&](uint8_t value) { *out++ = value; });
  }

 private:
  uint64_t low_ = 0, high_[3] = {};
};

}  // namespace vox::bricks
