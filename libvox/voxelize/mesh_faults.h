// Finds the faults that make the inside of a mesh unclear, and their places, object by object.
//
// Edges are taken between snapped vertices. Two triangles cross if an edge of one passes through the
// inside of the other. Triangles that only touch, lie in one plane or share a corner do not cross. This is decided
// exactly, for vertices that are rounded to 2^19 steps along the longest side of the mesh's box.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "libvox/base/vec.h"
#include "libvox/scene/palette.h"
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

// The borders of a mesh: its open edges, the cycles that they form, and the joints that close narrow gaps between them.

// The snapped vertices of a mesh, numbered in the order of their places. Positions of the mesh that snap to one place
// are one vertex.
class Vertices {
 public:
  using Place = std::array<int64_t, 3>;

  Vertices(const scene::Scene& scene, const Grid& grid);

  size_t count() const { return positions_.size(); }
  uint32_t number_of(uint32_t position) const { return numbers_[position]; }
  // Returns a position of the mesh that snaps to this vertex.
  uint32_t position_of(uint32_t number) const { return positions_[number]; }
  const Place& place_of_position(uint32_t position) const { return places_[position]; }

 private:
  std::vector<Place> places_;        // the place of each position
  std::vector<uint32_t> numbers_;    // the number of each position's vertex
  std::vector<uint32_t> positions_;  // a position of each vertex
};

// An edge from one vertex to another that triangles pass once more in this direction than back.
struct OpenEdge {
  uint32_t from, to;
};

// Returns the open edges in the order of their vertices. An edge is listed once for each passage in excess. The
// vertices of triangle i are corners[3 * i] to corners[3 * i + 2]; triangles with crossed[i] = 0 do not count.
std::vector<OpenEdge> open_edges_of(std::span<const uint32_t> corners, std::span<const uint8_t> crossed);

// Returns the vertices of the cycles that open edges form. The edges must be sorted by their vertices, and each vertex
// must have as many edges that begin there as edges that end there.
//
// If a path can go on along several edges, it takes the one that turns back most. So two borders that run side by side
// between common ends become one narrow cycle and not parts of two wide ones. Faces that were triangulated separately
// have such borders.
std::vector<std::vector<uint32_t>> cycles_of(const scene::Scene& scene, const Vertices& vertices,
                                             std::span<const OpenEdge> edges);

// Joins vertices at which open edges end, so that gaps between them close:
//
//      ──a────b────c──            a───▶b   an open edge; two membranes lead from it to its joints:
//        ┊    ┊    ┊ gap          │╲   │
//      ──A────B────C──            │ ╲  │   the edges A─▶B of both sides of the gap cancel each other
//                                 A───▶B
//
// A vertex's joint is the first vertex, in their order, at most a gap's width away; it may be the vertex itself.
class BorderJoints {
 public:
  // `width` is in voxels; 0 joins nothing.
  BorderJoints(const scene::Scene& scene, const Vertices& vertices, const Grid& grid,
               std::span<const OpenEdge> edges, double width);

  uint32_t joint_of(uint32_t vertex) const { return joints_.empty() ? vertex : joints_[vertex]; }
  uint64_t joined() const { return joined_; }  // the number of vertices whose joint is another one
  // Returns the open edges between joints that do not cancel each other.
  std::vector<OpenEdge> between_joints(std::span<const OpenEdge> edges) const;

 private:
  std::vector<uint32_t> joints_;
  uint64_t joined_ = 0;
};

// Closes the holes of a mesh, so that every point in space has a winding number and --solid knows what is inside.
//
// An edge is open if its triangles, as snapped, do not pass along it equally often in both directions. First, triangles
// that face the other way than their neighbors are turned (turn_triangles()). The edges that are then open are those
// where a triangle is missing. They form cycles. A fan of triangles from the middle of a cycle to its edges closes it:
//
//      ┌────┬────┐            ┌────┬────┐
//      │    │    │            │    │    │     membranes: rays cross them, but they fill no voxel,
//      ├────┘    │            ├────┘╲ ╱ │     because their texture is a single hole
//      │  missing│            │     ╱ ╲ │
//      └─────────┘            └─────────┘
//
// A part of the mesh whose openings are larger than 0.7 of its own surface, such as a piece of ground or the leaf of a
// tree, is a sheet and no body. Membranes that lie on its triangles and face the other way cancel its crossings.
//
// With a closed surface, even if its parts overlap, rays in all directions find the same winding number at a point.

struct ClosedHoles {
  uint64_t turned = 0;  // triangles that faced the other way than their neighbors
  uint64_t open_edges = 0;
  uint64_t joined = 0;     // vertices at gaps that became one with others
  uint64_t holes = 0;      // cycles of open edges in bodies
  uint64_t sheets = 0;     // parts that are no bodies
  uint64_t membranes = 0;  // triangles that close holes, and those that lie on sheets
  uint64_t covers = 0;     // the membranes that lie on sheets
  double largest = 0;      // the diagonal of the box around the largest hole, in world units
};

// Turns triangles, and appends the membranes to the scene, with a material and a texture of their own. Triangles that
// lie exactly on others are ignored, as in solid.h. A closed mesh stays as it is. Borders that are at most `gap` voxels
// apart are joined first. This can join parts without common vertices into one body.
ClosedHoles close_holes(scene::Scene& scene, scene::IndexedScene& indexed, const Grid& grid, double gap = 0);

// Turns triangles that face the other way than their neighbors.
//
// If exactly two triangles share an edge, they face the same side if they pass along it in opposite directions.
// From neighbor to neighbor, this divides a whole part of a surface into two sets that face opposite sides,
// even if half of its triangles are turned, as some programs write them. The set with the smaller area is
// turned.
//
// The vertices of triangle i have the numbers corners[3 * i] to corners[3 * i + 2]; equal numbers are one vertex.
// `counts[i]` is 0 for triangles that are ignored; if they lie on others, they are turned with them. Returns the
// number of triangles that were turned.
uint64_t turn_triangles(scene::Scene& scene, std::span<uint32_t> corners, std::span<const uint8_t> counts);

}  // namespace vox::voxelize
