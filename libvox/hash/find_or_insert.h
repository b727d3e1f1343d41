// Interns a batch in a set of tables: duplicates inside the batch are set aside, stored items are found, and
// the others are inserted.
#pragma once

#include "libvox/hash/batch.h"
#include "libvox/hash/batch_duplicates.h"
#include "libvox/hash/table_set.h"

namespace vox::hash {

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
                          uint32_t* pointers) {
  if (n == 0) return {};
  auto hashes = device.template make<uint64_t>(n);
  auto leader_of = device.template make<uint32_t>(n);
  auto chosen = device.template make<uint32_t>(n);
  device.for_each({"hash items", 36}, n, HashItems{batch, hashes.data()});
  batch.hashes = hashes.data();
  find_leaders(device, batch, n, leader_of.data());
  const uint64_t leaders = device.select({"select leaders", 8}, n, IsLeader{leader_of.data()}, chosen.data());
  tables.find(batch, {chosen.data()}, leaders, pointers);
  const uint64_t missing =
      device.select({"select new items", 12}, n, IsNew{leader_of.data(), pointers}, chosen.data());
  tables.insert(batch, {chosen.data()}, missing, pointers);
  device.for_each({"follow leaders", 8}, n, FollowLeader{leader_of.data(), pointers});
  return {leaders, missing};
}

}  // namespace vox::hash
