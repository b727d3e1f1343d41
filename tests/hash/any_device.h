// Hash tables on the device that VOX_TEST_DEVICE names, behind calls that do not depend on table or device,
// so that tests are written once, in plain C++.
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
  uint64_t sectors = 0;  // of 32 bytes, touched
};

// A batch of which items may depend on the batch before.
struct LinkedBatch {
  static constexpr uint32_t kNoLink = UINT32_MAX;
  Batch items;
  // For each item that of the batch before, by its index, whose pointer becomes the last word, or kNoLink.
  std::vector<uint32_t> links;

  void add(const Item& item, uint32_t link = kNoLink) {
    items.add(item);
    links.push_back(link);
  }
  uint64_t size() const { return items.size(); }
};

// What becomes of batches that are inserted one behind the other.
struct InsertedBatches {
  std::vector<Chosen> leaders;  // none where the tables do without
  std::vector<Pointers> pointers;
  std::vector<hash::InternWork> work;
  uint32_t stops = 0;       // how often a batch had to be done again
  uint32_t first_item = 0;  // of the last batch: its pointer
};

// A DagStore and its tables.
class AnyTables {
 public:
  static constexpr uint32_t kUntouched = 0xfffffffe;  // what calls leave to items that are not chosen

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

  // The last batch is not empty.
  virtual InsertedBatches insert_batches(const std::vector<LinkedBatch>& batches) = 0;
  // The same up to an exception after the last batch.
  virtual void abandon_batches(const std::vector<LinkedBatch>& batches) = 0;

  // Keeps the items at these pointers.
  virtual hash::SweepResult sweep(const Pointers& kept) = 0;

  using Roots = std::vector<dag::DagRoot>;
  virtual dag::DagRoot load(const dag::FrozenDag& dag) = 0;
  virtual dag::FrozenDag freeze(const dag::DagRoot& root, const dag::FrozenDag& like) = 0;
  virtual dag::CollectWork collect(const Roots& roots) = 0;
  // In steps, with other calls between them.
  virtual void start_collecting(const Roots& roots) = 0;
  virtual bool collect_step(uint64_t pointers) = 0;
  virtual bool collect_for(double seconds) = 0;
  virtual dag::CollectWork finish_collecting() = 0;

  // The words at pointers[i], as many as item i has.
  virtual std::vector<Item> read(const Batch& batch, const Pointers& pointers) = 0;
  virtual uint64_t items() = 0;
  virtual uint64_t pointer_range() = 0;
  virtual std::vector<hash::TableMemory> memory() = 0;
};

enum class LeaderFinder { OpenAddressing, Slabs };

class AnyDevice {
 public:
  virtual ~AnyDevice() = default;
  // They live no longer than the device.
  virtual std::unique_ptr<AnyTables> make_tables(const hash::TableOptions& options) = 0;
  virtual uint64_t bytes_used() = 0;  // of its memory
  virtual std::vector<uint32_t> leaders(const Batch& batch, LeaderFinder finder) = 0;
};

std::unique_ptr<AnyDevice> make_any_device();
std::unique_ptr<AnyDevice> make_any_cuda_device(int index);

}  // namespace vox
