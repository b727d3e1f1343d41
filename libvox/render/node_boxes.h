// Makes the boxes around the voxels of a DAG's nodes, on a device, from the leaves up.
#pragma once

#include "libvox/device/atomics.h"
#include "libvox/render/ray_dag.h"

namespace vox::render {

// Marks the words at which nodes begin, with one bit per word. It runs for every word of a level, and marks
// the children of a node that begins there.
struct MarkBegins {
  RayDagRef dag;
  uint32_t log2;  // log2 of the side of the level's nodes
  uint32_t* begins;

  VOX_HD void operator()(uint64_t i) const {
    const uint32_t* node = dag.nodes[log2] + i;
    if (!begins_at(dag, begins, node)) return;
    const uint32_t size = dag::node_words(node[0]);
    for (uint32_t word = 1; word < size; ++word) {
      const auto at = static_cast<uint64_t>(dag.nodes[log2 - 1] + node[word] - dag.words());
      device::atomic_or_relaxed(begins + (at >> 5), 1u << (at & 31));
    }
  }

  VOX_HD static bool begins_at(const RayDagRef& dag, const uint32_t* begins, const uint32_t* node) {
    const auto at = static_cast<uint64_t>(node - dag.words());
    return (device::atomic_load_relaxed(begins + (at >> 5)) >> (at & 31) & 1) != 0;
  }
};

// Makes the boxes of a level whose children have theirs already. It runs for every word of the level, and
// works on the node that begins there, if any.
struct BoundNodes {
  RayDagRef dag;
  uint32_t log2;
  const uint32_t* begins;
  PackedBox* boxes;

  VOX_HD void operator()(uint64_t i) const {
    const uint32_t* node = dag.nodes[log2] + i;
    if (!MarkBegins::begins_at(dag, begins, node)) return;
    const int32_t half = 1 << (log2 - 1);
    NodeBox all = {{2 * half, 2 * half, 2 * half}, {0, 0, 0}};
    const uint32_t* pointer = node + 1;
    for (uint32_t left = dag::child_mask(node[0]); left != 0; left &= left - 1, ++pointer) {
      const auto child = static_cast<uint32_t>(lowest_bit(left));
      const NodeBox box = box_of(dag.nodes[log2 - 1] + *pointer);
      join(all.low.x, all.high.x, box.low.x, box.high.x, (child & 1) != 0 ? half : 0);
      join(all.low.y, all.high.y, box.low.y, box.high.y, (child & 2) != 0 ? half : 0);
      join(all.low.z, all.high.z, box.low.z, box.high.z, (child & 4) != 0 ? half : 0);
    }
    boxes[dag.box_index(node)] = packed(all, log2);
  }

 private:
  VOX_HD NodeBox box_of(const uint32_t* child) const {
    if (log2 - 1 == dag::kLeafLog2) return leaf_box(dag::leaf_mask(child));
    return unpacked(boxes[dag.box_index(child)], log2 - 1);
  }
  VOX_HD static void join(int32_t& low, int32_t& high, int32_t from, int32_t to, int32_t corner) {
    if (corner + from < low) low = corner + from;
    if (corner + to > high) high = corner + to;
  }
};

// The number of words of one level above the leaves, and of all of these levels. The leaves come last.
inline uint64_t level_words(const RayDagRef& dag, uint32_t log2) {
  return static_cast<uint64_t>(dag.nodes[log2 - 1] - dag.nodes[log2]);
}
inline uint64_t inner_words(const RayDagRef& dag) {
  return static_cast<uint64_t>(dag.nodes[dag::kLeafLog2] - dag.words());
}

// Marks where the nodes above the leaves begin. `dag` is on the device, and must have a node above the
// leaves.
template <class Device>
device::Buffer<uint32_t> node_begins(Device& device, const RayDagRef& dag) {
  auto begins = device.template make<uint32_t>(inner_words(dag) / 32 + 1);
  device.fill(begins.data(), begins.size(), 0u);
  device.fill(begins.data(), 1, 1u);  // the root
  for (uint32_t log2 = dag.log2_side; log2 > dag::kLeafLog2 + 1; --log2)
    device.for_each({"render: find nodes", 8}, level_words(dag, log2), MarkBegins{dag, log2, begins.data()});
  return begins;
}

// Makes the boxes of all nodes, in the order of dag.box_index(). `dag` is on the device. The boxes take half
// as much memory as its nodes without the leaves.
template <class Device>
device::Buffer<PackedBox> bound_nodes(Device& device, const RayDagRef& dag) {
  if (dag.log2_side == dag::kLeafLog2 || !dag.filled) return {};
  const device::Buffer<uint32_t> begins = node_begins(device, dag);
  auto boxes = device.template make<PackedBox>(inner_words(dag) / 2 + 1);
  for (uint32_t log2 = dag::kLeafLog2 + 1; log2 <= dag.log2_side; ++log2)
    device.for_each({"render: bound nodes", 16}, level_words(dag, log2),
                    BoundNodes{dag, log2, begins.data(), boxes.data()});
  return boxes;
}

}  // namespace vox::render
