// The DAG as it grows on a device: nodes and leaves in hash tables.
#pragma once

#include "libvox/dag/mark.h"
#include "libvox/dag/node.h"
#include "libvox/hash/find_or_insert.h"
#include "libvox/hash/table_list.h"

namespace vox {

template <class Device, class Tables = SectorTables<Device>>
class DagStore {
 public:
  using TablesType = Tables;

  explicit DagStore(Device& device, const TableOptions& options = {})
      : device_(device), tables_(device, options) {}

  // Pointers to the n items, those that are new stored. Item i is the words from offsets[i] to offsets[i +
  // 1].
  void intern(const uint32_t* words, const uint32_t* offsets, uint64_t n, uint32_t* pointers) {
    intern(BatchRef{words, offsets, nullptr}, n, pointers);
  }
  InternWork intern(const BatchRef& batch, uint64_t n, uint32_t* pointers) {
    const InternWork work = find_or_insert(device_, tables_, batch, n, pointers);
    keep(pointers, n);
    return work;
  }

  // While garbage is being collected in steps, the marker hears of all items that are found or inserted, by
  // keep() of those that did not come through intern().
  void set_marker(Marker<Device>* marker) { marker_ = marker; }
  void keep(const uint32_t* pointers, uint64_t n) {
    if (marker_) marker_->keep(pointers, n, pointer_range());
  }

  // How many times as many items as after the next batches the store will hold in the end, as far as one
  // knows.
  void expect_growth(double growth) { tables_.expect_growth(growth); }

  SlabMemoryRef ref() const { return tables_.memory_ref(); }
  uint64_t pointer_range() const { return tables_.pointer_range(); }
  // How many items the store has memory for, and of each superblock how many of them are before it.
  uint64_t places() const { return tables_.places(); }
  std::vector<uint32_t> first_places() const { return tables_.first_places(); }
  uint64_t items() const { return tables_.items(); }
  Tables& tables() { return tables_; }
  const Tables& tables() const { return tables_; }

 private:
  Device& device_;
  Tables tables_;
  Marker<Device>* marker_ = nullptr;
};

}  // namespace vox
