#include "libvox/bricks/build_impl.h"
#include "libvox/bricks/build_shared_impl.h"
#include "libvox/bricks/reader_impl.h"
#include "libvox/device/this_device.h"

template std::vector<vox::bricks::BrickTotals> vox::bricks::measure_bricks(device::ThisDevice&,
                                                                           const volume::Volume&,
                                                                           const BricksOptions&);
template vox::bricks::BricksResult vox::bricks::build_bricks(device::ThisDevice&, const volume::Volume&,
                                                             const BricksOptions&);

template vox::bricks::BricksResult vox::bricks::build_bricks(device::ThisDevice&, const dag::VoxelScene&,
                                                             const BricksOptions&);

namespace vox::bricks {

#ifdef __CUDACC__
static JitImage compile_for(const device::CudaDevice& device, const std::string& source, const JitOptions&) {
  return compile_for_gpu(source, device.capability());
}
#else
static JitImage compile_for(const device::CpuDevice&, const std::string& source, const JitOptions& options) {
  return compile_for_cpu(source, options.compiler);
}
#endif

template std::unique_ptr<BricksReader> make_bricks_reader(device::ThisDevice&, const FrozenBricks&,
                                                          const JitOptions&);

}  // namespace vox::bricks
