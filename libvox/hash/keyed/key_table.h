// What the rest of the library knows of tables of voxel keys: a table is built from a batch of cells
// (cell.h) and then searched by batches of keys. The variant (key_table_list.h) is chosen at run time.
//
// A key is stored once. Equal cells may come more than once; a key with two values is an error, as is a table
// that cannot be built: no key is ever lost. Where a key lies, its slot, is the same on every device in some
// variants; in others threads decide it, and no result may depend on it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "libvox/base/error.h"
#include "libvox/device/pool.h"
#include "libvox/hash/keyed/cell.h"

namespace vox::hash {

struct KeyTableOptions {
  std::string table = "lines";
  double load_factor = 0.8;  // how many items a cell, as far as the variant can choose; in (0, 1]
  uint32_t value_bits = 0;   // of a cell, below its key
  uint64_t seed = 0;         // other seeds give other hash functions
};

// What a build came to.
struct KeyTableBuild {
  uint64_t keys = 0;         // different ones, which the table holds
  uint32_t attempts = 1;     // with other hash functions each
  uint64_t restarts = 0;     // of parts of the table, where the variant has any
  uint32_t most_probes = 0;  // how many places a search may have to look at
};

// Throws UsageError unless the options make sense for cells of so many bits.
void check_key_table_options(const KeyTableOptions& options, uint32_t cell_bits);

// What a build throws.
Error two_values(const KeyTableOptions& options);
Error cannot_build(const KeyTableOptions& options, uint64_t keys, uint32_t attempts);

// Says of a slot whether it holds a key, as a device selects slots and counts them by it.
template <CellWord Cell>
struct HoldsKey {
  const Cell* cells;
  uint32_t link_every;  // the last of so many slots is for a link, not for a key; 0: none is
  VOX_HD bool operator()(uint64_t slot) const {
    return cells[slot] != kEmptyCell<Cell> && (link_every == 0 || slot % link_every != link_every - 1);
  }
};

template <class Device, CellWord Cell>
class KeyTable {
 public:
  virtual ~KeyTable() = default;
  KeyTable(const KeyTable&) = delete;
  KeyTable& operator=(const KeyTable&) = delete;

  // Builds a table of these cells, which lie in the device's memory, in place of what it held. Throws Error
  // where a key has two values, or where all attempts have failed.
  virtual KeyTableBuild build(const Cell* cells, uint64_t n) = 0;

  // Searches: slots[i] becomes the slot of keys[i] or kNoSlot, values[i] its value or kNoValue.
  virtual void find(const Cell* keys, uint64_t n, uint32_t* slots) const = 0;
  virtual void find_values(const Cell* keys, uint64_t n, uint32_t* values) const = 0;
  // The same for keys that are all stored, which some variants find with less work. Of others, anything may
  // be said.
  virtual void find_values_of_stored(const Cell* keys, uint64_t n, uint32_t* values) const {
    find_values(keys, n, values);
  }
  // Searches as find_values() does: sectors[i] becomes how many sectors of 32 bytes the search for keys[i]
  // has read.
  virtual void count_sectors(const Cell* keys, uint64_t n, uint32_t* sectors) const = 0;

  // The cell at each slot; empty where it holds nothing. All keys lie in slots below slots(), but for the one
  // that is kept apart. Of some variants a few slots are for links: holds_key() leaves them out.
  const Cell* cells() const { return cells_.data(); }
  uint64_t slots() const { return slots_; }
  HoldsKey<Cell> holds_key() const { return {cells_.data(), link_every_}; }
  bool holds_apart() const { return holds_apart_; }
  CellFormat<Cell> format() const { return format_; }
  uint64_t bytes() const { return cells_.size() * sizeof(Cell) + bytes_beside_cells(); }

 protected:
  KeyTable(Device& device, const KeyTableOptions& options)
      : device_(device), options_(options), format_{options.value_bits} {
    check_key_table_options(options, CellFormat<Cell>::kBits);
  }

  virtual uint64_t bytes_beside_cells() const { return 0; }

  // Makes room for so many slots and the cell that is kept apart; all are empty.
  void make_cells(uint64_t slots) {
    if (slots >= kNoSlot) throw Error("a table of voxel keys has fewer than 2^32 - 1 cells");
    cells_.reset();
    cells_ = device_.template make<Cell>(slots + 1);
    slots_ = slots;
    holds_apart_ = false;
    device_.fill(cells_.data(), cells_.size(), kEmptyCell<Cell>);
  }
  // Keeps the key that is all ones, with this value.
  void keep_apart(uint32_t value) {
    const Cell cell = format_.cell(format_.apart_key(), value);
    device_.upload(cells_.data() + slots_, &cell, 1);
    holds_apart_ = true;
    apart_value_ = value;
  }

  Device& device_;
  const KeyTableOptions options_;
  const CellFormat<Cell> format_;
  device::Buffer<Cell> cells_;
  uint64_t slots_ = 0;
  uint32_t link_every_ = 0;  // as in HoldsKey
  bool holds_apart_ = false;
  uint32_t apart_value_ = 0;
};

// Makes an empty table of the variant that options.table names. Throws UsageError unless there is one of this
// name, and where an option is out of its range.
template <class Device, CellWord Cell>
std::unique_ptr<KeyTable<Device, Cell>> make_key_table(Device& device, const KeyTableOptions& options);

// The names of the variants, in the order in which they are shown.
std::vector<std::string> key_table_names();
}  // namespace vox::hash
