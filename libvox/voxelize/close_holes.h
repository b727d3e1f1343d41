// Closes the holes of a mesh, so that every point in space has a winding number and --solid knows what is inside.
//
// An edge is open if the triangles at it, as snapped, do not pass along it equally often in both directions. Where a
// triangle is missing its edges are open, and where one faces the wrong way they are open twice over. Open edges always
// form cycles. A fan of triangles from the middle of a cycle to its edges closes it:
//
//      ┌────┬────┐            ┌────┬────┐
//      │    │    │            │    │    │     membranes: rays cross them, but they fill no voxel,
//      ├────┘    │            ├────┘╲ ╱ │     because their texture is a single hole
//      │  missing│            │     ╱ ╲ │
//      └─────────┘            └─────────┘
//
// Along a closed surface, however many of its parts overlap, a ray in any direction counts the same winding number.
#pragma once

#include <cstdint>

#include "libvox/scene/palette.h"
#include "libvox/scene/scene.h"
#include "libvox/voxelize/grid.h"

namespace vox::voxelize {

struct ClosedHoles {
  uint64_t open_edges = 0;
  uint64_t holes = 0;      // cycles of open edges
  uint64_t membranes = 0;  // triangles that close them
  double largest = 0;      // the diagonal of the box around the largest one, in world units
};

// Appends the membranes to the scene, with a material and a texture of their own. Triangles that lie exactly on others
// are left out, as solid.h does. Nothing is appended to a closed mesh.
ClosedHoles close_holes(scene::Scene& scene, scene::IndexedScene& indexed, const Grid& grid);

}  // namespace vox::voxelize
