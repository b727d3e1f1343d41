// Loads a FrozenDag into a DagStore, level by level from the leaves up: child offsets become pointers of the
// store. Afterwards the tables hold exactly the items that they would hold if the store had built the scene.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "libvox/base/cancel.h"
#include "libvox/base/stopwatch.h"
#include "libvox/dag/frozen_levels.h"
#include "libvox/dag/store.h"

namespace vox::dag {

// Turns child offsets into pointers. The nodes below are in the store already, and the first word of each has
// been replaced by its pointer (KeepPointers).
struct TranslateChildren {
  uint32_t* words;
  const uint32_t* offsets;
  const uint32_t* below;
  VOX_HD void prefetch(uint64_t i, int stage) const {
    if (stage == 0) return;
    for (uint32_t at = offsets[i] + 1; at < offsets[i + 1]; ++at) prefetch_line(below + words[at]);
  }
  VOX_HD void operator()(uint64_t i) const {
    for (uint32_t at = offsets[i] + 1; at < offsets[i + 1]; ++at) words[at] = below[words[at]];
  }
};

struct IsMissing {
  const uint32_t* pointers;
  VOX_HD bool operator()(uint64_t i) const { return pointers[i] == hash::kNullPointer; }
};

struct KeepPointers {
  const uint32_t* pointers;
  const uint32_t* offsets;
  uint32_t* words;
  VOX_HD void operator()(uint64_t i) const { words[offsets[i]] = pointers[i]; }
};

// What happened to one level.
struct LevelWork {
  uint64_t items = 0;  // nodes of the level
  // Those of them that the store did not hold. A leaf and a node, or nodes of two levels, may be equal.
  uint64_t inserted = 0;
  double seconds = 0;  // of the searches or insertions alone
};

struct StoreWork {
  uint32_t root = hash::kNullPointer;
  std::vector<LevelWork> levels;  // the root's first
};

// Brings the items of a FrozenDag to a store, level by level.
template <class Device>
class DagLoader {
 public:
  // The DAG is one that check_structure() accepts; both outlive this.
  DagLoader(Device& device, DagStore<Device>& store, const FrozenDag& dag)
      : device_(device), store_(store), dag_(dag) {
    if (!dag.empty()) levels_.emplace(device, dag);
  }

  // Inserts the items into the store, which may hold other scenes. `seconds` are those of the insertions.
  StoreWork insert() {
    if (!dag_.empty()) store_.tables().expect(levels_->sizes());
    return work([this](uint32_t level, auto&&... batch) { return insert_batch(level, batch...); });
  }

  // Searches the store, which holds all the items, for each of them. `seconds` are those of the searches:
  // each is done three times, and the middle time counts.
  StoreWork find() {
    return work([this](uint32_t, auto&&... batch) { return find_batch(batch...); });
  }

 private:
  // Bounds the memory that hashes and pointers take besides the level itself.
  static constexpr uint64_t kBatch = uint64_t{1} << 24;

  template <class BatchWork>
  StoreWork work(const BatchWork& work_on) {
    StoreWork result;
    result.levels.resize(dag_.levels.size());
    if (dag_.empty()) return result;
    DeviceLevel below;
    for (uint32_t level = dag_.depth() + 1; level-- > 0;) {
      DeviceLevel here = levels_->upload(level);
      if (level < dag_.depth())
        device_.for_each({"load: translate", 40}, here.nodes,
                         TranslateChildren{here.words.data(), here.offsets.data(), below.words.data()});
      below = {};
      result.levels[level] = in_batches(here, level, work_on);
      below = std::move(here);
    }
    device_.download(&result.root, below.words.data(), 1);
    return result;
  }

  template <class BatchWork>
  LevelWork in_batches(DeviceLevel& here, uint32_t level, const BatchWork& work_on) {
    LevelWork sum;
    const uint64_t most = std::min(here.nodes, kBatch);
    auto hashes = device_.template make<uint64_t>(most);
    auto pointers = device_.template make<uint32_t>(most);
    for (uint64_t begin = 0; begin < here.nodes; begin += kBatch) {
      throw_if_cancelled();
      const uint64_t n = std::min(kBatch, here.nodes - begin);
      const uint32_t* offsets = here.offsets.data() + begin;
      hash::BatchRef batch = {here.words.data(), offsets, nullptr};
      device_.for_each({"hash items", 36}, n, hash::HashItems{batch, hashes.data()});
      batch.hashes = hashes.data();
      const LevelWork done = work_on(level, batch, n, pointers.data());
      store_.keep(pointers.data(), n);
      sum.items += n;
      sum.inserted += done.inserted;
      sum.seconds += done.seconds;
      device_.for_each({"load: keep pointers", 12}, n,
                       KeepPointers{pointers.data(), offsets, here.words.data()});
    }
    return sum;
  }

  // The nodes of a level differ from each other. Leaves come first, so that a store that was empty holds none
  // of them.
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
      throw Error("a hash table does not find what it holds: a bug in vox, or the hardware is faulty");
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
  std::optional<FrozenLevels<Device>> levels_;
};

}  // namespace vox::dag
