// The triangles of a glTF's primitives: lists, strips and fans, with indices of any type or without.
#pragma once

#include <cstdint>

#include "formats/mesh/gltf_accessors.h"
#include "formats/mesh/gltf_document.h"
#include "libvox/scene/scene.h"

namespace vox {

// The corners of triangles: the vertices in their order, or those that indices name.
struct GltfCorners {
  GltfMode mode = GltfMode::Triangles;
  GltfElements indices;  // its data is null where there are none
  uint64_t count = 0;    // entries of the list, strip or fan
};

uint64_t triangle_count(const GltfCorners& corners);  // 0 for points and lines

struct VertexRange {
  uint64_t first = 0, end = 0;
};

// The smallest range that holds all vertices that the corners name. Throws Error where a corner names none of
// the `vertices` vertices.
VertexRange find_range(const GltfCorners& corners, uint64_t vertices);

// Where the vertices of a primitive lie in a scene: by how many places further than in the file. A negative
// distance wraps around.
struct TriangleTarget {
  uint32_t position_shift = 0, texcoord_shift = 0;
  bool textured = false;
  uint32_t material = 0;
};

// Writes all triangles to `to`, in parallel.
void write_triangles(const GltfCorners& corners, const TriangleTarget& target, scene::Triangle* to);

}  // namespace vox
