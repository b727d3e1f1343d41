// The borders of a mesh: its open edges, the cycles that they form, and the joints by which narrow gaps between them close.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "libvox/base/vec.h"
#include "libvox/scene/scene.h"
#include "libvox/voxelize/grid.h"

namespace vox::voxelize {

// The vertices of a mesh as snapped, by numbers in the order of their places. Two positions of the mesh that snap to one
// place are one vertex.
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
  std::vector<Place> places_;        // of positions
  std::vector<uint32_t> numbers_;    // of positions
  std::vector<uint32_t> positions_;  // of vertices
};

// An edge from one vertex to another that the triangles at it pass once more often than back.
struct OpenEdge {
  uint32_t from, to;
};

// Returns the open edges, as often as they are passed once too often, in the order of their vertices. The vertices of triangle
// i are corners[3 * i] to corners[3 * i + 2]; triangles with crossed[i] = 0 do not count.
std::vector<OpenEdge> open_edges_of(std::span<const uint32_t> corners, std::span<const uint8_t> crossed);

// Returns the vertices of the cycles that open edges form. The edges must be sorted by their vertices, and as many of them
// must begin at each vertex as end there.
//
// Where a path can go on along several edges, it takes the one that turns back most. So two borders that run side by side
// between common ends, as those of faces do that were triangulated apart, are one narrow cycle and not parts of two wide
// ones.
std::vector<std::vector<uint32_t>> cycles_of(const scene::Scene& scene, const Vertices& vertices,
                                             std::span<const OpenEdge> edges);

// Joins vertices at which open edges end, so that gaps between them close:
//
//      ──a────b────c──            a───▶b   an open edge; two membranes lead from it to its joints:
//        ┊    ┊    ┊ gap          │╲   │
//      ──A────B────C──            │ ╲  │   the edges A─▶B of both sides of the gap cancel each other
//                                 A───▶B
//
// A vertex's joint is the first one, in the order of vertices, that is no further away than the width of a gap, or itself.
class BorderJoints {
 public:
  // `width` is in voxels; 0 joins nothing.
  BorderJoints(const scene::Scene& scene, const Vertices& vertices, const Grid& grid,
               std::span<const OpenEdge> edges, double width);

  uint32_t joint_of(uint32_t vertex) const { return joints_.empty() ? vertex : joints_[vertex]; }
  uint64_t joined() const { return joined_; }  // the number of vertices that have become one with another
  // Returns what is left of open edges between joints.
  std::vector<OpenEdge> between_joints(std::span<const OpenEdge> edges) const;

 private:
  std::vector<uint32_t> joints_;
  uint64_t joined_ = 0;
};

}  // namespace vox::voxelize
