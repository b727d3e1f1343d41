#include "libvox/bricks/frozen_bricks.h"
#include "libvox/bricks/reader.h"
#include "libvox/device/handle.h"

namespace vox::bricks {

std::vector<BrickTotals> measure_bricks(device::DeviceHandle device, const volume::Volume& volume,
                                        const BricksOptions& options) {
  return device::with_device(device, [&](auto& on) { return measure_bricks(on, volume, options); });
}

BricksResult build_bricks(device::DeviceHandle device, const volume::Volume& volume,
                          const BricksOptions& options) {
  return device::with_device(device, [&](auto& on) { return build_bricks(on, volume, options); });
}

BricksResult build_bricks(device::DeviceHandle device, const dag::VoxelScene& scene,
                          const BricksOptions& options) {
  return device::with_device(device, [&](auto& on) { return build_bricks(on, scene, options); });
}

std::unique_ptr<BricksReader> make_bricks_reader(device::DeviceHandle device, const FrozenBricks& bricks,
                                                 const JitOptions& options) {
  return device::with_device(device, [&](auto& on) { return make_bricks_reader(on, bricks, options); });
}

}  // namespace vox::bricks
