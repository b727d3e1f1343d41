// Distances from the centers of voxels to the triangles of a mesh, in a band around its surface (vox-convert --sdf).
//
// The band is divided into bricks of 8³ voxels (band_distances.h). If distances have signs, those inside are negative. The
// crossings of a row of voxels decide what is inside, as with rays along x (solid.h). Beyond the band, a distance is the
// band's width, with its sign.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "libvox/base/geometry.h"
#include "libvox/device/handle.h"
#include "libvox/scene/palette.h"
#include "libvox/scene/scene.h"
#include "libvox/volume/volume.h"
#include "libvox/voxelize/band_distances.h"
#include "libvox/voxelize/build_scene.h"
#include "libvox/voxelize/grid.h"

namespace vox::voxelize {

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
