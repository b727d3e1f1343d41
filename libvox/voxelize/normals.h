// The normals of a scene's surface voxels. A voxel has the normal, in the world, of the triangle from which it takes
// its material (leaves.h).
#pragma once

#include "libvox/attributes/octahedral.h"
#include "libvox/attributes/packed_values.h"
#include "libvox/base/geometry.h"
#include "libvox/device/handle.h"
#include "libvox/hash/table_options.h"
#include "libvox/voxelize/build_scene.h"
#include "libvox/voxelize/triangle.h"

namespace vox::voxelize {

// Runs once per triangle, in double precision.
struct NormalsOfTriangles {
  const TrianglePlane* planes;
  Vec3d scale;        // turns a plane's normal in voxels into one in the world
  uint32_t* normals;  // numbers of directions
  VOX_HD void operator()(uint64_t i) const {
    const Vec3<int64_t>& normal = planes[i].normal;
    normals[i] = attributes::direction_code({static_cast<double>(normal.x) * scale.x,
                                             static_cast<double>(normal.y) * scale.y,
                                             static_cast<double>(normal.z) * scale.z});
  }
};

// Returns the normals of all voxels of a scene that is built with these options, in the order of the voxels. This takes
// one more pass over the triangles. `options.solid` must not be set, because voxels inside have no surface.
template <class Device>
attributes::PackedValues build_normals(Device& device, const scene::Scene& scene,
                                       const scene::IndexedScene& indexed, const Grid& grid,
                                       const BuildOptions& options, const hash::TableOptions& tables);
attributes::PackedValues build_normals(device::DeviceHandle device, const scene::Scene& scene,
                                       const scene::IndexedScene& indexed, const Grid& grid,
                                       const BuildOptions& options, const hash::TableOptions& tables);

}  // namespace vox::voxelize
