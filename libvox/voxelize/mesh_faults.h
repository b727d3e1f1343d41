// Finds what makes the inside of a mesh unclear, object by object, and where it is.
//
// Edges are those between vertices as snapped (open_edges.h). Triangles cross if an edge of one passes through the inside of
// the other; what only touches, lies in one plane or shares a corner does not cross. That is decided exactly for the mesh
// with its vertices moved to the nearest of 2^19 steps along the longest side of its box.
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
  TurnedTriangle,   // one that faces the other way than its neighbors
  Crossing          // of two triangles
};
inline constexpr size_t kMeshFaults = 4;

struct FaultPlace {
  Vec3d at;  // in the world: the middle of the edge or triangle, or of what the boxes of two triangles share
  uint32_t triangle;  // its number in the scene; of two, the lower one
  uint32_t other;     // the other of two that cross, or kNone
};

// The faults of an object, or of triangles of a material where readers do not keep objects apart.
struct ObjectFaults {
  static constexpr size_t kMostPlaces = 100;  // of each kind; the counts are complete

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

// A fault between two objects counts for that of the first triangle.
MeshFaults find_faults(const scene::Scene& scene, const Grid& grid);

// Returns the pairs of triangles that cross, the lower number first, in order.
std::vector<std::array<uint32_t, 2>> crossing_triangles(const scene::Scene& scene);

}  // namespace vox::voxelize
