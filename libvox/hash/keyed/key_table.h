// The interface of tables of voxel keys for the rest of the library: a table is built from a batch of cells
// (keys.h) and then searched with batches of keys; some variants also change what they hold. The variant
// (make_key_tables_impl.h) is chosen at run time.
//
// A key is stored once. Equal cells may come more than once. A key with two values is an error, and so is a
// table that cannot be built; no key is ever lost. A table whose build has failed is empty, like one that has
// not been built yet: searches find nothing. In some variants the slot of a key is the same on every device. In
// others it depends on the order in which threads run, and no result may depend on it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "libvox/base/error.h"
#include "libvox/device/pool.h"
#include "libvox/hash/keyed/keys.h"

namespace vox::hash {

// The way in which `robin` finds the maximum ages of its slots.
enum class MaximumAges : uint8_t {
  Gathered,  // after the build, from where the keys are
  Atomic,    // by an atomic maximum at each insertion, as in the paper
  None       // not at all; searches for keys that are not stored take longer
};
inline constexpr std::array kMaximumAgesNames = {"gathered", "atomic", "none"};

// The age at which searches in `robin` begin.
enum class FirstAge : uint8_t { One, Mean };
inline constexpr std::array kFirstAgeNames = {"one", "mean"};

struct KeyTableOptions {
  std::string table = "lines";
  // The number of items for each cell, as far as the variant can choose. It must be above 0 and at most
  // most_load_factor(table). If not set, the variant's own factor is used.
  std::optional<double> load_factor = {};
  uint32_t value_bits = 0;  // bits of a cell below its key
  uint64_t seed = 0;        // other seeds give other hash functions
  // Only for `robin`: the bits of a maximum age, 2 to 4; the way to find maximum ages; the first age.
  uint32_t age_bits = 4;
  MaximumAges maximum_ages = MaximumAges::Gathered;
  FirstAge first_age = FirstAge::One;
  // The most attempts to build, in variants that can fail. If not set, the variant's own number is used.
  std::optional<uint32_t> most_attempts = {};
};

// The results of a build.
struct KeyTableBuild {
  uint64_t keys = 0;         // the number of different keys, which the table holds
  uint32_t attempts = 1;     // each with other hash functions
  uint64_t restarts = 0;     // restarts of parts of the table, in variants that have parts
  uint64_t parts = 0;        // the number of these parts
  uint64_t turns = 0;        // turns in which they were built; each goes through one of three sub-tables
  uint32_t most_probes = 0;  // the most places that a search may have to read
  uint64_t sectors = 0;      // sectors of 32 bytes that were touched, if they are counted
};

// Throws a UsageError if the options are invalid for cells of this many bits.
void check_key_table_options(const KeyTableOptions& options, uint32_t cell_bits);

// Throws a UsageError if cells have values. Maps call this function, because their values lie beside the cells.
void check_values_are_beside(const KeyTableOptions& options);

// Returns the load factor of a table with these options.
double load_factor_of(const KeyTableOptions& options);

// Returns the seed of the hash functions of an attempt. The first attempt is 1.
uint64_t attempt_seed(const KeyTableOptions& options, uint32_t attempt);

// The errors that a build throws.
Error two_values(const KeyTableOptions& options);
Error cannot_build(const KeyTableOptions& options, uint64_t keys, uint32_t attempts);
Error too_many_keys(const KeyTableOptions& options, uint64_t keys);

// Returns build(). If that throws, calls empty() before it passes the exception on, so that no partly built
// table is ever searched.
template <class Build, class Empty>
auto build_or_empty(const Build& build, const Empty& empty) {
  try {
    return build();
  } catch (...) {
    empty();
    throw;
  }
}

// Is true for a slot that holds a key, so that a device can select and count such slots. cell() returns the
// cell of such a slot. The slot behind the last one is for the cell that is kept apart, which may look like
// an empty one.
template <CellWord Cell>
struct HoldsKey {
  const Cell* cells;
  uint64_t slots;
  Cell mask;            // the bits of a cell that are key and value
  uint32_t link_every;  // every link_every-th slot holds a link, not a key; 0 if there are no links
  uint32_t holds_apart;

  VOX_HD bool operator()(uint64_t slot) const {
    if (slot >= slots) return holds_apart != 0;
    return cells[slot] != kEmptyCell<Cell> && (link_every == 0 || slot % link_every != link_every - 1);
  }
  VOX_HD Cell cell(uint64_t slot) const { return slot < slots ? cells[slot] & mask : cells[slot]; }
};

// A batch of keys that leave a table, whether it holds them or not, and of cells that it holds afterwards. Both lie in
// the device's memory.
template <CellWord Cell>
struct KeyTableChange {
  const Cell* erased;
  uint64_t erased_count;
  const Cell* added;
  uint64_t added_count;
};

template <class Device, CellWord Cell>
class KeyTable {
 public:
  virtual ~KeyTable() = default;
  KeyTable(const KeyTable&) = delete;
  KeyTable& operator=(const KeyTable&) = delete;

  // Replaces the table's content by these cells, which lie in the device's memory. Throws an Error if a key has
  // two values, if there are more keys than slot numbers, or if all attempts have failed.
  KeyTableBuild build(const Cell* cells, uint64_t n) {
    return or_empty([&] {
      if (static_cast<double>(n) / load_factor_ >= kNoSlot) throw too_many_keys(options_, n);
      return build_cells(cells, n);
    });
  }

  // Erases keys and then adds cells, which may be stored already. Returns nothing, and leaves the table as it is, if the
  // variant cannot do that. Throws an Error as build() does; then the table is empty.
  std::optional<KeyTableBuild> change(const KeyTableChange<Cell>& change) {
    return or_empty([&] { return change_cells(change); });
  }

