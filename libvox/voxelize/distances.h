// Distances from the centers of voxels to the triangles of a mesh, in a band around its surface (vox-convert --sdf).
//
// The band is divided into bricks of 8³ voxels. If distances have signs, those inside are negative. The
// crossings of a row of voxels decide what is inside, as with rays along x (solid.h). Beyond the band, a distance is the
// band's width, with its sign.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "libvox/base/geometry.h"
#include "libvox/base/hd.h"
#include "libvox/base/morton.h"
#include "libvox/base/paged_memory.h"
#include "libvox/device/handle.h"
#include "libvox/device/runs.h"
#include "libvox/scene/palette.h"
#include "libvox/scene/scene.h"
#include "libvox/volume/volume.h"
#include "libvox/voxelize/build_scene.h"
#include "libvox/voxelize/grid.h"

namespace vox::voxelize {

// Distances from voxels' centers to the nearest triangle, in a band around the triangles, on any device.
//
// Each brick of 8³ voxels gets a list of the triangles that are within the band of one of its voxels. As for
// coverage, these pairs are found by splitting cells into cells a quarter as wide, step by step (descend.h). Then
// each voxel takes the nearest triangle of its brick's list, in double precision. Bounding spheres exclude most
// triangles without a computation of their distance.

// Finds the triangle of a list that is nearest to a point. The loop is the same on every device.
struct NearestTriangle {
  double squared = 1e300;          // the square of the distance
  uint32_t triangle = UINT32_MAX;  // the first of several that are equally near

  VOX_HD void look_at(const Vec3d& a, const Vec3d& b, const Vec3d& c, uint32_t number, const Vec3d& point) {
    const Vec2<double> weights = closest_weights(a, b, c, point);
    const Vec3d away = a + (b - a) * weights.x + (c - a) * weights.y - point;
    const double distance = dot(away, away);
    if (distance > squared || (distance == squared && number > triangle)) return;
    squared = distance;
    triangle = number;
  }
};

inline constexpr uint32_t kBandSide = 8,
                          kBandVoxels = 512;  // the side of a brick, and the number of its voxels

struct BandMesh {
  std::span<const Vec3d> positions;
  std::span<const scene::Triangle> triangles;
  std::vector<uint8_t>
      values;  // one for each triangle, which the voxels nearest to it take; 0: it is left out
  Grid grid;
  double band = 0;    // in world units
  uint64_t room = 0;  // bytes for the result
};

// The bricks within the band, by their Morton codes, and their voxels, x fastest.
struct BandDistances {
  std::vector<uint64_t> keys;
  std::vector<float, UninitializedAllocator<float>> distances;   // at most the band
  std::vector<uint8_t, UninitializedAllocator<uint8_t>> values;  // 0 beyond the band
};

// Throws OutOfMemory.
template <class Device>
BandDistances measure_band(Device& device, const BandMesh& mesh);
BandDistances measure_band(device::DeviceHandle device, const BandMesh& mesh);

// A triangle in coordinates from the grid's origin.
struct BandTriangle {
  Vec3d middle = {0, 0, 0};  // 24 B
  double reach = 0;          //  8 B, no point of the triangle is farther from `middle`, even after rounding
  Vec3d a, b, c;             // 72 B

