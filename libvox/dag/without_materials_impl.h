// How materials are left out (without_materials.h), on any device. without_materials_cpu.cpp and
// without_materials_cuda.cu include this file, and only say which device.
#pragma once

#include <algorithm>

#include "libvox/base/cancel.h"
#include "libvox/dag/freeze.h"
#include "libvox/dag/frozen_levels.h"
#include "libvox/dag/load.h"
#include "libvox/dag/store.h"
#include "libvox/dag/without_materials.h"

namespace vox::dag {

struct LeafMasks {
  const uint32_t* words;
  const uint32_t* offsets;
  uint32_t* masks;         // two words each
  uint32_t* mask_offsets;  // one more than there are leaves
  VOX_HD void operator()(uint64_t i) const {
    write_leaf_mask(masks + 2 * i, leaf_mask(words + offsets[i]));
    mask_offsets[i + 1] = static_cast<uint32_t>(2 * (i + 1));
    if (i == 0) mask_offsets[0] = 0;
  }
};

struct GeometryHeader {
  hash::SlabMemoryRef store;
  uint32_t* words;
  const uint32_t* offsets;
  NodeKind children;
  VOX_HD void operator()(uint64_t i) const {
    uint32_t* node = words + offsets[i];
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
  static constexpr uint64_t kBatch = uint64_t{1} << 24;  // bounds the memory of interning besides the level

  uint32_t intern_levels() {
    FrozenLevels<Device> levels(device_, dag_);
    DeviceLevel below;
    for (uint32_t level = dag_.depth() + 1; level-- > 0;) {
      DeviceLevel here = levels.upload(level);
      uint32_t* words = here.words.data();
      const uint32_t* offsets = here.offsets.data();
      if (level < dag_.depth()) {
        device_.for_each({"load: translate", 40}, here.nodes,
                         TranslateChildren{words, offsets, below.words.data()});
        const NodeKind children = level + 1 == dag_.depth() ? NodeKind::Leaf : NodeKind::Inner;
        device_.for_each({"geometry: headers", 40}, here.nodes,
                         GeometryHeader{store_.ref(), words, offsets, children});
      }
      below = {};
      for (uint64_t begin = 0; begin < here.nodes; begin += kBatch)
        intern(level, words, offsets + begin, std::min(kBatch, here.nodes - begin));
      below = std::move(here);
    }
    uint32_t root = hash::kNullPointer;
    device_.download(&root, below.words.data(), 1);
    return root;
  }

  // Interns the nodes, and leaves the pointer of each in its first word.
  void intern(uint32_t level, uint32_t* words, const uint32_t* offsets, uint64_t n) {
    throw_if_cancelled();
    auto pointers = device_.template make<uint32_t>(n);
    if (level == dag_.depth()) {
      auto masks = device_.template make<uint32_t>(2 * n);
      auto mask_offsets = device_.template make<uint32_t>(n + 1);
      device_.for_each({"geometry: leaf masks", 24}, n,
                       LeafMasks{words, offsets, masks.data(), mask_offsets.data()});
      store_.intern(masks.data(), mask_offsets.data(), n, pointers.data());
    } else {
      store_.intern(words, offsets, n, pointers.data());
    }
    device_.for_each({"load: keep pointers", 12}, n, KeepPointers{pointers.data(), offsets, words});
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
