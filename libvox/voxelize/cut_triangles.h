// Cuts off what triangles have beyond the guard band, on the host: there are few such triangles, and what is left of
// one is a polygon of up to nine corners.
#pragma once

#include <vector>

#include "libvox/voxelize/corners.h"

namespace vox::voxelize {

// One of the triangles that a cut one becomes.
struct CutPart {
  TriangleShape shape;      // 40 B
  TriangleShading shading;  // 40 B
  uint32_t triangle;        // 4 B, of the mesh
  uint16_t place, count;    // 4 B, among the parts of this triangle, and how many it has
};
static_assert(sizeof(CutPart) == 88);

// The parts of the triangles of these numbers, in their order. The mesh is in the host's memory.
std::vector<CutPart> cut_triangles(const MeshRef& mesh, const std::vector<uint32_t>& triangles);

}  // namespace vox::voxelize
