// The triangles of a glTF file's primitives: lists, strips and fans, with indices of any type or without
// indices.
#pragma once

#include <cstdint>

#include "formats/mesh/gltf_accessors.h"
#include "formats/mesh/gltf_document.h"
#include "libvox/scene/scene.h"

namespace vox {

// The corners of triangles: the vertices in their order, or those that indices refer to.
struct GltfCorners {
  GltfMode mode = GltfMode::Triangles;
  GltfElements indices;  // null data if there are no indices
  uint64_t count = 0;    // number of entries of the list, strip or fan
};

uint64_t triangle_count(const GltfCorners& corners);  // 0 for points and lines

struct VertexRange {
  uint64_t first = 0, end = 0;
};

// Returns the smallest range that holds all vertices that the corners refer to. Throws Error if a corner
// refers to a vertex that is not one of the `vertices` vertices.
VertexRange find_range(const GltfCorners& corners, uint64_t vertices);

// The place of a primitive's vertices in a scene, as distances from their indices in the file. A negative
// distance wraps around.
struct TriangleTarget {
  uint32_t position_shift = 0, texcoord_shift = 0;
  bool textured = false;
  uint32_t material = 0;
};

// Writes all triangles to `to`, in parallel.
void write_triangles(const GltfCorners& corners, const TriangleTarget& target, scene::Triangle* to);

}  // namespace vox