  // True if the triangle surely lies farther from a point than this. The slack is far above the errors of rounding.
  VOX_HD bool is_beyond(const Vec3d& point, double distance) const {
    const Vec3d away = middle - point;
    const double most = reach + distance;
    return dot(away, away) > most * most * (1 + 1e-9);
  }
};
static_assert(sizeof(BandTriangle) == 104);

struct PlaceInBand {
  const Vec3d* positions;
  const scene::Triangle* triangles;
  Vec3d origin;
  double slack;
  BandTriangle* placed;
  VOX_HD void operator()(uint64_t i) const {
    BandTriangle triangle;
    triangle.a = positions[triangles[i].position[0]] - origin;
    triangle.b = positions[triangles[i].position[1]] - origin;
    triangle.c = positions[triangles[i].position[2]] - origin;
    triangle.middle = (triangle.a + triangle.b + triangle.c) * (1.0 / 3);
    const double a = length(triangle.a - triangle.middle), b = length(triangle.b - triangle.middle),
                 c = length(triangle.c - triangle.middle);
    triangle.reach = (a > b ? (a > c ? a : c) : (b > c ? b : c)) + slack;
    placed[i] = triangle;
  }
};

struct IsInBand {
  const uint8_t* values;
  VOX_HD bool operator()(uint64_t i) const { return values[i] != 0; }
};

// Finds which of the 64 smaller cells of a cell lie within the band around a triangle.
struct CoverBand {
  const BandTriangle* triangles;
  Vec3d sides;  // the sides of a brick
  double band;
  int32_t bricks;    // along each side of the grid
  int32_t side = 1;  // the side of a smaller cell, in bricks
  const uint64_t* keys = nullptr;
  const uint32_t* pair_triangles = nullptr;
  uint64_t* masks = nullptr;
  VOX_HD void operator()(uint64_t i) const {
    const BandTriangle& triangle = triangles[pair_triangles[i]];
    const Int3 first = morton_decode(keys[i]) * 4;
    const double half = 0.5 * side, reach = band + length(sides) * half;
    uint64_t mask = 0;
    for (uint32_t bit = 0; bit < 64; ++bit) {
      const Int3 corner = (first + cube_place(bit)) * side;
      if (corner.x >= bricks || corner.y >= bricks || corner.z >= bricks) continue;
      const Vec3d middle = product({corner.x + half, corner.y + half, corner.z + half}, sides);
      if (triangle.is_beyond(middle, reach)) continue;
      NearestTriangle nearest;
      nearest.look_at(triangle.a, triangle.b, triangle.c, 0, middle);
      if (nearest.squared <= reach * reach * (1 + 1e-9)) mask |= uint64_t{1} << bit;
    }
    masks[i] = mask;
  }
};

struct MeasureBand {
  const BandTriangle* triangles;
  const uint8_t* triangle_values;
  const uint64_t* keys;  // of the bricks
  device::CellsRef cells;
  const uint32_t* pair_triangles;
  Vec3d sides;  // the sides of a voxel
  double band;
  uint64_t first;  // the first voxel of the loop, among those of all bricks
  float* distances;
  uint8_t* values;
  VOX_HD void operator()(uint64_t i) const {
    const uint64_t brick = (first + i) / kBandVoxels;
    const auto voxel = static_cast<int32_t>((first + i) % kBandVoxels);
    const Int3 at =
        morton_decode(keys[brick]) * int32_t{kBandSide} + Int3{voxel & 7, voxel >> 3 & 7, voxel >> 6};
    const Vec3d point = product({at.x + 0.5, at.y + 0.5, at.z + 0.5}, sides);
    NearestTriangle nearest;
    double near = band;
    for (uint64_t pair = cells.begin(brick); pair < cells.end(brick); ++pair) {
      const uint32_t number = pair_triangles[pair];
      const BandTriangle& triangle = triangles[number];
      if (triangle.is_beyond(point, near)) continue;
      nearest.look_at(triangle.a, triangle.b, triangle.c, number, point);
      const double distance = std::sqrt(nearest.squared);
      if (distance < near) near = distance;
    }
    const double distance = std::sqrt(nearest.squared);
    distances[i] = static_cast<float>(distance < band ? distance : band);
    values[i] = distance <= band ? triangle_values[nearest.triangle] : uint8_t{0};
  }
};

inline constexpr double kLeastBand = 0.5, kMostBand = 256;

struct DistanceOptions {
  double band = 3;  // in the shortest sides of voxels, kLeastBand to kMostBand
  // The rule for the sign; none: distances have no sign. For Winding, close_holes() must have been called.
  std::optional<InsideRule> inside = std::nullopt;
  // Distances are measured to this many triangles, the scene's first. Membranes may follow.
  uint64_t triangles = UINT64_MAX;
  uint64_t memory_limit = 0;  // as in EngineOptions
  std::optional<device::DeviceHandle> device =
      std::nullopt;  // the device that measures; if none, a processor
};

class DistanceField {
 public:
  static constexpr int32_t kBrickSide = kBandSide;
  static constexpr uint32_t kBrickVoxels = kBandVoxels;

  // Throws OutOfMemory if the band takes more memory than there is.
  DistanceField(const scene::Scene& scene, const scene::IndexedScene& indexed, const Grid& grid,
                const DistanceOptions& options);

  const Grid& grid() const { return grid_; }
  double band() const { return band_; }  // in world units, like all distances
  size_t bricks() const { return band_distances_.keys.size(); }
  Int3 corner(size_t brick) const;
  // The values of a brick, x fastest. Distances are at most the band.
  std::span<const float> distances(size_t brick) const {
    return std::span(band_distances_.distances).subspan(brick * kBrickVoxels, kBrickVoxels);
  }
  // The nearest triangles' materials + 1, 0 beyond the band.
  std::span<const uint8_t> materials(size_t brick) const {
    return std::span(band_distances_.values).subspan(brick * kBrickVoxels, kBrickVoxels);
  }
  // True if the voxel's center is inside; false without signs.
  bool is_inside(Int3 voxel) const;

  // Return the whole grid as a volume of distances, f32, and of the nearest triangles' materials + 1, u8 (0 beyond the
  // band). The field must outlive them.
  volume::Volume distance_volume() const;
  volume::Volume material_volume() const;

 private:
  struct RowCrossing {
    uint64_t row;  // 8 B, y + z * resolution
    int32_t x;     // 4 B, the first voxel behind it
    int32_t step;  // 4 B, the change of the winding number
  };
  void find_crossings(const scene::Scene& scene, const scene::IndexedScene& indexed,
                      const DistanceOptions& options);
  std::span<const RowCrossing> crossings_of(int32_t y, int32_t z) const;
  bool is_inside(int32_t winding) const {
    return rule_ == InsideRule::Parity ? winding % 2 != 0 : winding != 0;
  }
  // Calls visit(x, true if it is inside) for the voxels of a row.
  template <class Visit>
  void for_row(int32_t y, int32_t z, int32_t begin, int32_t end, const Visit& visit) const;
  template <class Value>
  void overlay(const Value* bricks, const VoxelBox& box, Value* values) const;

  Grid grid_;
  double band_ = 0;
  InsideRule rule_ = InsideRule::Winding;
  std::vector<RowCrossing> crossings_;  // by row and x
  BandDistances band_distances_;        // with signs
};

}  // namespace vox::voxelize
