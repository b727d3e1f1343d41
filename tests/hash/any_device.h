// Hash tables on the device that VOX_TEST_DEVICE names. The interface depends neither on the variant nor on
// the device, so that tests are written once, in plain C++.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "libvox/dag/collect.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/hash/find_or_insert.h"
#include "libvox/hash/slab/tables.h"
#include "libvox/hash/sweep.h"
#include "tests/hash/items.h"

namespace vox {

using Pointers = std::vector<uint32_t>;
using Chosen = std::vector<uint32_t>;  // indices of items of a batch

struct CountedPointers {
  Pointers pointers;
  uint64_t sectors = 0;  // the number of sectors of 32 bytes that were touched
};

// A batch whose items may depend on items of the batch before.
struct LinkedBatch {
  static constexpr uint32_t kNoLink = UINT32_MAX;
  Batch items;
  // For each item, the index of an item in the batch before, whose pointer becomes the item's last word; or
  // kNoLink.
  std::vector<uint32_t> links;

  void add(const Item& item, uint32_t link = kNoLink) {
    items.add(item);
    links.push_back(link);
  }
  uint64_t size() const { return items.size(); }
};

// The results of batches that are inserted one after another.
struct InsertedBatches {
  std::vector<Chosen> leaders;  // empty if the tables do not report them
  std::vector<Pointers> pointers;
  std::vector<hash::InternWork> work;
  uint32_t stops = 0;       // the number of batches that had to be repeated
  uint32_t first_item = 0;  // the pointer of the last batch's first item
};

// A DagStore and its tables.
class AnyTables {
 public:
  static constexpr uint32_t kUntouched = 0xfffffffe;  // the pointer of items that are not chosen

  virtual ~AnyTables() = default;

  virtual void expect(const hash::SizeCounts& items) = 0;
  virtual void expect_growth(double growth) = 0;
  virtual Pointers find(const Batch& batch, const Chosen& chosen) = 0;
  virtual Pointers insert(const Batch& batch, const Chosen& chosen) = 0;
  virtual Pointers find_all(const Batch& batch) = 0;
  virtual Pointers insert_all(const Batch& batch) = 0;
  virtual CountedPointers find_counted(const Batch& batch) = 0;
  virtual CountedPointers insert_counted(const Batch& batch) = 0;
  virtual Pointers intern(const Batch& batch) = 0;

  // The last batch must not be empty.
  virtual InsertedBatches insert_batches(const std::vector<LinkedBatch>& batches) = 0;
  // Inserts the batches, but an exception follows after the last batch before it is finished.
  virtual void abandon_batches(const std::vector<LinkedBatch>& batches) = 0;

  // Keeps the items at these pointers.
  virtual hash::SweepResult sweep(const Pointers& kept) = 0;

  using Roots = std::vector<dag::DagRoot>;
  virtual dag::DagRoot load(const dag::FrozenDag& dag) = 0;
  virtual dag::FrozenDag freeze(const dag::DagRoot& root, const dag::FrozenDag& like) = 0;
  virtual dag::CollectWork collect(const Roots& roots) = 0;
  // Collects in steps, with other calls between them.
  virtual void start_collecting(const Roots& roots) = 0;
  virtual bool collect_step(uint64_t pointers) = 0;
  virtual bool collect_for(double seconds) = 0;
  virtual dag::CollectWork finish_collecting() = 0;

  // Returns for each item i as many words at pointers[i] as the item has.
  virtual std::vector<Item> read(const Batch& batch, const Pointers& pointers) = 0;
  virtual uint64_t items() = 0;
  virtual uint64_t pointer_range() = 0;
  virtual std::vector<hash::TableMemory> memory() = 0;
};

enum class LeaderFinder { OpenAddressing, Slabs };

class AnyDevice {
 public:
  virtual ~AnyDevice() = default;
  // The tables must not outlive the device.
  virtual std::unique_ptr<AnyTables> make_tables(const hash::TableOptions& options) = 0;
  virtual uint64_t bytes_used() = 0;  // the bytes of its memory in use
  virtual std::vector<uint32_t> leaders(const Batch& batch, LeaderFinder finder) = 0;
};

std::unique_ptr<AnyDevice> make_any_device();
std::unique_ptr<AnyDevice> make_any_cuda_device(int index);

}  // namespace vox
