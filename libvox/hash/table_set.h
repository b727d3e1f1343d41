// The interface of hash tables for the rest of the library: a set of tables on a device, one for each item
// size, with functions that each work on a whole batch. The variant (table_list.h) is chosen at run time. A
// virtual call for thousands to millions of items costs nothing, and every variant is compiled once for each
// device.
//
// Leaves and nodes of the same size share a table. Pointers are stable: an item stays where it was inserted.
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

  // The memory of the items, for loops that read them.
  SlabMemoryRef memory_ref() const { return superblocks_.ref(); }
  uint64_t pointer_range() const { return superblocks_.pointer_range(); }
  // The number of places for items, and for each superblock how many of them lie before it.
  uint64_t places() const { return superblocks_.places(); }
  std::vector<uint32_t> first_places() const { return superblocks_.first_places(); }

  virtual uint64_t items() const = 0;
  // Returns the memory of the tables, one entry for each item size that has items.
  virtual std::vector<TableMemory> memory() const = 0;
  // Returns what a good hash would lead to for the same numbers of items and buckets. It predicts `slabs` and
  // everything that depends on it.
  virtual TableMemory predicted(const TableMemory& measured) const = 0;

  // Announces the final number of items of each size. It must be called while the tables are empty.
  virtual void expect(const SizeCounts& items) = 0;
  // Announces that in the end there will be about `growth` times as many items as after the next insertion.
  void expect_growth(double growth) { growth_ = growth; }

  // Searches: sets pointers[chosen[i]] for each i < n to the item's pointer, or to kNullPointer.
  virtual void find(const BatchRef& batch, const ChosenRef& chosen, uint64_t n, uint32_t* pointers) const = 0;
  // Inserts the chosen items, which must differ from each other and from all stored items, and sets their
  // pointers.
  virtual void insert(const BatchRef& batch, const ChosenRef& chosen, uint64_t n, uint32_t* pointers) = 0;
  // These two are like find() and insert(), but slower. They return how many sectors of 32 bytes they
  // touched.
  virtual uint64_t find_counted(const BatchRef& batch, const ChosenRef& chosen, uint64_t n,
                                uint32_t* pointers) const = 0;
  virtual uint64_t insert_counted(const BatchRef& batch, const ChosenRef& chosen, uint64_t n,
                                  uint32_t* pointers) = 0;
  // Removes the items without a mark (sweep.h).
  virtual SweepResult sweep(const uint32_t* marks) = 0;

  // Starts batches that depend on each other; sizes[b] is the most items of batch b. The tables must outlive
  // the result and must not change in other ways meanwhile.
  virtual std::unique_ptr<LinkedBatches> link_batches(std::span<const uint64_t> sizes) = 0;

  // A variant may keep memory in reserve for batches to come. If memory is short, live_without_reserves()
  // tells it to make no more reserves, and sweep() gives back those that it has.
  virtual void make_reserve() {}
  virtual void live_without_reserves() {}

 protected:
  explicit TableSet(Device& device) : device_(device), superblocks_(device) {}

  Device& device_;
  Superblocks<Device> superblocks_;
  double growth_ = 1;
};

// Makes a set of the variant that options.table names. Throws UsageError if there is no such variant.
template <class Device>
std::unique_ptr<TableSet<Device>> make_tables(Device& device, const TableOptions& options);

}  // namespace vox::hash
