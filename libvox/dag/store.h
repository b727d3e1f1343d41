// The DAG as it grows on a device: one hash table per item size; leaves and nodes of one size share a table.
#pragma once

#include <array>
#include <vector>

#include "libvox/base/error.h"
#include "libvox/dag/node.h"
#include "libvox/hash/accel8.h"
#include "libvox/hash/batch_duplicates.h"
#include "libvox/hash/slab_table.h"

namespace vox {

template <class Table>
using TableRefs = std::array<typename Table::Ref, kMaxItemWords + 1>;  // by item size

struct HashItems {
  const uint32_t* words;
  const uint32_t* offsets;
  uint64_t* hashes;
  VOX_HD void operator()(uint64_t i) const {
    hashes[i] = hash_words(words + offsets[i], offsets[i + 1] - offsets[i]);
  }
};

// Search phase: leaders that are stored get their pointer, the others kNullPointer.
template <class Table>
struct FindItems {
  BatchRef batch;
  TableRefs<Table> tables;
  const uint32_t* leaders;
  uint32_t* pointers;
  uint32_t* missing;  // by item size
  VOX_HD void prefetch(uint64_t i, int stage) const {
    const typename Table::Ref& table = tables[batch.size(leaders[i])];
    if (table.bucket_count != 0) table.prefetch(batch.hashes[leaders[i]], stage);
  }
  template <class Group>
  VOX_HD void operator()(Group group, uint64_t i) const {
    const uint32_t leader = leaders[i], size = batch.size(leader);
    const typename Table::Ref& table = tables[size];
    uint32_t pointer =
        table.bucket_count == 0 ? kNullPointer : table.find(group, batch.item(leader), batch.hashes[leader]);
    group.once([&] {
      pointers[leader] = pointer;
      return pointer == kNullPointer ? atomic_add(missing + size, 1) : 0u;
    });
  }
};

struct IsMissing {
  const uint32_t* leaders;
  const uint32_t* pointers;
  VOX_HD bool operator()(uint64_t i) const { return pointers[leaders[i]] == kNullPointer; }
};

template <class Table>
struct InsertItems {
  BatchRef batch;
  TableRefs<Table> tables;
  const uint32_t* leaders;
  const uint32_t* missing;  // into leaders
  uint32_t* pointers;
  VOX_HD void prefetch(uint64_t i, int stage) const {
    const uint32_t leader = leaders[missing[i]];
    tables[batch.size(leader)].prefetch(batch.hashes[leader], stage);
  }
  template <class Group>
  VOX_HD void operator()(Group group, uint64_t i) const {
    const uint32_t leader = leaders[missing[i]];
    uint32_t pointer = tables[batch.size(leader)].insert(group, batch.item(leader), batch.hashes[leader]);
    group.once([&] { return pointers[leader] = pointer; });
  }
};

struct IsLeader {
  const uint32_t* leaders;
  VOX_HD bool operator()(uint64_t i) const { return leaders[i] == i; }
};

struct FollowLeader {
  const uint32_t* leaders;
  uint32_t* pointers;
  VOX_HD void operator()(uint64_t i) const {
    if (leaders[i] != i) pointers[i] = pointers[leaders[i]];
  }
};

template <class Device, class Table = Accel8>
class DagStore {
 public:
  explicit DagStore(Device& device) : device_(device), memory_(device) {
    for (uint32_t words = 0; words <= kMaxItemWords; ++words) tables_.emplace_back(device, memory_, words);
    counts_ = device.template make<uint32_t>(kMaxItemWords + 1);
  }

  // Pointers to the n items, those that are new stored. Item i is the words from offsets[i] to offsets[i +
  // 1].
  void intern(const uint32_t* words, const uint32_t* offsets, uint64_t n, uint32_t* pointers);

  // How many times as many items as after the next batches the store will hold in the end, as far as one
  // knows.
  void expect_growth(double growth) { growth_ = growth; }

  SlabMemoryRef ref() const { return memory_.ref(); }
  uint64_t pointer_range() const { return memory_.pointer_range(); }
  uint64_t items() const {
    uint64_t sum = 0;
    for (const auto& table : tables_) sum += table.items();
    return sum;
  }

 private:
  TableRefs<Table> table_refs() const {
    TableRefs<Table> refs = {};
    for (uint32_t words = 0; words <= kMaxItemWords; ++words) refs[words] = tables_[words].ref();
    return refs;
  }

  Device& device_;
  SlabMemory<Device> memory_;
  std::vector<SlabTable<Device, Table>> tables_;
  Buffer<uint32_t> counts_;
  double growth_ = 1;
};

template <class Device, class Table>
void DagStore<Device, Table>::intern(const uint32_t* words, const uint32_t* offsets, uint64_t n,
                                     uint32_t* pointers) {
  if (n == 0) return;
  auto hashes = device_.template make<uint64_t>(n);
  auto leader_of = device_.template make<uint32_t>(n);
  auto leaders = device_.template make<uint32_t>(n);
  const BatchRef batch = {words, offsets, hashes.data()};
  device_.for_each({"hash items", 36}, n, HashItems{words, offsets, hashes.data()});
  find_leaders(device_, batch, n, leader_of.data());
  const uint64_t leader_count =
      device_.select({"select leaders", 8}, n, IsLeader{leader_of.data()}, leaders.data());

  device_.fill(counts_.data(), counts_.size(), 0u);
  device_.for_each_group({"find items", 100}, leader_count,
                         FindItems<Table>{batch, table_refs(), leaders.data(), pointers, counts_.data()});
  std::array<uint32_t, kMaxItemWords + 1> missing_of_size;
  device_.download(missing_of_size.data(), counts_.data(), counts_.size());
  for (uint32_t size = 0; size <= kMaxItemWords; ++size)
    tables_[size].reserve(missing_of_size[size], growth_);

  auto missing = device_.template make<uint32_t>(leader_count);
  const uint64_t missing_count = device_.select({"select new items", 12}, leader_count,
                                                IsMissing{leaders.data(), pointers}, missing.data());
  device_.for_each_group({"insert items", 132}, missing_count,
                         InsertItems<Table>{batch, table_refs(), leaders.data(), missing.data(), pointers});
  device_.for_each({"follow leaders", 8}, n, FollowLeader{leader_of.data(), pointers});
}

}  // namespace vox
