#include "libvox/device/handle.h"
#include "libvox/voxelize/combine.h"

namespace vox::voxelize {

Combined combine_surfaces(device::DeviceHandle device, const MeshSurface& first, const MeshSurface& second,
                          const Grid& grid, Combination combination) {
  return device::with_device(
      device, [&](auto& on) { return combine_surfaces(on, first, second, grid, combination); });
}

}  // namespace vox::voxelize
