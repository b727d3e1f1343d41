// A level of a FrozenDag on a device, with the places of its nodes.
#pragma once

#include <algorithm>
#include <vector>

#include "libvox/base/progress.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/dag/node.h"
#include "libvox/dag/store.h"
#include "libvox/device/device.h"
#include "libvox/device/pool.h"
#include "libvox/device/runs.h"

namespace vox::dag {

struct LevelRef {
  uint32_t* words;
  NodePlacesRef places;
  VOX_HD uint32_t* node(uint64_t number) const { return words + places[number]; }
  VOX_HD uint32_t size(uint64_t number) const {
    return static_cast<uint32_t>(places[number + 1] - places[number]);
  }
};

struct DeviceLevel {
  device::Buffer<uint32_t> words;
  device::Buffer<PlacesBlock> places;
  uint64_t nodes = 0;
  LevelRef ref() const { return {words.data(), {places.data()}}; }
};

template <class Device>
DeviceLevel uploaded_level(Device& device, const DagLevel& level) {
  return {device::uploaded(device, level.words), device::uploaded(device, level.places.blocks()),
          level.places.nodes()};
}

// The levels of a DAG in a store: built from the level below, or loaded from a FrozenDag.

// Builds one level of the DAG from the level below it. A level is in Morton order, so children of the same
// parent stand side by side.

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

// Loads a FrozenDag into a DagStore, level by level from the leaves up. Child numbers become the store's
// pointers. Afterwards the tables hold exactly the items that they would hold if the store had built the
// scene.

// Replaces child numbers by pointers to the nodes of the level below, which are already in the store.
struct TranslateChildren {
  LevelRef level;
  const uint32_t* below;
  VOX_HD void prefetch(uint64_t i, int stage) const {
    if (stage == 0) return;
    const uint32_t* node = level.node(i);
    for (uint32_t child = 1; child < node_words(node[0]); ++child) prefetch_line(below + node[child]);
  }
  VOX_HD void operator()(uint64_t i) const {
    uint32_t* node = level.node(i);
    for (uint32_t child = 1; child < node_words(node[0]); ++child) node[child] = below[node[child]];
  }
};
static_assert(device::PrefetchingBody<TranslateChildren>);

// Writes the offsets of a batch of nodes within the batch's words.
struct BatchOffsets {
  NodePlacesRef places;
  uint64_t first;  // the batch's first node
  uint32_t* offsets;
  VOX_HD void operator()(uint64_t i) const {
    offsets[i] = static_cast<uint32_t>(places[first + i] - places[first]);
  }
};

struct IsMissing {
  const uint32_t* pointers;
  VOX_HD bool operator()(uint64_t i) const { return pointers[i] == hash::kNullPointer; }
};

// The work that was done on one level.
struct LevelWork {
  uint64_t items = 0;  // the number of nodes of the level
  // The number of these that the store did not hold. A leaf and a node, or nodes of two levels, may be equal.
  uint64_t inserted = 0;
  double seconds = 0;  // for the searches or insertions alone
};

struct StoreWork {
  uint32_t root = hash::kNullPointer;
  std::vector<LevelWork> levels;  // begins with the root's level
};

// Inserts the items of a FrozenDag into a store, or finds them there, level by level.
template <class Device>
class DagLoader {
 public:
  // The DAG must be one that check_structure() accepts. The store and the DAG must outlive the loader.
  DagLoader(Device& device, DagStore<Device>& store, const FrozenDag& dag)
      : device_(device), store_(store), dag_(dag) {}

  // Inserts the items into the store, which may hold other scenes. `seconds` counts only the insertions.
  StoreWork insert() {
    if (!dag_.empty()) store_.tables().expect(item_sizes());
    return work([this](uint32_t level, auto&&... batch) { return insert_batch(level, batch...); });
  }

  // Searches the store, which must hold all items, for each of them. `seconds` counts only the searches: each
  // is done three times, and the median counts.
  StoreWork find() {
    return work([this](uint32_t, auto&&... batch) { return find_batch(batch...); });
  }

