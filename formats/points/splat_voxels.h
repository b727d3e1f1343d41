// Converts splats, which are soft ellipsoids, to voxels. Several splats together are as opaque as if they stood
// one behind the other: a voxel with its center at p is filled if
//
//     1 - Π (1 - α · e^(-d² / 2))
//
// is at least the opacity that the user has chosen. The product is over all splats, α is a splat's opacity, and d
// is the distance of p from its center, in its standard deviations. Two rules go with this:
//
// - A deviation counts as at least half a voxel. Otherwise p would miss splats that are thinner than a voxel.
// - Factors with α · e^(-d² / 2) < 1/1024 are left out.
//
// A voxel's color is the mean of its splats' colors in linear light, weighted by α · e^(-d² / 2).
#pragma once

#include <tbb/enumerable_thread_specific.h>

#include <cstdint>
#include <span>
#include <vector>

#include "formats/points/point_voxels.h"
#include "formats/points/points.h"
#include "formats/voxels/voxel_file.h"
#include "libvox/base/vec.h"
#include "libvox/voxelize/grid.h"

namespace vox {

// Surveys a cloud with shapes. The box reaches from each splat's center as far as the splat fills voxels on its
// own. For the 1 % of splats with the greatest reach, the greatest reach of the other splats is taken, so that
// a few huge splats do not make the grid coarse. Splats less than half as opaque as `opacity` do not widen the
// box, unless there are no others.
CloudSurvey survey_splats(const PointCloud& cloud, double opacity);

struct SplatVoxelOptions {
  double opacity = 0.5;  // the least opacity of a filled voxel
  bool materials = true;
  uint64_t room = UINT64_MAX;  // the most bytes of splats, and of results that are needed again
};

// The splats stay in memory, with 64 bytes each and 4 bytes for each octree node to which they belong. Throws
// Error, also if there is no room for them.
VoxelFile splat_voxels(const PointCloud& cloud, const voxelize::Grid& grid, const SplatVoxelOptions& options);

// A splat on the grid, in voxels. Its d² is a sum of squares of three distances: along z from the center, along y
// from the y that is expected for this z, and along x from the x that is expected for these. Each is divided by
// its remaining deviation.
struct GridSplat {
  Vec3d center;                  // in voxels from the grid's corner
  float per_x, per_y, per_z;     // 1 / deviation
  float x_by_y, x_by_z, y_by_z;  // the expected x and y, as multiples of y and z
  float opacity;
  float cut;     // the value of d² / 2 where the splat ends
  uint32_t rgb;  // see rgb_value()

  static GridSplat of(const CloudPoint& point, const SplatShape& shape, const voxelize::Grid& grid);

  // Returns a box of voxels, in a grid of this resolution, around all places where the splat counts. It may be empty.
  struct Reach {
    Int3 first, last;
    bool empty() const { return first.x > last.x || first.y > last.y || first.z > last.z; }
  };
  Reach reach(uint32_t resolution) const;

  // Return bounds of d² / 2 in a cube, of which the least may be too small and the greatest too large.
  double least_in(const Vec3d& middle, double half_side) const;
  double greatest_in(const Vec3d& middle, double half_side) const;

 private:
  // Calls body(distance from the center, half of the cube's extent) for each of the three squares.
  template <class Body>
  void for_each_part(const Vec3d& middle, double half_side, const Body& body) const;
};
static_assert(sizeof(GridSplat) == 64);

// SplatTree finds the splats of each cube of 64³ voxels.

// A splat belongs to the octree nodes that it meets, on the lowest level on which it meets at most two along each
// axis. The nodes of level 0 are cubes. So even a large splat takes little memory.
class SplatTree {
 public:
  // `opacity` is that of a filled voxel.
  SplatTree(std::vector<GridSplat> splats, uint32_t resolution, double opacity);

  const GridSplat& splat(uint32_t index) const { return splats_[index]; }
  uint64_t bytes() const;

  // Returns the keys of the cubes that may hold filled voxels, ascending; see dag::cube_key().
  std::vector<uint64_t> cubes() const;

  // Returns the splats that may count in a cube, in the order of the file.
  std::vector<uint32_t> splats_of(uint64_t cube) const;

 private:
  struct Node {
    uint32_t level;
    uint64_t key;  // the Morton key among nodes of its level

    double half_side() const { return static_cast<double>(uint64_t{32} << level) - 0.5; }
    Vec3d middle() const;  // the middle of the voxels' centers
    uint64_t id() const { return uint64_t{level} << 48 | key; }
  };

  template <class Body>
  void for_each_node(uint32_t splat, const Body& body) const;
  void build();
  std::span<const uint32_t> splats_in(const Node& node) const;
  bool is_used_below(const Node& node) const;
  bool counts_in(uint32_t splat, const Node& node) const;
  void find_cubes(const Node& node, const std::vector<uint32_t>& above,
                  tbb::enumerable_thread_specific<std::vector<uint64_t>>& found) const;

  std::vector<GridSplat> splats_;
  uint32_t resolution_;
  double opacity_;
  uint32_t top_ = 0;  // the level of the root

  // The ids of nodes that have splats, ascending, and the splats of each node, ascending.
  std::vector<uint64_t> nodes_;
  std::vector<uint64_t> ends_;  // where the splats of each node end
  std::vector<uint32_t> members_;
};

// SplatSums adds up splats in a cube.

// A voxel with this code stands for all voxels of a cube.
inline constexpr uint32_t kWholeCube = UINT32_MAX;

// One thread's memory for adding up splats. Only the parts of rows that splats reach are used.
class SplatSums {
 public:
  SplatSums();

  // Adds a splat to the voxels of the cube with this lower corner that lie in a grid of this resolution.
  void add(const GridSplat& splat, Int3 corner, uint32_t resolution);
  void add_colored(const GridSplat& splat, Int3 corner, uint32_t resolution);

  // Appends the voxels that are at least this opaque, and removes all splats.
  void take(double opacity, std::vector<ColoredVoxel>& to);

 private:
  static constexpr int32_t kSide = dag::VoxelCube::kSide;

  // Sums for the voxels of a row along x.
  struct Row {
    std::array<float, kSide> transparency, weight, red, green, blue;
  };

  Row& row_for(int32_t row, int32_t first, int32_t last);
  template <class AddRow>
  void for_each_row(const GridSplat& splat, Int3 corner, uint32_t resolution, const AddRow& add_row);

  std::vector<Row> rows_;
  std::vector<std::array<int32_t, 2>> used_;  // the part of each row that is in use; nothing if it is empty
  std::vector<int32_t> used_rows_;
};

}  // namespace vox
