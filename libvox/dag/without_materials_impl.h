// The implementation of without_materials() (derived.h) for any device. on_cpu.cpp and on_cuda.cu include this file and
// only name the device.
#pragma once

#include <algorithm>

#include "libvox/base/progress.h"
#include "libvox/dag/derived.h"
#include "libvox/dag/device_level.h"
#include "libvox/dag/freeze.h"
#include "libvox/dag/levels.h"
#include "libvox/dag/store.h"

namespace vox::dag {

struct LeafMasks {
  LevelRef leaves;
  uint64_t first;
  uint32_t* masks;  // two words for each leaf
  VOX_HD void operator()(uint64_t i) const {
    write_leaf_mask(masks + 2 * i, leaf_mask(leaves.node(first + i)));
  }
};

struct GeometryHeader {
  hash::SlabMemoryRef store;
  LevelRef level;
  NodeKind children;
  VOX_HD void operator()(uint64_t i) const {
    uint32_t* node = level.node(i);
    node[0] = child_mask(node[0]);
    if (node[0] != 0xff) return;
    for (uint32_t child = 2; child <= 8; ++child)
      if (node[child] != node[1]) return;
    if (homogeneous_content(store.item(node[1]), children, false) >= 0) node[0] = homogeneous_header(0);
  }
};

template <class Device>
class GeometryBuilder {
 public:
  GeometryBuilder(Device& device, const FrozenDag& dag) : device_(device), dag_(dag), store_(device) {}

  FrozenDag build() {
    FrozenDag result = empty_dag(dag_.resolution, false);
    if (dag_.empty()) return result;
    result.voxels = dag_.voxels;
    for (size_t level = 0; level < dag_.levels.size(); ++level)
      result.levels[level].svo_nodes = dag_.levels[level].svo_nodes;
    const uint32_t root = intern_levels();
    device_.pool().trim();
    Freezer(device_, store_, result).run(root);
    return result;
  }

 private:
  static constexpr uint64_t kBatch = uint64_t{1} << 24;  // bounds the memory for interning, besides the level

  uint32_t intern_levels() {
    device::Buffer<uint32_t> below;  // the store's pointers to the nodes of the level below
    for (uint32_t level = dag_.depth() + 1; level-- > 0;) {
      const DeviceLevel here = uploaded_level(device_, dag_.levels[level]);
      if (level < dag_.depth()) {
        device_.for_each({"load: translate", 40}, here.nodes, TranslateChildren{here.ref(), below.data()});
        const NodeKind children = level + 1 == dag_.depth() ? NodeKind::Leaf : NodeKind::Inner;
        device_.for_each({"geometry: headers", 40}, here.nodes,
                         GeometryHeader{store_.ref(), here.ref(), children});
      }
      below = {};
      auto pointers = device_.template make<uint32_t>(here.nodes);
      for (uint64_t begin = 0; begin < here.nodes; begin += kBatch)
        intern(level, here, begin, std::min(kBatch, here.nodes - begin), pointers.data() + begin);
      below = std::move(pointers);
    }
    uint32_t root = hash::kNullPointer;
    device_.download(&root, below.data(), 1);
    return root;
  }

  void intern(uint32_t level, const DeviceLevel& here, uint64_t begin, uint64_t n, uint32_t* pointers) {
    throw_if_cancelled();
    if (level == dag_.depth()) {
      auto masks = device_.template make<uint32_t>(2 * n);
      device_.for_each({"geometry: leaf masks", 24}, n, LeafMasks{here.ref(), begin, masks.data()});
      store_.intern({masks.data(), nullptr, nullptr, 2}, n, pointers);
    } else {
      auto offsets = device_.template make<uint32_t>(n + 1);
      device_.for_each({"load: offsets", 6}, n + 1, BatchOffsets{here.ref().places, begin, offsets.data()});
      store_.intern(here.words.data() + dag_.levels[level].places[begin], offsets.data(), n, pointers);
    }
  }

  Device& device_;
  const FrozenDag& dag_;
  DagStore<Device> store_;
};

template <class Device>
FrozenDag without_materials(Device& device, const FrozenDag& dag) {
  return GeometryBuilder<Device>(device, dag).build();
}

}  // namespace vox::dag
