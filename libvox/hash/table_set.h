// What the rest of the library knows of hash tables: a set of them on a device, one for each item size, behind
// calls that each work on a whole batch. The variant (table_list.h) is chosen at run time; a virtual call for
// thousands to millions of items costs nothing, and every variant is compiled once for each device.
//
// Leaves and nodes of one size share a table. Pointers are stable: an item stays where it was inserted.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "libvox/hash/batch.h"
#include "libvox/hash/linked_batches.h"
#include "libvox/hash/superblocks.h"
#include "libvox/hash/sweep.h"
#include "libvox/hash/table_memory.h"
#include "libvox/hash/table_options.h"

namespace vox::hash {

template <class Device>
class TableSet {
 public:
  virtual ~TableSet() = default;
  TableSet(const TableSet&) = delete;
  TableSet& operator=(const TableSet&) = delete;

  // Where the items lie, for loops that read them.
  SlabMemoryRef memory_ref() const { return superblocks_.ref(); }
  uint64_t pointer_range() const { return superblocks_.pointer_range(); }
  // How many items there is memory for, and of each superblock how many of them are before it.
  uint64_t places() const { return superblocks_.places(); }
  std::vector<uint32_t> first_places() const { return superblocks_.first_places(); }

  virtual uint64_t items() const = 0;
  // Of the sizes that have items.
  virtual std::vector<TableMemory> memory() const = 0;
  // What a good hash would lead to for as many items and buckets: measured.slabs and all that follows from it.
  virtual TableMemory predicted(const TableMemory& measured) const = 0;

  // How many items of each size there will be in the end. Call before there are any.
  virtual void expect(const SizeCounts& items) = 0;
  // How many times as many items as after the next insertion there will be in the end, as far as one knows.
  void expect_growth(double growth) { growth_ = growth; }

  // The search phase: pointers[chosen[i]] for i < n becomes the item's pointer, or kNullPointer.
  virtual void find(const BatchRef& batch, const ChosenRef& chosen, uint64_t n, uint32_t* pointers) const = 0;
  // The insertion phase: the chosen items differ from each other and from all that are stored.
  virtual void insert(const BatchRef& batch, const ChosenRef& chosen, uint64_t n, uint32_t* pointers) = 0;
  // The same, slower, and how many sectors of 32 bytes were touched.
  virtual uint64_t find_counted(const BatchRef& batch, const ChosenRef& chosen, uint64_t n,
                                uint32_t* pointers) const = 0;
  virtual uint64_t insert_counted(const BatchRef& batch, const ChosenRef& chosen, uint64_t n,
                                  uint32_t* pointers) = 0;
  // Removes the items without a mark (sweep.h).
  virtual SweepResult sweep(const uint32_t* marks) = 0;

  // For `batches` batches that depend on each other, none of more than `most` items. The tables outlive them
  // and have no other changes meanwhile.
  virtual std::unique_ptr<LinkedBatches> link_batches(size_t batches, uint64_t most) = 0;

  // A variant may keep memory in reserve for batches that are going to come; where memory is short, it lives
  // without from then on, and sweep() gives back what there is.
  virtual void make_reserve() {}
  virtual void live_without_reserves() {}

 protected:
  explicit TableSet(Device& device) : device_(device), superblocks_(device) {}

  Device& device_;
  Superblocks<Device> superblocks_;
  double growth_ = 1;
};

// The set that options.table names. Throws UsageError unless there is a table of this name.
template <class Device>
std::unique_ptr<TableSet<Device>> make_tables(Device& device, const TableOptions& options);

}  // namespace vox::hash
