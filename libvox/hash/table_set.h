// What the rest of the library knows of hash tables: a set of them on a device, one for each item size,
// behind calls that each work on a whole batch. The variant (table_list.h) is chosen at run time; a virtual
// call for thousands to millions of items costs nothing, and every variant is compiled once for each device.
//
// Leaves and nodes of one size share a table. Pointers are stable: an item stays where it was inserted.
#pragma once

#include <memory>
#include <span>
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
  // How many places there are for items, and for each superblock how many of them are before it.
  uint64_t places() const { return superblocks_.places(); }
  std::vector<uint32_t> first_places() const { return superblocks_.first_places(); }

  virtual uint64_t items() const = 0;
  // What the tables take in memory, one entry for each item size that has items.
  virtual std::vector<TableMemory> memory() const = 0;
  // What a good hash would lead to for as many items and buckets: predicts `slabs` and all that follows from
  // it.
  virtual TableMemory predicted(const TableMemory& measured) const = 0;

  // Tells how many items of each size there will be in the end. Call it before there are any.
  virtual void expect(const SizeCounts& items) = 0;
  // Tells that there will be about `growth` times as many items in the end as after the next insertion.
  void expect_growth(double growth) { growth_ = growth; }

  // The search phase: pointers[chosen[i]] for each i < n becomes the item's pointer, or kNullPointer.
  virtual void find(const BatchRef& batch, const ChosenRef& chosen, uint64_t n, uint32_t* pointers) const = 0;
  // The insertion phase: the chosen items differ from each other and from all that are stored.
  virtual void insert(const BatchRef& batch, const ChosenRef& chosen, uint64_t n, uint32_t* pointers) = 0;
  // The same two calls, slower; they return how many sectors of 32 bytes were touched.
  virtual uint64_t find_counted(const BatchRef& batch, const ChosenRef& chosen, uint64_t n,
                                uint32_t* pointers) const = 0;
  virtual uint64_t insert_counted(const BatchRef& batch, const ChosenRef& chosen, uint64_t n,
                                  uint32_t* pointers) = 0;
  // Removes the items without a mark (sweep.h).
  virtual SweepResult sweep(const uint32_t* marks) = 0;

  // Starts batches that depend on each other, of so many items each. The tables must outlive the result and
  // must not change in other ways meanwhile.
  virtual std::unique_ptr<LinkedBatches> link_batches(std::span<const uint64_t> sizes) = 0;

  // A variant may keep memory in reserve for batches that are going to come. Where memory is short, the
  // second call tells it to make no more reserves; sweep() then gives back those that it has.
  virtual void make_reserve() {}
  virtual void live_without_reserves() {}

 protected:
  explicit TableSet(Device& device) : device_(device), superblocks_(device) {}

  Device& device_;
  Superblocks<Device> superblocks_;
  double growth_ = 1;
};

// Makes a set of the variant that options.table names. Throws UsageError unless there is a variant of this
// name.
template <class Device>
std::unique_ptr<TableSet<Device>> make_tables(Device& device, const TableOptions& options);

}  // namespace vox::hash
