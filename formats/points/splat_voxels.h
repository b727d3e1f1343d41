// 3D Gaussian splats (Kerbl et al. 2023) are soft ellipsoids with a color and an opacity. Their readers
// share this header and its mathematical functions. These use only operations that IEEE 754 rounds in one
// way, so that all machines read the same splats.
#pragma once

#include <tbb/enumerable_thread_specific.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "formats/points/point_voxels.h"
#include "formats/points/points.h"
#include "formats/voxels/voxel_file.h"
#include "libvox/base/vec.h"
#include "libvox/voxelize/grid.h"

namespace vox {

// The constant of the first spherical harmonic: a splat's color is 0.5 + its coefficient times this.
inline constexpr double kFirstHarmonic = 0.28209479177387814;

// Returns e^x with an error of a few units in the last place. Results below the smallest normal number are 0,
// those above the greatest one are infinite.
inline double portable_exp(double x) {
  if (!(x > -708)) return x <= -708 ? 0 : x;  // NaN stays NaN
  if (x > 709) return std::numeric_limits<double>::infinity();
  constexpr double kLog2E = 1.4426950408889634;
  constexpr double kLn2High = 0x1.62e42feep-1, kLn2Low = 0x1.a39ef35793c76p-33;  // their sum is ln 2
  const double n = std::floor(x * kLog2E + 0.5);
  const double r = (x - n * kLn2High) - n * kLn2Low;  // at most ln 2 / 2; the first product is exact
  double sum = 1;
  for (int term = 14; term > 0; --term) sum = 1 + sum * r / term;
  return sum * std::bit_cast<double>(static_cast<uint64_t>(static_cast<int64_t>(n) + 1023) << 52);
}

// Returns the natural logarithm of a positive normal number, with a similar error.
inline double portable_log(double x) {
  constexpr double kLn2 = 0.6931471805599453, kRoot2 = 1.4142135623730951;
  const uint64_t bits = std::bit_cast<uint64_t>(x);
  int64_t power = static_cast<int64_t>(bits >> 52) - 1023;
  double part = std::bit_cast<double>((bits & 0xfffffffffffff) | uint64_t{1023} << 52);  // 1 to 2
  if (part > kRoot2) part /= 2, ++power;
  const double s = (part - 1) / (part + 1), square = s * s;
  double sum = 0;
  for (int term = 21; term > 0; term -= 2) sum = sum * square + 1.0 / term;
  return static_cast<double>(power) * kLn2 + 2 * s * sum;
}

// Returns the axes of an ellipsoid that is rotated by a quaternion of any length. All zeros mean no rotation.
inline std::array<Vec3d, 3> turned_axes(double x, double y, double z, double w) {
  const double length = x * x + y * y + z * z + w * w;
  const double s = length > 0 ? 2 / length : 0;
  return {Vec3d{1 - s * (y * y + z * z), s * (x * y + z * w), s * (x * z - y * w)},
          Vec3d{s * (x * y - z * w), 1 - s * (x * x + z * z), s * (y * z + x * w)},
          Vec3d{s * (x * z + y * w), s * (y * z - x * w), 1 - s * (x * x + y * y)}};
}

// Adds a splat to a piece. A splat that is too transparent to count is left out. One with numbers that are
// not finite gets a place that is not finite, so that it is dropped like such points.
inline void add_splat(CloudPiece& to, CloudPoint point, const SplatShape& shape) {
  if (shape.opacity < kLeastSplatWeight) {
    ++to.left_out;
    return;
  }
  Vec3d sum = shape.deviations;
  for (const Vec3d& axis : shape.axes) sum = sum + axis;
  if (!is_finite(sum) || !is_finite({shape.opacity, 0, 0})) point.place.x = std::nan("");
  to.points.push_back(point);
  to.shapes.push_back(shape);
}

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

// Surveys a cloud with shapes. The box reaches from each splat's center as far as the splat fills voxels on its
// own. For the 1 % of splats with the greatest reach, the greatest reach of the other splats is taken, so that
// a few huge splats do not make the grid coarse. Splats less than half as opaque as `opacity` do not widen the
// box, unless there are no others.
//
// A splat is oversized if its greatest deviation is more than a quarter of the longest side of the box of all centers that
// widen the box. The limit is rounded up by at most an eighth. If 1 % of all splats are as large, none is oversized.
CloudSurvey survey_splats(const PointCloud& cloud, double opacity);

// Returns the cloud with oversized splats as their centers alone: their deviations are 0, which counts as half a voxel.
// Otherwise a few of them would fill the whole grid.
PointCloud with_small_splats(PointCloud cloud, const CloudSurvey& found);

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

// Finds the splats of each cube of 64³ voxels. A splat belongs to the octree nodes that it meets, on the lowest level
// on which it meets at most two along each axis. The nodes of level 0 are cubes. So even a large splat takes little
// memory.
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

// The filled voxels of a cube, row by row along x. They take much less memory than ColoredVoxel would. In both masks, a bit
// stands for a voxel.
struct SplatRow {
  uint64_t voxels;
  uint64_t changes;  // where the color differs from that of the voxel before, or from black at the first
  int32_t place;     // y + 64 z
};
struct SplatRows {
  std::vector<SplatRow> rows;
  std::vector<uint8_t> colors;         // red, green and blue where the color changes
  std::optional<uint32_t> whole = {};  // the value of all voxels of the cube, which has no rows then

  void clear();
};

// Adds up splats in a cube, for one thread. Only the parts of rows that splats reach are used.
class SplatSums {
 public:
  SplatSums();

  // Adds a splat to the voxels of the cube with this lower corner that lie in a grid of this resolution.
  void add(const GridSplat& splat, Int3 corner, uint32_t resolution);
  void add_colored(const GridSplat& splat, Int3 corner, uint32_t resolution);

  // Appends the voxels that are at least this opaque, with their colors if these were added, and removes all splats.
  void take(double opacity, bool colors, SplatRows& to);

 private:
  static constexpr int32_t kSide = dag::VoxelCube::kSide;

  // The part of a row that a splat reaches, and d² / 2 there: rate · (x - middle)² + least, where x counts voxels.
  struct Part {
    int32_t first, last;
    float middle, rate, least;
  };
  // A splat in a row.
  struct RowSplat {
    Part part;
    float opacity;
    uint32_t rgb;
  };

  // Sums for the voxels of a row along x. As long as a single splat reaches the row, it needs no sums of light.
  struct Row {
    int32_t begin = 0, end = 0;  // the part that is in use
    bool has_light = false;
    RowSplat first;
    std::array<float, kSide> transparency, weight, red, green, blue;

    void use(int32_t from, int32_t to);
    void clear(int32_t from, int32_t to);
    void clear_light(int32_t from, int32_t to);
    template <class Body>
    static void for_each_weight(const RowSplat& splat, const Body& body);
    void add(const RowSplat& splat);
    void add_light(const RowSplat& splat);  // without what it does to transparency
    void add_with_light(const RowSplat& splat);
  };

  template <class AddRow>
  void for_each_row(const GridSplat& splat, Int3 corner, uint32_t resolution, const AddRow& add_row);

  std::vector<Row> rows_;
  std::vector<int32_t> used_rows_;
};

}  // namespace vox
