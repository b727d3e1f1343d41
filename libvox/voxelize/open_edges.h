// The borders of a mesh: its open edges, the cycles that they form, and the joints that close narrow gaps between them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "libvox/base/vec.h"
#include "libvox/scene/scene.h"
#include "libvox/voxelize/grid.h"

namespace vox::voxelize {

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

}  // namespace vox::voxelize
