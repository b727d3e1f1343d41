// Closes the holes of a mesh, so that every point in space has a winding number and --solid knows what is inside.
//
// An edge is open if the triangles at it, as snapped, do not pass along it equally often in both directions. First
// triangles are turned that face the other way than their neighbors (turn_triangles()). Then the edges are open at which a
// triangle is missing. They form cycles. A fan of triangles from the middle of a cycle to its edges closes it:
//
//      ┌────┬────┐            ┌────┬────┐
//      │    │    │            │    │    │     membranes: rays cross them, but they fill no voxel,
//      ├────┘    │            ├────┘╲ ╱ │     because their texture is a single hole
//      │  missing│            │     ╱ ╲ │
//      └─────────┘            └─────────┘
//
// A part of the mesh whose openings are larger than 0.7 of its own surface, such as a piece of ground or a leaf, is no body
// but a sheet. Membranes that lie on its triangles and face the other way make rays pass as if it were not there.
//
// Along a closed surface, however many of its parts overlap, a ray in any direction counts the same winding number.
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
  uint64_t joined = 0;     // vertices at gaps, which have become one with others
  uint64_t holes = 0;      // cycles of open edges in bodies
  uint64_t sheets = 0;     // parts that are no bodies
  uint64_t membranes = 0;  // triangles that close holes, then those that lie on sheets
  uint64_t covers = 0;     // those that lie on sheets
  double largest = 0;      // the diagonal of the box around the largest one, in world units
};

// Turns triangles, and appends the membranes to the scene, with a material and a texture of their own. Triangles that lie exactly on others
// are left out, as solid.h does. A closed mesh stays as it is. Borders that are at most `gap` voxels apart are joined first
// (open_edges.h), also those of parts that share no vertices, which together may be a body.
ClosedHoles close_holes(scene::Scene& scene, scene::IndexedScene& indexed, const Grid& grid, double gap = 0);

// Turns triangles that face the other way than their neighbors.
//
// Where two triangles share an edge, and no third one, they face the same side if they pass along it in opposite
// directions. From neighbor to neighbor this decides for whole parts of a surface which of their triangles belong
// together, also where half of them are turned, as in meshes whose programs did not care. Those with the smaller area are
// turned.
//
// The vertices of triangle i have the numbers corners[3 * i] to corners[3 * i + 2]; equal numbers are one vertex.
// `counts[i]` is 0 for triangles that are left out; those
// that lie on others are turned with them. Returns the number of triangles that were turned.
uint64_t turn_triangles(scene::Scene& scene, std::span<uint32_t> corners, std::span<const uint8_t> counts);

}  // namespace vox::voxelize
