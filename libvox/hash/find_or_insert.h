// Linked batches as one block of threads sees them. A kernel starts and interns many small batches with it, one after
// the other, which takes less time than a launch for each of their loops:
//
//   for each batch:  block.each(items.n, …)   makes the items and hands each to batches.start(number, items)
//                    batches.intern(block, number, items)
//
// LinkedBatches::in_block() returns it. Only variants that intern without the host have one. To add such a variant,
// give it a member beside `sectors_` and a case in each function.
#pragma once

#include <bit>

#include "libvox/base/bits.h"
#include "libvox/device/atomics.h"
#include "libvox/device/device.h"
#include "libvox/device/pool.h"
#include "libvox/hash/batch.h"
#include "libvox/hash/linked_batches.h"
#include "libvox/hash/sector/chains.h"
#include "libvox/hash/table_set.h"

namespace vox::hash {

class BlockBatches {
 public:
  BlockBatches() = default;  // for variants that need the host
  explicit BlockBatches(const SectorContext* sectors) : sectors_(sectors) {}

  // False if these batches cannot be interned in a block.
  explicit operator bool() const { return sectors_ != nullptr; }

  // Does what LinkedBatches::start() does. All threads of the block may call it.
  VOX_HD BatchStart start(uint32_t number, const BatchItems& items) const {
    return sectors_->start(number, items);
  }

  // Does what LinkedBatches::intern() does. All threads of the block call it together.
  template <class Block>
  VOX_HD void intern(const Block& block, uint32_t number, const BatchItems& items) const {
    const SectorBatch batch = {sectors_, items, sectors_->scratch(number, items), sectors_->room, number};
    const auto places = static_cast<uint32_t>(PartedList::all(items.n));
    block.each(places, FindOrChain{batch});
    block.each(places, InsertChains{batch});
  }

 private:
  const SectorContext* sectors_ = nullptr;  // in the memory of the device
};

// Interns a batch in a set of tables: duplicates inside the batch are set aside, stored items are found, and
// the others are inserted.

// Finds duplicates inside a batch: for every item, the index of its leader. Equal items have the same leader, which is
// one of them. An item without words gets kNone. The leaders are found with an open-addressed table of item indices;
// the items themselves stay where they are.
struct FindLeader {
  BatchRef batch;
  uint32_t* table;  // mask + 1 entries, kNone if empty
  uint64_t mask;
  uint32_t* leaders;
  static constexpr uint32_t kNone = UINT32_MAX;

  VOX_HD void prefetch(uint64_t i, int stage) const {
    const uint32_t* slot = table + (batch.hashes[i] & mask);
    if (stage == 0) {
      prefetch_line(slot);
    } else if (const uint32_t there = device::atomic_load_relaxed(slot); there != kNone) {
      prefetch_line(batch.hashes + there);
      if (batch.offsets) prefetch_line(batch.offsets + there);
    }
  }

  VOX_HD void operator()(uint64_t i) const {
    const uint32_t size = batch.size(i);
    if (size == 0) {
      leaders[i] = kNone;
      return;
    }
    for (uint64_t slot = batch.hashes[i] & mask;; slot = (slot + 1) & mask) {
      uint32_t there = device::atomic_load_relaxed(table + slot);
      if (there == kNone)
        there = device::atomic_exchange_if_relaxed(table + slot, kNone, static_cast<uint32_t>(i));
      if (there == kNone) there = static_cast<uint32_t>(i);
      if (there == i || (batch.hashes[there] == batch.hashes[i] && batch.size(there) == size &&
                         same_words(batch.item(there), batch.item(i), size))) {
        leaders[i] = there;
        return;
      }
    }
  }
};
static_assert(device::PrefetchingBody<FindLeader>);

template <class Device>
void find_leaders(Device& device, const BatchRef& batch, uint64_t n, uint32_t* leaders) {
  const uint64_t size = std::bit_ceil(2 * n + 1);
  device::Buffer<uint32_t> table = device.template make<uint32_t>(size);
  device.fill(table.data(), size, FindLeader::kNone);
  device.for_each({"duplicates in the batch", 40}, n, FindLeader{batch, table.data(), size - 1, leaders});
}

// One of the ways to find duplicates: find_leaders(), or find_leaders_in_slabs() (slab/variants.h).
template <class Device>
using DuplicateFinder = void (*)(Device& device, const BatchRef& batch, uint64_t n, uint32_t* leaders);

struct HashItems {
  BatchRef batch;
  uint64_t* hashes;
  VOX_HD void operator()(uint64_t i) const { hashes[i] = hash_words(batch.item(i), batch.size(i)); }
};

struct IsLeader {
  const uint32_t* leader_of;
  VOX_HD bool operator()(uint64_t i) const { return leader_of[i] == i; }
};

struct IsNew {
  const uint32_t* leader_of;
  const uint32_t* pointers;
  VOX_HD bool operator()(uint64_t i) const { return leader_of[i] == i && pointers[i] == kNullPointer; }
};

struct FollowLeader {
  const uint32_t* leader_of;
  uint32_t* pointers;
  VOX_HD void operator()(uint64_t i) const {
    const uint32_t leader = leader_of[i];
    if (leader != i) pointers[i] = leader == FindLeader::kNone ? kNullPointer : pointers[leader];
  }
};

// Sets pointers[i] to the pointer of item i in the tables. Equal items get equal pointers.
template <class Device>
InternWork find_or_insert(Device& device, TableSet<Device>& tables, BatchRef batch, uint64_t n,
                          uint32_t* pointers, DuplicateFinder<Device> find = find_leaders<Device>) {
  if (n == 0) return {};
  auto hashes = device.template make<uint64_t>(n);
  auto leader_of = device.template make<uint32_t>(n);
  auto chosen = device.template make<uint32_t>(n);
  device.for_each({"hash items", 36}, n, HashItems{batch, hashes.data()});
  batch.hashes = hashes.data();
  find(device, batch, n, leader_of.data());
  const uint64_t leaders = device.select({"select leaders", 8}, n, IsLeader{leader_of.data()}, chosen.data());
  tables.find(batch, {chosen.data()}, leaders, pointers);
  const uint64_t missing =
      device.select({"select new items", 12}, n, IsNew{leader_of.data(), pointers}, chosen.data());
  tables.insert(batch, {chosen.data()}, missing, pointers);
  device.for_each({"follow leaders", 8}, n, FollowLeader{leader_of.data(), pointers});
  return {leaders, missing};
}

// LinkedBatches for tables that need the host for each batch: each batch is finished before the next one
// starts.
template <class Device>
class SteppedBatches final : public LinkedBatches {
 public:
  SteppedBatches(Device& device, TableSet<Device>& tables, size_t batches,
                 DuplicateFinder<Device> find = find_leaders<Device>)
      : LinkedBatches(batches),
        device_(device),
        tables_(tables),
        find_(find),
        word_(device.template make<uint32_t>(1)) {}

  BatchStart start(size_t, const BatchItems& items) const override { return {.items = items}; }
  bool has_leaders() const override { return false; }
  void intern(size_t number, const BatchItems& items) override {
    work_[number] = find_or_insert(device_, tables_, items.ref(), items.n, items.pointers, find_);
  }
  BlockBatches in_block() override { return {}; }
  uint32_t* word() const override { return word_.data(); }
  BatchesResult finish() override {
    BatchesResult result;
    device_.download(&result.word, word_.data(), 1);
    return result;
  }

 private:
  Device& device_;
  TableSet<Device>& tables_;
  DuplicateFinder<Device> find_;
  device::Buffer<uint32_t> word_;
};

}  // namespace vox::hash
