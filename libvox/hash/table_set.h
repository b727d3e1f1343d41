// The interface of hash tables for the rest of the library: a set of tables on a device, one for each item
// size, with functions that each work on a whole batch. The variant (table_options.h) is chosen at run time. A
// virtual call for thousands to millions of items costs nothing, and every variant is compiled once for each
// device.
//
// Leaves and nodes of the same size share a table. Pointers are stable: an item stays where it was inserted.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "libvox/device/pool.h"
#include "libvox/hash/batch.h"
#include "libvox/hash/linked_batches.h"
#include "libvox/hash/slab_memory.h"
#include "libvox/hash/table_options.h"

namespace vox::hash {

// The result of TableSet::sweep(marks), which removes items after a collection has found those that can be reached.
// It keeps each item whose pointer p has its bit in `marks`: bit p % 32 of the word p / 32, for each p <
// pointer_range(), which is one word for each slab. Bits without an item have no effect. The kept items do not move.
// Later insertions use the places of removed items again. Superblocks without a marked pointer are returned to the
// system, and their numbers may be used again.
struct SweepResult {
  uint64_t items_removed = 0;
  uint64_t bytes_returned = 0;
};

// Gives the memory that the pool got back to the system. Returns the results of the sweep.
inline SweepResult end_sweep(device::Pool& pool, uint64_t items_removed, uint64_t used_before) {
  const uint64_t used = pool.used(), returned = used_before > used ? used_before - used : 0;
  if (returned > 0) pool.trim();
  return {items_removed, returned};
}

// The memory of the table of one item size, in bytes by purpose.
struct TableMemory {
  uint32_t item_words = 0;
  uint64_t items = 0;
  uint64_t buckets = 0;
  uint64_t slabs = 0;  // slabs in use, in all buckets

  uint64_t item_bytes = 0;         // slots that hold an item
  uint64_t empty_bytes = 0;        // slots that hold none
  uint64_t fingerprint_bytes = 0;  // fingerprints, or the bits of used slots
  uint64_t link_bytes = 0;         // links to the next slab or to the items, and the bits for sweeps
  uint64_t padding_bytes = 0;
  uint64_t bucket_bytes = 0;  // links to each bucket's first slab
  uint64_t bitmap_bytes = 0;  // the allocator's bitmaps
  uint64_t slack_bytes = 0;   // slabs of superblocks that no bucket uses

  std::vector<uint64_t> chain_lengths;  // the number of buckets with 0, 1, 2, … slabs

  // Returns the bytes that the papers count: whole slabs and the links to them.
  uint64_t total_bytes() const {
    return item_bytes + empty_bytes + fingerprint_bytes + link_bytes + padding_bytes + bucket_bytes;
  }
  uint64_t allocated_bytes() const { return total_bytes() + bitmap_bytes + slack_bytes; }
};

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
  // Returns the memory that a good hash would lead to with as many items and buckets. It predicts `slabs` and
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
  // These two are like find() and insert(), but slower. The first returns what it counted, the second how
  // many sectors of 32 bytes it touched.
  virtual SearchCounts find_counted(const BatchRef& batch, const ChosenRef& chosen, uint64_t n,
                                    uint32_t* pointers) const = 0;
  virtual uint64_t insert_counted(const BatchRef& batch, const ChosenRef& chosen, uint64_t n,
                                  uint32_t* pointers) = 0;
  // From now on, find() adds to `to` what find_counted() counts, until this is called with nullptr. Searches of linked
  // batches are not counted in variants that have loops of their own for them.
  void count_searches(SearchCounts* to) { counted_searches_ = to; }
  // Removes the items without a mark.
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

  // Calls f(counts) with counts that start at 0 in the device's memory, and returns their final values.
  template <class F>
  SearchCounts counted(const F& f) const {
    auto on_device = device_.template make<SearchCounts>(1);
    device_.fill(on_device.data(), 1, SearchCounts{});
    f(on_device.data());
    SearchCounts counts;
    device_.download(&counts, on_device.data(), 1);
    return counts;
  }

  Device& device_;
  Superblocks<Device> superblocks_;
  double growth_ = 1;
  SearchCounts* counted_searches_ = nullptr;
};

// Makes a set of the variant that options.table names. Throws a UsageError if there is no such variant.
template <class Device>
std::unique_ptr<TableSet<Device>> make_tables(Device& device, const TableOptions& options);

}  // namespace vox::hash
