// Single rays through a scene, for programs that ask what a ray hits. They are traced like those of pictures (trace.h).
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "libvox/attributes/packed_values.h"
#include "libvox/base/geometry.h"
#include "libvox/base/vec.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/device/handle.h"
#include "libvox/render/ray.h"

namespace vox::render {

// A ray on the grid.
struct GridRay {
  FinePoint from;           // 24 B
  FineDirection direction;  // 24 B
};
static_assert(sizeof(GridRay) == 48);

// The first voxel that a ray hits.
struct GridHit {
  static constexpr uint32_t kInside = 3, kNothing = UINT32_MAX;

  int64_t ticks;  //  8 B, from the ray's origin to the voxel; see log2_ticks()
  Int3 voxel;     // 12 B
  uint32_t
      value;  //  4 B, the voxel's own color (scene::unpacked_color()) if the scene has colors, else its material
  uint32_t face;    //  4 B, the axis of the face at which the ray enters it, 0 to 2, kInside or kNothing
  uint32_t unused;  //  4 B

  VOX_HD bool found() const { return face != kNothing; }
};
static_assert(sizeof(GridHit) == 32);

// Holds a scene on a device while rays are cast.
class RayCaster {
 public:
  virtual ~RayCaster() = default;

  // Finds the hit of each ray. There must be as many hits as rays.
  virtual void cast(std::span<const GridRay> rays, std::span<GridHit> hits) = 0;
};

// Copies the scene to the device. check_structure() must accept the DAG, which must not be paged if there are colors.
// The DAG, the colors (nullptr: there are none) and the device must outlive the result.
template <class Device>
std::unique_ptr<RayCaster> make_ray_caster(Device& device, const dag::FrozenDag& dag,
                                           const attributes::PackedValues* colors);
std::unique_ptr<RayCaster> make_ray_caster(device::DeviceHandle device, const dag::FrozenDag& dag,
                                           const attributes::PackedValues* colors);

// A ray of the world on the grid.
struct PlacedRay {
  GridRay ray;
  double before;    // the distance from the ray's origin in the world to that of `ray`
  double per_tick;  // the distance of a tick in the world

  double distance(const GridHit& hit) const { return before + static_cast<double>(hit.ticks) * per_tick; }
};

// Puts rays of the world on the grid of a scene.
class RayPlacer {
 public:
  static constexpr double kFarthest = 0x1p32;  // voxels

  // The grid lies in a cube of 2^log2_side voxels a side.
  RayPlacer(uint32_t log2_side, Vec3d origin, VoxelSize voxel_size)
      : log2_side_(log2_side), origin_(origin), voxel_size_(voxel_size) {}

  // True if a ray can be placed: all its numbers are finite, its direction is not 0, and along each axis it begins less
  // than kFarthest voxels from the grid's corner.
  bool accepts(Vec3d from, Vec3d direction) const;
  PlacedRay placed(Vec3d from, Vec3d direction) const;

 private:
  uint32_t log2_side_;
  Vec3d origin_;
  VoxelSize voxel_size_;
};

}  // namespace vox::render