 private:
  // Bounds the memory that hashes and offsets need besides the level itself.
  static constexpr uint64_t kBatch = uint64_t{1} << 24;

  hash::SizeCounts item_sizes() const {
    hash::SizeCounts sizes = {};
    for (const DagLevel& level : dag_.levels) {
      const hash::SizeCounts here = level.places.sizes();
      for (size_t size = 0; size < sizes.size(); ++size) sizes[size] += here[size];
    }
    return sizes;
  }

  template <class BatchWork>
  StoreWork work(const BatchWork& work_on) {
    StoreWork result;
    result.levels.resize(dag_.levels.size());
    if (dag_.empty()) return result;
    device::Buffer<uint32_t> below;  // the store's pointers to the nodes of the level below
    for (uint32_t level = dag_.depth() + 1; level-- > 0;) {
      const DeviceLevel here = uploaded_level(device_, dag_.levels[level]);
      if (level < dag_.depth())
        device_.for_each({"load: translate", 40}, here.nodes, TranslateChildren{here.ref(), below.data()});
      below = {};
      auto pointers = device_.template make<uint32_t>(here.nodes);
      result.levels[level] = in_batches(here, level, pointers.data(), work_on);
      below = std::move(pointers);
    }
    device_.download(&result.root, below.data(), 1);
    return result;
  }

  template <class BatchWork>
  LevelWork in_batches(const DeviceLevel& here, uint32_t level, uint32_t* pointers,
                       const BatchWork& work_on) {
    LevelWork sum;
    const uint64_t most = std::min(here.nodes, kBatch);
    auto hashes = device_.template make<uint64_t>(most);
    auto offsets = device_.template make<uint32_t>(most + 1);
    for (uint64_t begin = 0; begin < here.nodes; begin += kBatch) {
      throw_if_cancelled();
      const uint64_t n = std::min(kBatch, here.nodes - begin);
      device_.for_each({"load: offsets", 6}, n + 1, BatchOffsets{here.ref().places, begin, offsets.data()});
      hash::BatchRef batch = {here.words.data() + dag_.levels[level].places[begin], offsets.data(), nullptr};
      device_.for_each({"hash items", 36}, n, hash::HashItems{batch, hashes.data()});
      batch.hashes = hashes.data();
      const LevelWork done = work_on(level, batch, n, pointers + begin);
      store_.keep(pointers + begin, n);
      sum.items += n;
      sum.inserted += done.inserted;
      sum.seconds += done.seconds;
    }
    return sum;
  }

  // The nodes of a level differ from each other. Leaves are inserted first, so a store that was empty holds
  // none of them yet.
  LevelWork insert_batch(uint32_t level, const hash::BatchRef& batch, uint64_t n, uint32_t* pointers) {
    device::Buffer<uint32_t> chosen;
    uint64_t missing = n;
    if (level < dag_.depth() || !was_empty_) {
      store_.tables().find(batch, {nullptr}, n, pointers);
      chosen = device_.template make<uint32_t>(n);
      missing = device_.select({"select new items", 8}, n, IsMissing{pointers}, chosen.data());
    }
    const double seconds = timed([&] { store_.tables().insert(batch, {chosen.data()}, missing, pointers); });
    return {n, missing, seconds};
  }

  LevelWork find_batch(const hash::BatchRef& batch, uint64_t n, uint32_t* pointers) {
    std::array<double, 3> seconds;
    for (double& s : seconds) s = timed([&] { store_.tables().find(batch, {nullptr}, n, pointers); });
    if (device_.sum("load: count missing", n, IsMissing{pointers}) > 0)
      throw Error(
          "a hash table does not find an item that it holds: this is a bug in vox, or the hardware is "
          "faulty");
    std::sort(seconds.begin(), seconds.end());
    return {n, 0, seconds[1]};
  }

  template <class F>
  double timed(const F& f) {
    device_.sync();
    const Stopwatch watch;
    f();
    device_.sync();
    return watch.seconds();
  }

  Device& device_;
  DagStore<Device>& store_;
  const FrozenDag& dag_;
  const bool was_empty_ = store_.items() == 0;
};

}  // namespace vox::dag
