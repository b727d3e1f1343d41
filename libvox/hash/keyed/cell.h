// The cells of tables of voxel keys. A cell is a word of 32 or 64 bits, with a key in its high bits and a
// value in its low bits. An empty cell is all ones.
//
// The cell of a key whose bits are all ones could be taken for an empty cell. Tables never hold such a cell
// among the others: it is kept apart, in a single cell behind the last one (key_table.h).
#pragma once

#include <concepts>
#include <cstdint>

#include "libvox/base/hd.h"

namespace vox::hash {

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
  // Returns the key whose cells are kept apart, which is also the greatest key.
  VOX_HD Cell apart_key() const { return kEmptyCell<Cell> >> value_bits; }
};

}  // namespace vox::hash
