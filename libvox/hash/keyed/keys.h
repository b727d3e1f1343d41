// The keys of pixels and voxels, and the cells of the tables that hold them.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstdint>

#include "libvox/base/bits.h"
#include "libvox/base/error.h"
#include "libvox/base/hd.h"
#include "libvox/base/morton.h"

namespace vox::hash {

// The keys of pixels and voxels: three orders in which the places of a grid become numbers (García et al.
// 2011, §4.2). The order decides which keys are neighbors, and thereby how much a table of voxel keys gains
// if stored or searched keys lie side by side.
enum class KeyLayout : uint8_t {
  RowMajor,    // x + width · (y + height · z): neighbors along x
  Morton,      // bits of the coordinates interleaved: neighbors along all axes
  BitReversed  // the same with the bits of each coordinate reversed: no neighbors at all
};
inline constexpr std::array kKeyLayouts = {KeyLayout::RowMajor, KeyLayout::Morton, KeyLayout::BitReversed};
inline constexpr std::array kKeyLayoutNames = {"row-major", "morton", "bit-reversed"};

// The keys of all places of a grid. A grid with a depth of 1 is a picture, whose keys have no bits for z.
class KeyGrid {
 public:
  static constexpr int32_t kMostSide = 1 << 30, kMostSideOfVolume = 1 << 21;

  KeyGrid(KeyLayout layout, const Int3& size) : layout_(layout), size_(size) {
    const int32_t side = std::max({size.x, size.y, size.z});
    if (std::min({size.x, size.y, size.z}) < 1 || side > (is_flat() ? kMostSide : kMostSideOfVolume))
      throw Error("a grid of voxel keys must have 1 to 2^30 pixels, or 1 to 2^21 voxels, a side");
    axis_bits_ = static_cast<uint32_t>(std::bit_width(static_cast<uint32_t>(side - 1)));
  }

  // Returns how many bits the greatest key may have.
  uint32_t key_bits() const {
    if (layout_ != KeyLayout::RowMajor) return axis_bits_ * (is_flat() ? 2 : 3);
    return static_cast<uint32_t>(std::bit_width(key({size_.x - 1, size_.y - 1, size_.z - 1})));
  }
  const Int3& size() const { return size_; }

  VOX_HD uint64_t key(const Int3& place) const {
    if (layout_ == KeyLayout::RowMajor)
      return (static_cast<uint64_t>(place.z) * static_cast<uint64_t>(size_.y) +
              static_cast<uint64_t>(place.y)) *
                 static_cast<uint64_t>(size_.x) +
             static_cast<uint64_t>(place.x);
    const uint32_t x = coordinate(place.x), y = coordinate(place.y);
    return is_flat() ? morton_encode({x, y}) : morton_encode(x, y, coordinate(place.z));
  }

  // Returns the place of a key that key() returned.
  VOX_HD Int3 place(uint64_t key) const {
    if (layout_ == KeyLayout::RowMajor) {
      const uint64_t row = key / static_cast<uint64_t>(size_.x);
      return {static_cast<int32_t>(key % static_cast<uint64_t>(size_.x)),
              static_cast<int32_t>(row % static_cast<uint64_t>(size_.y)),
              static_cast<int32_t>(row / static_cast<uint64_t>(size_.y))};
    }
    Int3 place = {};
    if (is_flat()) {
      const Vec2<uint32_t> pixel = morton_decode_in_plane(key);
      place = {static_cast<int32_t>(pixel.x), static_cast<int32_t>(pixel.y), 0};
    } else {
      place = morton_decode(key);
    }
    return {static_cast<int32_t>(coordinate(place.x)), static_cast<int32_t>(coordinate(place.y)),
            is_flat() ? 0 : static_cast<int32_t>(coordinate(place.z))};
  }

 private:
  VOX_HD bool is_flat() const { return size_.z == 1; }
  // Returns a coordinate as it is interleaved. Applying the function twice gives the original value.
  VOX_HD uint32_t coordinate(int32_t value) const {
    const auto bits = static_cast<uint32_t>(value);
    if (layout_ != KeyLayout::BitReversed || axis_bits_ == 0) return bits;
    return reversed_bits(bits) >> (32 - axis_bits_);
  }

  KeyLayout layout_;
  Int3 size_;
  uint32_t axis_bits_;  // bits of the longest side
};

// The cells of tables of voxel keys. A cell is a word of 32 or 64 bits, with a key in its high bits and a
// value in its low bits. An empty cell is all ones.
//
// The cell of a key whose bits are all ones could be taken for an empty cell. Tables never hold such a cell
// among the others: it is kept apart, in a single cell behind the last one (key_table.h).

template <class T>
concept CellWord = std::same_as<T, uint32_t> || std::same_as<T, uint64_t>;

template <CellWord Cell>
constexpr Cell kEmptyCell = static_cast<Cell>(~Cell{0});
constexpr uint32_t kNoSlot = UINT32_MAX;   // the slot of a key that is not stored
constexpr uint32_t kNoValue = UINT32_MAX;  // the value of a key that is not stored

template <CellWord Cell>
struct CellFormat {
  static constexpr uint32_t kBits = 8 * sizeof(Cell);
  static constexpr uint32_t kMostValueBits = kBits / 2;

  uint32_t value_bits = 0;

  uint32_t key_bits() const { return kBits - value_bits; }
  VOX_HD Cell key(Cell cell) const { return cell >> value_bits; }
  VOX_HD uint32_t value(Cell cell) const { return static_cast<uint32_t>(cell & most_value()); }
  VOX_HD Cell most_value() const { return static_cast<Cell>((Cell{1} << value_bits) - 1); }
  VOX_HD Cell cell(Cell key, uint32_t value) const { return key << value_bits | value; }
  // Returns true if two cells have the same key. It compares half a word at a time, as a GPU does, and needs
  // no shifts as key() does.
  VOX_HD bool same_key(Cell a, Cell b) const {
    const Cell different = a ^ b;
    const auto low = static_cast<uint32_t>(different) & static_cast<uint32_t>(~most_value());
    return (low | static_cast<uint32_t>(uint64_t{different} >> 32)) == 0;
  }
  // Returns the key whose cell is kept apart. It is also the greatest key.
  VOX_HD Cell apart_key() const { return kEmptyCell<Cell> >> value_bits; }
};

}  // namespace vox::hash
