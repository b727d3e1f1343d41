// Counts the voxels that differ between two states of a scene, by a descent through pairs of nodes. Each pair
// that differs is visited once, no matter how often it occurs.
#pragma once

#include "libvox/device/pool.h"
#include "libvox/device/runs.h"
#include "libvox/edit/content.h"

namespace vox::edit {

inline constexpr uint64_t kNoPair = UINT64_MAX;  // a pair of two empty regions

VOX_HD inline Content before_of(uint64_t pair) {
  return static_cast<Content>(pair >> 32);
}
VOX_HD inline Content after_of(uint64_t pair) {
  return static_cast<Content>(pair);
}

// Makes the eight pairs of parts of each pair. A pair becomes kNoPair if both parts hold the same.
struct PairParts {
  StoredDag dag;
  uint32_t level;  // the parts' level
  const uint64_t* pairs;
  VOX_HD uint64_t operator()(uint64_t i) const {
    const uint64_t pair = pairs[i / 8];
    return pair_of(dag.child(before_of(pair), i % 8), dag.child(after_of(pair), i % 8));
  }
  VOX_HD uint64_t pair_of(Content before, Content after) const {
    if (before == after) return kNoPair;
    return uint64_t{simplified(before)} << 32 | simplified(after);
  }

 private:
  VOX_HD Content simplified(Content content) const {
    const int filling = dag.filling(content, level);
    return filling == dag::kEmptyVoxel ? content : filled_with(static_cast<uint32_t>(filling));
  }
};

VOX_HD inline bool differs_wholly(uint64_t pair) {
  return before_of(pair) != after_of(pair) && !is_pointer(before_of(pair)) && !is_pointer(after_of(pair));
}

struct StoreParts {
  PairParts parts;
  uint64_t* out;
  VOX_HD void operator()(uint64_t i) const { out[i] = parts(i); }
};

struct WhollyDifferent {
  const uint64_t* parts;
  const uint64_t* times;  // how often each pair occurs
  uint64_t voxels;        // the number of voxels of a part
  VOX_HD uint64_t operator()(uint64_t i) const {
    return differs_wholly(parts[i]) ? times[i / 8] * voxels : 0;
  }
};

struct DiffersPartly {
  const uint64_t* parts;
  VOX_HD bool operator()(uint64_t i) const {
    return before_of(parts[i]) != after_of(parts[i]) && !differs_wholly(parts[i]);
  }
};

// Adds up how often each pair occurs, over all pairs of the level above that contain it.
struct AddTimes {
  device::CellsRef runs;
  const uint64_t* keys;
  const uint32_t* order;
  const uint64_t* times_above;
  uint64_t* pairs;
  uint64_t* times;
  VOX_HD void operator()(uint64_t r) const {
    uint64_t sum = 0;
    for (uint64_t i = runs.begin(r); i < runs.end(r); ++i) sum += times_above[order[i] / 8];
    pairs[r] = keys[runs.begin(r)];
    times[r] = sum;
  }
};

struct DifferentVoxels {
  StoredDag dag;
  const uint64_t* pairs;
  const uint64_t* times;
  VOX_HD uint64_t operator()(uint64_t i) const {
    uint64_t count = 0;
    for (uint32_t bit = 0; bit < 64; ++bit)
      count += dag.voxel(before_of(pairs[i]), bit) != dag.voxel(after_of(pairs[i]), bit) ? 1 : 0;
    return count * times[i];
  }
};

template <class Device>
uint64_t changed_voxels(Device& device, const StoredDag& dag, Content before, Content after) {
  if (before == after) return 0;
  const uint64_t root = uint64_t{before} << 32 | after, once = 1;
  uint64_t count = 1, changed = 0;
  auto pairs = device.template make<uint64_t>(1), times = device.template make<uint64_t>(1);
  device.upload(pairs.data(), &root, 1);
  device.upload(times.data(), &once, 1);
  for (uint32_t level = 1; level <= dag.depth && count > 0; ++level) {
    const uint64_t all = 8 * count, side = dag::kLeafSide << (dag.depth - level);
    auto parts = device.template make<uint64_t>(all);
    device.for_each({"changes: parts", 80}, all, StoreParts{{dag, level, pairs.data()}, parts.data()});
    changed += device.sum({"changes: regions", 8}, all,
                          WhollyDifferent{parts.data(), times.data(), side * side * side});
    auto order = device.template make<uint32_t>(all);
    const uint64_t partly =
        device.select({"changes: select", 8}, all, DiffersPartly{parts.data()}, order.data());
    auto keys = device.template make<uint64_t>(partly);
    device.for_each({"changes: take", 20}, partly,
                    device::TakeChosen<uint64_t>{parts.data(), order.data(), keys.data()});
    device.sort_pairs({"changes: sort", 16 * 8}, keys, order, partly, 64);
    const device::Runs runs = device::find_runs(device, {"changes: runs", 8}, keys.data(), partly);
    count = runs.count;
    auto next = device.template make<uint64_t>(count), next_times = device.template make<uint64_t>(count);
    device.for_each(
        {"changes: times", 32}, count,
        AddTimes{runs.ref(), keys.data(), order.data(), times.data(), next.data(), next_times.data()});
    pairs = std::move(next);
    times = std::move(next_times);
  }
  return changed +
         device.sum({"changes: leaves", 100}, count, DifferentVoxels{dag, pairs.data(), times.data()});
}

}  // namespace vox::edit
