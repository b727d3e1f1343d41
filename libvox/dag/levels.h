// Builds one level of the DAG from the level below it. A level is in Morton order, so children of the same
// parent stand side by side.
#pragma once

#include "libvox/dag/node.h"
#include "libvox/dag/store.h"
#include "libvox/device/pool.h"
#include "libvox/device/runs.h"

namespace vox::dag {

// The nodes of one level: their Morton keys in ascending order, and the store's pointers to them.
template <class Key>
struct StoredLevel {
  device::Buffer<Key> keys;
  device::Buffer<uint32_t> pointers;
  uint64_t count = 0;
};

template <class Key>
struct ParentHeaders {
  device::CellsRef parents;
  hash::SlabMemoryRef store;
  const Key* child_keys;
  const uint32_t* child_pointers;
  NodeKind kind;
  bool materials;
  uint32_t* headers;
  VOX_HD void operator()(uint64_t i) const {
    const uint64_t begin = parents.begin(i), end = parents.end(i);
    uint32_t header = 0;
    bool all_equal = end - begin == 8;
    for (uint64_t c = begin; c < end; ++c) {
      header |= 1u << (child_keys[c] & 7);
      all_equal = all_equal && child_pointers[c] == child_pointers[begin];
    }
    if (all_equal) {
      const int material = homogeneous_content(store.item(child_pointers[begin]), kind, materials);
      if (material >= 0) header = homogeneous_header(static_cast<uint32_t>(material));
    }
    headers[i] = header;
  }
};

struct NodeWords {
  const uint32_t* headers;
  VOX_HD uint32_t operator()(uint64_t i) const { return node_words(headers[i]); }
};

template <class Key>
struct WriteParents {
  device::CellsRef parents;
  const Key* child_keys;
  const uint32_t* child_pointers;
  const uint32_t* headers;
  const uint32_t* offsets;
  Key* keys;
  uint32_t* words;
  VOX_HD void operator()(uint64_t i) const {
    uint32_t* node = words + offsets[i];
    *node++ = headers[i];
    for (uint64_t c = parents.begin(i); c < parents.end(i); ++c) *node++ = child_pointers[c];
    keys[i] = child_keys[parents.begin(i)] >> 3;
  }
};

template <class Device, class Key>
StoredLevel<Key> build_parents(Device& device, DagStore<Device>& store, const StoredLevel<Key>& children,
                               NodeKind kind, bool materials) {
  const device::Runs parent_runs = device::find_runs(device, {"select parents", sizeof(Key) + 4.0},
                                                     children.keys.data(), children.count, 3);
  const device::CellsRef runs = parent_runs.ref();
  StoredLevel<Key> parents;
  parents.count = runs.count;
  auto headers = device.template make<uint32_t>(parents.count);
  device.for_each({"parent headers", 40}, parents.count,
                  ParentHeaders<Key>{runs, store.ref(), children.keys.data(), children.pointers.data(), kind,
                                     materials, headers.data()});
  auto offsets = device.template make<uint32_t>(parents.count + 1);
  const uint64_t word_count =
      device.exclusive_scan({"parent places", 8}, parents.count, NodeWords{headers.data()}, offsets.data());
  auto words = device.template make<uint32_t>(word_count);
  parents.keys = device.template make<Key>(parents.count);
  parents.pointers = device.template make<uint32_t>(parents.count);
  device.for_each({"write parents", 60}, parents.count,
                  WriteParents<Key>{runs, children.keys.data(), children.pointers.data(), headers.data(),
                                    offsets.data(), parents.keys.data(), words.data()});
  store.intern(words.data(), offsets.data(), parents.count, parents.pointers.data());
  return parents;
}

}  // namespace vox::dag
