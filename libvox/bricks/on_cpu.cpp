#include "libvox/bricks/build_impl.h"
#include "libvox/bricks/build_shared_impl.h"
#include "libvox/bricks/reader_impl.h"
#include "libvox/device/cpu_device.h"

template std::vector<vox::bricks::BrickTotals> vox::bricks::measure_bricks(device::CpuDevice&,
                                                                           const volume::Volume&,
                                                                           const BricksOptions&);
template vox::bricks::BricksResult vox::bricks::build_bricks(device::CpuDevice&, const volume::Volume&,
                                                             const BricksOptions&);

template vox::bricks::BricksResult vox::bricks::build_bricks(device::CpuDevice&, const dag::VoxelScene&,
                                                             const BricksOptions&);

namespace vox::bricks {

static JitImage compile_for(const device::CpuDevice&, const std::string& source, const JitOptions& options) {
  return compile_for_cpu(source, options.compiler);
}

template std::unique_ptr<BricksReader> make_bricks_reader(device::CpuDevice&, const FrozenBricks&,
                                                          const JitOptions&);

}  // namespace vox::bricks
