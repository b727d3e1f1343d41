// Turns triangles that face the other way than their neighbours.
//
// Where two triangles share an edge, and no third one, they face the same side if they pass along it in opposite
// directions. From neighbour to neighbour this decides for whole parts of a surface which of their triangles belong
// together, also where half of them are turned, as in meshes whose programs did not care. Those with the smaller area are
// turned.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "libvox/scene/scene.h"

namespace vox::voxelize {

// The vertices of triangle i have the numbers corners[3 * i] to corners[3 * i + 2]; equal numbers are one vertex.
// `counts[i]` is 0 for triangles that are left out. Returns the number of triangles that were turned.
uint64_t turn_triangles(scene::Scene& scene, std::span<uint32_t> corners, std::span<const uint8_t> counts);

}  // namespace vox::voxelize