  // Search: slots[i] becomes the slot of keys[i] or kNoSlot, values[i] its value or kNoValue.
  virtual void find(const Cell* keys, uint64_t n, uint32_t* slots) const = 0;
  virtual void find_values(const Cell* keys, uint64_t n, uint32_t* values) const = 0;
  // Does the same for keys that are all stored, which some variants find with less work. The values of other
  // keys are unspecified.
  virtual void find_values_of_stored(const Cell* keys, uint64_t n, uint32_t* values) const {
    find_values(keys, n, values);
  }
  // Searches like find_values(): sectors[i] becomes the number of sectors of 32 bytes that the search for
  // keys[i] reads.
  virtual void count_sectors(const Cell* keys, uint64_t n, uint32_t* sectors) const = 0;

  // Returns how many keys a search finds at the first place that it reads, at the second, and so on. The
  // counts begin at index 1. A count at kMostCountedProbes includes the keys with more probes. The key that
  // is kept apart is not counted. Returns nothing if the variant does not know.
  virtual std::vector<uint64_t> probes_of_keys() const { return {}; }
  static constexpr uint32_t kMostCountedProbes = 255;

  // Returns how many sectors a GPU moves for these searches, 32 successive ones at a time (searched.h).
  // Returns nothing if the variant does not know.
  virtual std::optional<uint64_t> count_warp_sectors(const Cell*, uint64_t) const { return std::nullopt; }
  // Returns for each slot the most places that a search which begins there reads. Returns nothing if the
  // variant does not keep maximum ages.
  virtual std::vector<uint8_t> maximum_ages() const { return {}; }

  // The cell at each slot; it is empty if the slot holds no key. All keys lie in slots below slots(), except
  // the one that is kept apart. Only the bits of cell_mask() of a filled cell are key and value; a variant
  // may use the others for data of its own. In some variants a few slots hold links, which holds_key() skips.
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
  virtual std::optional<KeyTableBuild> change_cells(const KeyTableChange<Cell>&) { return std::nullopt; }
  // Makes the table empty, whatever state it is in.
  virtual void clear() { build_cells(nullptr, 0); }
  template <class Build>
  auto or_empty(const Build& build) {
    return build_or_empty(build, [this] { clear(); });
  }

  virtual uint64_t bytes_beside_cells() const { return 0; }

  // Allocates cells for this many slots and for the cell that is kept apart. All are empty.
  void make_cells(uint64_t slots) {
    make_cells_unset(slots);
    device_.fill(cells_.data(), cells_.size(), kEmptyCell<Cell>);
  }
  // Does the same for a build that sets every cell itself.
  void make_cells_unset(uint64_t slots) {
    if (slots >= kNoSlot) throw Error("a table of voxel keys can have at most 2^32 - 2 cells");
    cells_.reset();
    cells_ = device_.template make<Cell>(slots + 1);
    slots_ = slots;
    holds_apart_ = false;
  }
  // Stores the key that is all ones with this value.
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
  uint32_t link_every_ = 0;  // same meaning as in HoldsKey
  bool holds_apart_ = false;
  uint32_t apart_value_ = 0;
};

// Makes an empty table of the variant that options.table names. Throws a UsageError if there is no such
// variant, or if an option is out of its range.
template <class Device, CellWord Cell>
std::unique_ptr<KeyTable<Device, Cell>> make_key_table(Device& device, const KeyTableOptions& options);

// The names of the variants, in the order in which they are shown.
std::vector<std::string> key_table_names();

// The load factors of a variant. Above `most` it builds no table, or fails too often.
struct KeyTableLoad {
  double usual = 0, most = 0;
};
// Throws a UsageError if there is no variant of this name.
KeyTableLoad key_table_load(const std::string& table);
inline double most_load_factor(const std::string& table) {
  return key_table_load(table).most;
}

// Tables of voxel keys to which keys can be added after they are built. Their buckets hold many cells each.
template <class Device, CellWord Cell>
class GrowingKeyTable : public KeyTable<Device, Cell> {
 public:
  // Sets how many keys the table will hold in the end, and how many keys a bucket should hold, if the variant can
  // choose. Later builds use these numbers instead of the number of cells and the load factor.
  void expect(uint64_t keys, uint32_t keys_per_bucket) {
    expected_keys_ = keys;
    keys_per_bucket_ = keys_per_bucket;
  }

  // Adds these cells, which lie in the device's memory, to the table. If there is no room, the table is built
  // again with all cells. Throws an Error as build() does; then the table is empty.
  KeyTableBuild insert(const Cell* cells, uint64_t n) {
    return this->or_empty([&] { return insert_cells(cells, n); });
  }
  // Does the same, but slower, and counts the sectors that it touches.
  KeyTableBuild insert_counted(const Cell* cells, uint64_t n) {
    return this->or_empty([&] { return insert_cells_counted(cells, n); });
  }

  // Returns how much of bytes() is in use. The rest is for future cells.
  virtual uint64_t bytes_in_use() const = 0;

 protected:
  using KeyTable<Device, Cell>::KeyTable;

  virtual KeyTableBuild insert_cells(const Cell* cells, uint64_t n) = 0;
  virtual KeyTableBuild insert_cells_counted(const Cell* cells, uint64_t n) = 0;

  uint64_t expected_keys_ = 0;
  uint32_t keys_per_bucket_ = 0;  // 0 if the load factor decides
};

// Makes an empty table of the variant that options.table names, as make_key_table() does.
template <class Device, CellWord Cell>
std::unique_ptr<GrowingKeyTable<Device, Cell>> make_growing_key_table(Device& device,
                                                                      const KeyTableOptions& options);

// The names of the variants that can grow, in the order in which they are shown.
std::vector<std::string> growing_key_table_names();

}  // namespace vox::hash
