// Finds the faults that make the inside of a mesh unclear, and their places, object by object.
//
// Edges are taken between snapped vertices (open_edges.h). Two triangles cross if an edge of one passes through the
// inside of the other. Triangles that only touch, lie in one plane or share a corner do not cross. This is decided
// exactly, for vertices that are rounded to 2^19 steps along the longest side of the mesh's box.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "libvox/scene/scene.h"
#include "libvox/voxelize/grid.h"

namespace vox::voxelize {

enum class MeshFault : uint8_t {
  OpenEdge,         // the triangles at an edge do not pass along it equally often in both directions
  NonManifoldEdge,  // more than two triangles share an edge
  TurnedTriangle,   // a triangle that faces the other way than its neighbors
  Crossing          // two triangles cross, as explained above
};
inline constexpr size_t kMeshFaults = 4;

struct FaultPlace {
  Vec3d at;  // in the world: the middle of the edge, the triangle, or the overlap of two triangles' boxes
  uint32_t triangle;  // its number in the scene; the lower number if there are two
  uint32_t other;     // the second of two that cross, or kNone
};

// The faults of an object. If the file's reader does not keep objects apart, those of a material's triangles.
struct ObjectFaults {
  static constexpr size_t kMostPlaces = 100;  // places kept of each kind; the counts include all

  std::string name;
  uint64_t triangles = 0;
  std::array<uint64_t, kMeshFaults> counts = {};
  std::array<std::vector<FaultPlace>, kMeshFaults> places = {};  // in the order of the triangles
};

struct MeshFaults {
  std::vector<ObjectFaults> objects;       // in the order of their first materials
  std::vector<uint32_t> turned, crossing;  // triangles, in ascending order

  uint64_t count(MeshFault fault) const {
    uint64_t sum = 0;
    for (const ObjectFaults& object : objects) sum += object.counts[static_cast<size_t>(fault)];
    return sum;
  }
};

// Finds all faults. A fault between two objects counts for the first triangle's object.
MeshFaults find_faults(const scene::Scene& scene, const Grid& grid);

// Returns the pairs of triangles that cross, the lower number first, in order.
std::vector<std::array<uint32_t, 2>> crossing_triangles(const scene::Scene& scene);

}  // namespace vox::voxelize
