// Cells: what tables of voxel keys are made of. A cell is a word of 32 or 64 bits: a key in its high bits, a
// value in the low ones. An empty cell is all ones.
//
// Where a key's own bits are all ones, its cell could be taken for an empty one. Tables never hold such a
// cell among the others: it is kept apart, in one cell behind the last (key_table.h).
#pragma once

#include <concepts>
#include <cstdint>

#include "libvox/base/hd.h"

namespace vox::hash {

template <class T>
concept CellWord = std::same_as<T, uint32_t> || std::same_as<T, uint64_t>;

template <CellWord Cell>
constexpr Cell kEmptyCell = static_cast<Cell>(~Cell{0});
constexpr uint32_t kNoSlot = UINT32_MAX;   // where a key is that is not stored
constexpr uint32_t kNoValue = UINT32_MAX;  // its value

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
  // Whether two cells have one key: half a word at a time, as a GPU has it, and without the shifts of key().
  VOX_HD bool same_key(Cell a, Cell b) const {
    const Cell different = a ^ b;
    const auto low = static_cast<uint32_t>(different) & static_cast<uint32_t>(~most_value());
    return (low | static_cast<uint32_t>(uint64_t{different} >> 32)) == 0;
  }
  // The key whose cells are kept apart, which is also the greatest.
  VOX_HD Cell apart_key() const { return kEmptyCell<Cell> >> value_bits; }
};

}  // namespace vox::hash
