#include "libvox/device/handle.h"
#include "libvox/voxelize/combine.h"
#include "libvox/voxelize/distances.h"
#include "libvox/voxelize/normals.h"

namespace vox::voxelize {

Combined combine_surfaces(device::DeviceHandle device, const MeshSurface& first, const MeshSurface& second,
                          const Grid& grid, Combination combination) {
  return device::with_device(
      device, [&](auto& on) { return combine_surfaces(on, first, second, grid, combination); });
}

attributes::PackedValues build_normals(device::DeviceHandle device, const scene::Scene& scene,
                                       const scene::IndexedScene& indexed, const Grid& grid,
                                       const BuildOptions& options, const hash::TableOptions& tables) {
  return device::with_device(
      device, [&](auto& on) { return build_normals(on, scene, indexed, grid, options, tables); });
}

BandDistances measure_band(device::DeviceHandle device, const BandMesh& mesh) {
  return device::with_device(device, [&](auto& on) { return measure_band(on, mesh); });
}

}  // namespace vox::voxelize
