// Levels of detail of a scene that is larger than memory. Rays read such a scene in place. At a pixel that shows a large
// node, they would read the node's voxels from all over the file. So the nodes of the upper levels, with their boxes and
// mean colors, are kept in memory. The whole scene is read once for them, in order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "libvox/dag/frozen_dag.h"
#include "libvox/device/pool.h"
#include "libvox/render/camera.h"
#include "libvox/render/node_colors.h"
#include "libvox/render/ray_dag.h"

namespace vox::render {

// Returns log2 of the least side of nodes for which `memory` has room: for those nodes and larger ones, with boxes and
// colors. Leaves do not count. Returns nothing if the pixels in the middle of the scene are less wide than such a node.
std::optional<uint32_t> finest_upper_level(const dag::FrozenDag& dag, const Camera& camera,
                                           const VoxelBox& filled, uint64_t memory);

// Makes the boxes and colors of the nodes of 2^finest voxels a side and more, by RayDagRef::box_index() of a RayDag that
// keeps these levels. Values of the other nodes take up to `memory` bytes for each of two levels; more lie in a file.
void find_upper_detail(const dag::FrozenDag& dag, uint32_t finest, const Light* materials,
                       const LightCodes& codes, uint64_t memory, PackedBox* boxes, PackedColor* colors);

// Keeps the upper levels of a DAG that `rays` reads in place, and returns the colors of their nodes, or nothing if they are
// not needed for a picture by this camera.
template <class Device>
std::optional<device::Buffer<PackedColor>> keep_upper_levels(Device& device, RayDag<Device>& rays,
                                                             const dag::FrozenDag& dag, const Camera& camera,
                                                             const VoxelBox& filled, uint64_t memory,
                                                             const Light* materials,
                                                             const LightCodes& codes) {
  const std::optional<uint32_t> finest = finest_upper_level(dag, camera, filled, memory / 4);
  if (!finest) return std::nullopt;
  rays.keep_upper_levels(device, dag, *finest);
  const uint64_t values = rays.kept_words() / 2 + 1;
  auto boxes = device.template make<PackedBox>(values);
  auto colors = device.template make<PackedColor>(values);
  find_upper_detail(dag, *finest, materials, codes, memory / 8, boxes.data(), colors.data());
  rays.set_upper_boxes(std::move(boxes), *finest);
  return colors;
}

}  // namespace vox::render
