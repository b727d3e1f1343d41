// The DAG as it grows on a device: nodes and leaves in hash tables.
#pragma once

#include "libvox/dag/node.h"
#include "libvox/hash/find_or_insert.h"
#include "libvox/hash/table_list.h"

namespace vox {

template <class Device, class Tables = SectorTables<Device>>
class DagStore {
 public:
  explicit DagStore(Device& device, const TableOptions& options = {})
      : device_(device), tables_(device, options) {}

  // Pointers to the n items, those that are new stored. Item i is the words from offsets[i] to offsets[i +
  // 1].
  void intern(const uint32_t* words, const uint32_t* offsets, uint64_t n, uint32_t* pointers) {
    intern(BatchRef{words, offsets, nullptr}, n, pointers);
  }
  InternWork intern(const BatchRef& batch, uint64_t n, uint32_t* pointers) {
    return find_or_insert(device_, tables_, batch, n, pointers);
  }

  // How many times as many items as after the next batches the store will hold in the end, as far as one
  // knows.
  void expect_growth(double growth) { tables_.expect_growth(growth); }

  SlabMemoryRef ref() const { return tables_.memory_ref(); }
  uint64_t pointer_range() const { return tables_.pointer_range(); }
  uint64_t items() const { return tables_.items(); }
  Tables& tables() { return tables_; }
  const Tables& tables() const { return tables_; }

 private:
  Device& device_;
  Tables tables_;
};

}  // namespace vox
