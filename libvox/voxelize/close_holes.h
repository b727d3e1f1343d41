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
#pragma once

#include <cstdint>
#include <span>

#include "libvox/scene/palette.h"
#include "libvox/scene/scene.h"
#include "libvox/voxelize/grid.h"

namespace vox::voxelize {

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
// apart are joined first (open_edges.h). This can join parts without common vertices into one body.
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
