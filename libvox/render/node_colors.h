// The colours of nodes from afar: the mean of the voxels below each node, in linear light. They are made on a
// device from the leaves up, once for each unique node. The colours of leaves, and of parts of them, are
// summed up when they are seen.
#pragma once

#include "libvox/render/light.h"
#include "libvox/render/node_boxes.h"
#include "libvox/scene/palette.h"

namespace vox::render {

// A colour as 8-bit sRGB codes, red lowest. A node of one material has exactly that material's colour.
using PackedColor = uint32_t;

struct NodeMean {
  Light light;   // 12 B
  float voxels;  // 4 B, the number of voxels that `light` is the mean of
};

// Returns the mean of the voxels in a part of a leaf. The part is the whole leaf or a block of 2³, and must
// not be empty.
VOX_HD inline NodeMean leaf_mean(const RayDagRef& dag, const uint32_t* leaf, uint64_t part,
                                 const Light* colors) {
  const uint64_t mask = dag::leaf_mask(leaf);
  const auto voxels = static_cast<uint32_t>(popcount(mask & part));
  if (!dag.materials) return {colors[0], static_cast<float>(voxels)};
  const uint64_t below = (uint64_t{1} << lowest_bit(part)) - 1;
  const auto first = static_cast<uint32_t>(popcount(mask & below));
  Light sum = {0, 0, 0};
  for (uint32_t rank = first; rank < first + voxels; ++rank)
    sum = sum + colors[dag::ranked_material(dag::leaf_materials(leaf), rank)];
  return {sum * (1 / static_cast<float>(voxels)), static_cast<float>(voxels)};
}

// Makes the colours of a level whose children have theirs already. It runs for every word of the level, and
// works on the node that begins there, if any.
struct AverageNodes {
  RayDagRef dag;
  uint32_t log2;
  const uint32_t* begins;
  Light materials[scene::kPaletteSize];
  LightCodes codes;
  const NodeMean* below;  // the means of the children, except leaves, at index word / 2
  NodeMean* means;        // the means of this level's nodes, at index word / 2
  PackedColor* colors;    // by dag.box_index()

  VOX_HD void operator()(uint64_t i) const {
    const uint32_t* node = dag.nodes[log2] + i;
    if (!MarkBegins::begins_at(dag, begins, node)) return;
    Light sum = {0, 0, 0};
    float voxels = 0;
    for (uint32_t word = 1; word < dag::node_words(node[0]); ++word) {
      const NodeMean child = mean_of(node[word]);
      sum = sum + child.light * child.voxels;
      voxels += child.voxels;
    }
    const Light mean = sum * (1 / voxels);
    means[i / 2] = {mean, voxels};
    colors[dag.box_index(node)] = codes(mean.x) | codes(mean.y) << 8 | codes(mean.z) << 16;
  }

 private:
  VOX_HD NodeMean mean_of(uint32_t child) const {
    if (log2 - 1 != dag::kLeafLog2) return below[child / 2];
    const uint32_t* leaf = dag.nodes[dag::kLeafLog2] + child;
    return leaf_mean(dag, leaf, ~uint64_t{0}, materials);
  }
};

// Makes the colours of all nodes from those of the materials, in the order of dag.box_index(). The colours
// take half as much memory as the boxes of nodes. While they are made, the means take twice as much memory as
// the words of two levels.
template <class Device>
device::Buffer<PackedColor> average_nodes(Device& device, const RayDagRef& dag, const Light* materials,
                                          const LightCodes& codes) {
  if (dag.log2_side == dag::kLeafLog2 || !dag.filled) return {};
  const device::Buffer<uint32_t> begins = node_begins(device, dag);
  auto colors = device.template make<PackedColor>(inner_words(dag) / 2 + 1);
  device::Buffer<NodeMean> below;
  for (uint32_t log2 = dag::kLeafLog2 + 1; log2 <= dag.log2_side; ++log2) {
    const uint64_t words = level_words(dag, log2);
    auto means = device.template make<NodeMean>(words / 2 + 1);
    AverageNodes body = {dag, log2, begins.data(), {}, codes, below.data(), means.data(), colors.data()};
    for (uint32_t i = 0; i < scene::kPaletteSize; ++i) body.materials[i] = materials[i];
    device.for_each({"render: average nodes", 24}, words, body);
    below = std::move(means);
  }
  return colors;
}

}  // namespace vox::render
