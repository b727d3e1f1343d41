// Polygons with more than three corners, which mesh readers cut into fans of triangles.
#pragma once

#include <cstdint>
#include <span>

#include "libvox/scene/scene.h"

namespace vox {

// The place of a polygon's triangles (0, 1, 2), (0, 2, 3), … in a scene.
struct Polygon {
  uint64_t first_triangle;
  uint32_t corners;
};

// Replaces the triangles of concave polygons, which a fan does not cover exactly, by as many ears (Meisters
// 1975), whose corners keep their positions and texture coordinates.
void cut_concave_polygons(scene::Scene& scene, std::span<const Polygon> polygons);

}  // namespace vox
