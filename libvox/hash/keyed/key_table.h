// What the rest of the library knows of tables of voxel keys: a table is built from a batch of cells
// (cell.h) and then searched by batches of keys. The variant (key_table_list.h) is chosen at run time.
//
// A key is stored once. Equal cells may come more than once; a key with two values is an error, as is a table
// that cannot be built: no key is ever lost. A table whose build has failed is empty, as one is that has not been
// built yet: searches find nothing. Where a key lies, its slot, is the same on every device in some variants; in
// others threads decide it, and no result may depend on it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "libvox/base/error.h"
#include "libvox/device/pool.h"
#include "libvox/hash/keyed/cell.h"

namespace vox::hash {

struct KeyTableOptions {
  std::string table = "lines";
  // How many items a cell, as far as the variant can choose: above 0 and at most most_load_factor(table). None
  // is the variant's own.
  std::optional<double> load_factor = {};
  uint32_t value_bits = 0;  // of a cell, below its key
  uint64_t seed = 0;        // other seeds give other hash functions
  uint32_t age_bits = 4;    // of `robin`: 2 to 4 for each of its maximum ages
  // How often a build is tried at most, in variants that can fail. None is the variant's own number.
  std::optional<uint32_t> most_attempts = {};
};

// What a build came to.
struct KeyTableBuild {
  uint64_t keys = 0;         // different ones, which the table holds
  uint32_t attempts = 1;     // with other hash functions each
  uint64_t restarts = 0;     // of parts of the table, where the variant has any
  uint64_t parts = 0;        // how many of these there are
  uint32_t most_probes = 0;  // how many places a search may have to look at
  uint64_t sectors = 0;      // of 32 bytes that were touched, where they are counted
};

// Throws UsageError unless the options make sense for cells of so many bits.
void check_key_table_options(const KeyTableOptions& options, uint32_t cell_bits);

// Throws UsageError where cells have values, of a map whose values are elsewhere.
void check_values_are_beside(const KeyTableOptions& options);

// The load factor that a table of these options has.
double load_factor_of(const KeyTableOptions& options);

// What the hash functions of an attempt follow from; the first is 1.
uint64_t attempt_seed(const KeyTableOptions& options, uint32_t attempt);

// What a build throws.
Error two_values(const KeyTableOptions& options);
Error cannot_build(const KeyTableOptions& options, uint64_t keys, uint32_t attempts);
Error too_many_keys(const KeyTableOptions& options, uint64_t keys);

// Returns build(). Where that throws, calls empty() before the exception goes on, so that nothing half built is
// ever searched.
template <class Build, class Empty>
KeyTableBuild build_or_empty(const Build& build, const Empty& empty) {
  try {
    return build();
  } catch (...) {
    empty();
    throw;
  }
}

// Says of a slot whether it holds a key, as a device selects slots and counts them by it, and gives the cell of
// one that does. The slot behind the last is for the cell that is kept apart, which may look like an empty one.
template <CellWord Cell>
struct HoldsKey {
  const Cell* cells;
  uint64_t slots;
  Cell mask;            // what of a cell is key and value
  uint32_t link_every;  // the last of so many slots is for a link, not for a key; 0: none is
  uint32_t holds_apart;

  VOX_HD bool operator()(uint64_t slot) const {
    if (slot >= slots) return holds_apart != 0;
    return cells[slot] != kEmptyCell<Cell> && (link_every == 0 || slot % link_every != link_every - 1);
  }
  VOX_HD Cell cell(uint64_t slot) const { return slot < slots ? cells[slot] & mask : cells[slot]; }
};

template <class Device, CellWord Cell>
class KeyTable {
 public:
  virtual ~KeyTable() = default;
  KeyTable(const KeyTable&) = delete;
  KeyTable& operator=(const KeyTable&) = delete;

  // Builds a table of these cells, which lie in the device's memory, in place of what it held. Throws Error
  // where a key has two values, where there are more keys than slots can be numbered, or where all attempts have
  // failed.
  KeyTableBuild build(const Cell* cells, uint64_t n) {
    return or_empty([&] {
      if (static_cast<double>(n) / load_factor_ >= kNoSlot) throw too_many_keys(options_, n);
      return build_cells(cells, n);
    });
  }

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

  // How many keys a search finds at the first place that it looks at, at the second, …: the counts begin with
  // index 1. The last, if it is kMostCountedProbes, has those of more probes as well. The key that is kept
  // apart is not among them. Nothing where a variant does not say.
  virtual std::vector<uint64_t> probes_of_keys() const { return {}; }
  static constexpr uint32_t kMostCountedProbes = 255;

  // How many sectors a GPU moves for these searches, 32 that follow each other at a time (searched.h). Nothing
  // where a variant does not say.
  virtual std::optional<uint64_t> count_warp_sectors(const Cell*, uint64_t) const { return std::nullopt; }
  // For each slot how many places a search that begins there looks at, at most. Nothing where a variant does not
  // keep maximum ages.
  virtual std::vector<uint8_t> maximum_ages() const { return {}; }

  // The cell at each slot; empty where it holds nothing. All keys lie in slots below slots(), but for the one
  // that is kept apart. Of a cell that is not empty the bits of cell_mask() count: where no key needs the
  // others, a variant may keep something of its own in them. Of some variants a few slots are for links:
  // holds_key() leaves them out.
  const Cell* cells() const { return cells_.data(); }
  Cell cell_mask() const { return cell_mask_; }
  uint64_t slots() const { return slots_; }
  HoldsKey<Cell> holds_key() const {
    return {cells_.data(), slots_, cell_mask_, link_every_, holds_apart_ ? 1u : 0u};
  }
  bool holds_apart() const { return holds_apart_; }
  CellFormat<Cell> format() const { return format_; }
  uint64_t bytes() const { return cells_.size() * sizeof(Cell) + bytes_beside_cells(); }

 protected:
  KeyTable(Device& device, const KeyTableOptions& options)
      : device_(device),
        options_(options),
        load_factor_(load_factor_of(options)),
        format_{options.value_bits} {
    check_key_table_options(options, CellFormat<Cell>::kBits);
  }

  virtual KeyTableBuild build_cells(const Cell* cells, uint64_t n) = 0;
  // Leaves a table without keys, whatever has become of it.
  virtual void clear() { build_cells(nullptr, 0); }
  template <class Build>
  KeyTableBuild or_empty(const Build& build) {
    return build_or_empty(build, [this] { clear(); });
  }

  virtual uint64_t bytes_beside_cells() const { return 0; }

  // Makes room for so many slots and the cell that is kept apart; all are empty.
  void make_cells(uint64_t slots) {
    make_cells_unset(slots);
    device_.fill(cells_.data(), cells_.size(), kEmptyCell<Cell>);
  }
  // The same, for a build that sets every cell itself.
  void make_cells_unset(uint64_t slots) {
    if (slots >= kNoSlot) throw Error("a table of voxel keys has fewer than 2^32 - 1 cells");
    cells_.reset();
    cells_ = device_.template make<Cell>(slots + 1);
    slots_ = slots;
    holds_apart_ = false;
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
  const double load_factor_;
  const CellFormat<Cell> format_;
  device::Buffer<Cell> cells_;
  Cell cell_mask_ = kEmptyCell<Cell>;
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

// What a variant does with load factors. Beyond `most` it builds no table, or too seldom one.
struct KeyTableLoad {
  double usual = 0, most = 0;
};
// Throws UsageError unless there is a variant of this name.
KeyTableLoad key_table_load(const std::string& table);
inline double most_load_factor(const std::string& table) {
  return key_table_load(table).most;
}

}  // namespace vox::hash
