// Clips triangles at the guard band. This runs on the host, because there are few such triangles, and the
// rest of one is a polygon of up to nine corners.
#pragma once

#include <vector>

#include "libvox/voxelize/corners.h"

namespace vox::voxelize {

// One of the triangles into which a cut triangle is divided.
struct CutPart {
  TriangleShape shape;      // 40 B
  TriangleShading shading;  // 40 B
  uint32_t triangle;        // 4 B, the triangle's number in the mesh
  uint16_t place, count;    // 4 B, the part's index among the parts of its triangle, and how many there are
};
static_assert(sizeof(CutPart) == 88);

// Returns the parts of the triangles with these numbers, in their order. The mesh is in host memory.
std::vector<CutPart> cut_triangles(const MeshRef& mesh, const std::vector<uint32_t>& triangles);

}  // namespace vox::voxelize
