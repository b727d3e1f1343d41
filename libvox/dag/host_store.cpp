#include "libvox/dag/host_store.h"

#include "libvox/base/error.h"
#include "libvox/dag/freeze.h"
#include "libvox/dag/levels.h"
#include "libvox/dag/octree_counts.h"
#include "libvox/device/cpu_device.h"

namespace vox::dag {
namespace {

// Writes nodes from lists of child pointers.
struct WriteNodes {
  hash::SlabMemoryRef store;
  const uint8_t* masks;
  const uint32_t* children;
  const uint32_t* offsets;
  NodeKind kind;
  bool materials;
  uint32_t* words;
  void operator()(uint64_t i) const {
    uint32_t* node = words + offsets[i];
    const uint32_t* child = children + (offsets[i] - i);
    const uint32_t count = offsets[i + 1] - offsets[i] - 1;
    bool all_equal = count == 8;
    for (uint32_t c = 0; c < count; ++c) {
      node[1 + c] = child[c];
      all_equal = all_equal && child[c] == child[0];
    }
    const int material = all_equal ? homogeneous_content(store.item(child[0]), kind, materials) : -1;
    node[0] = material >= 0 ? homogeneous_header(static_cast<uint32_t>(material)) : masks[i];
  }
};

}  // namespace

struct HostStore::Impl {
  Impl(bool with_materials, uint64_t memory_limit)
      : materials(with_materials), device(memory_limit, false), store(device) {}

  const bool materials;
  device::CpuDevice device;
  DagStore<device::CpuDevice> store;
};

HostStore::HostStore(bool materials, uint64_t memory_limit)
    : impl_(std::make_unique<Impl>(materials, memory_limit)) {}
HostStore::~HostStore() = default;

uint64_t HostStore::room() const {
  return impl_->device.pool().available();
}

void HostStore::expect_growth(double growth) {
  impl_->store.tables().expect_growth(growth);
}

std::vector<uint32_t> HostStore::put_leaves(std::span<const uint32_t> words,
                                            std::span<const uint32_t> offsets) {
  std::vector<uint32_t> pointers(offsets.empty() ? 0 : offsets.size() - 1);
  if (!pointers.empty()) impl_->store.intern(words.data(), offsets.data(), pointers.size(), pointers.data());
  return pointers;
}

std::vector<uint32_t> HostStore::put_nodes(std::span<const uint8_t> masks, std::span<const uint32_t> children,
                                           NodeKind kind_of_children) {
  std::vector<uint32_t> offsets(masks.size() + 1), pointers(masks.size());
  if (masks.empty()) return pointers;
  if (masks.size() + children.size() > UINT32_MAX) throw Error("a level has more than 2^32 words of nodes");
  for (size_t i = 0; i < masks.size(); ++i) offsets[i + 1] = offsets[i] + node_words(masks[i]);
  std::vector<uint32_t> words(offsets.back());
  impl_->device.for_each("write nodes", masks.size(),
                         WriteNodes{impl_->store.ref(), masks.data(), children.data(), offsets.data(),
                                    kind_of_children, impl_->materials, words.data()});
  impl_->store.intern(words.data(), offsets.data(), masks.size(), pointers.data());
  return pointers;
}

HostStore::Level HostStore::put_parents(const Level& children, NodeKind kind_of_children) {
  Level parents;
  std::vector<uint8_t> masks;
  for (const uint64_t key : children.keys) {
    if (parents.keys.empty() || parents.keys.back() != key >> 3) {
      parents.keys.push_back(key >> 3);
      masks.push_back(0);
    }
    masks.back() = static_cast<uint8_t>(masks.back() | 1u << (key & 7));
  }
  parents.pointers = put_nodes(masks, children.pointers, kind_of_children);
  return parents;
}

FrozenDag HostStore::freeze(uint32_t root, uint32_t resolution) {
  impl_->device.pool().trim();  // otherwise the kept memory would add to that of the words
  FrozenDag dag = empty_dag(resolution, impl_->materials);
  Freezer(impl_->device, impl_->store, dag).run(root);
  count_octree(dag);
  return dag;
}

}  // namespace vox::dag
