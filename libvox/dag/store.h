// The DAG while it grows on a device: nodes and leaves in hash tables.
#pragma once

#include "libvox/dag/mark.h"
#include "libvox/dag/node.h"
#include "libvox/hash/find_or_insert.h"

namespace vox::dag {

template <class Device>
class DagStore {
 public:
  explicit DagStore(Device& device, const hash::TableOptions& options = {})
      : device_(device), tables_(hash::make_tables(device, options)) {}

  // Finds n items, inserts those that are new, and writes the pointers of all. Item i has the words from
  // offsets[i] to before offsets[i + 1].
  void intern(const uint32_t* words, const uint32_t* offsets, uint64_t n, uint32_t* pointers) {
    intern(hash::BatchRef{words, offsets, nullptr}, n, pointers);
  }
  hash::InternWork intern(const hash::BatchRef& batch, uint64_t n, uint32_t* pointers) {
    const hash::InternWork work = hash::find_or_insert(device_, *tables_, batch, n, pointers);
    keep(pointers, n);
    return work;
  }

  // While garbage is collected in steps, the marker must learn about all items that are found or inserted.
  // intern() reports them; code that uses the tables without intern() must call keep().
  void set_marker(Marker<Device>* marker) { marker_ = marker; }
  void keep(const uint32_t* pointers, uint64_t n) {
    if (marker_) marker_->keep(pointers, n, pointer_range());
  }

  hash::SlabMemoryRef ref() const { return tables_->memory_ref(); }
  uint64_t pointer_range() const { return tables_->pointer_range(); }
  uint64_t items() const { return tables_->items(); }
  hash::TableSet<Device>& tables() { return *tables_; }
  const hash::TableSet<Device>& tables() const { return *tables_; }

 private:
  Device& device_;
  std::unique_ptr<hash::TableSet<Device>> tables_;
  Marker<Device>* marker_ = nullptr;
};

}  // namespace vox::dag
