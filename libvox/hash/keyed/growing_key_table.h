// Tables of voxel keys to which keys can be added after they are built. Their buckets hold many cells each.
#pragma once

#include "libvox/hash/keyed/key_table.h"

namespace vox::hash {

template <class Device, CellWord Cell>
class GrowingKeyTable : public KeyTable<Device, Cell> {
 public:
  // Sets how many keys the table will hold in the end, and how many keys each bucket, as far as the variant
  // can choose. Later builds use these numbers instead of the number of cells and the load factor.
  void expect(uint64_t keys, uint32_t keys_per_bucket) {
    expected_keys_ = keys;
    keys_per_bucket_ = keys_per_bucket;
  }

  // Adds these cells, which lie in the device's memory, to the table. If there is no room, the table is built
  // again with all cells. Throws Error as build() does; then the table is empty.
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
