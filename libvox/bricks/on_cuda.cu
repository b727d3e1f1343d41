#include "libvox/bricks/build_impl.h"
#include "libvox/bricks/build_shared_impl.h"
#include "libvox/bricks/reader_impl.h"
#include "libvox/device/cuda_device.cuh"

template std::vector<vox::bricks::BrickTotals> vox::bricks::measure_bricks(device::CudaDevice&,
                                                                           const volume::Volume&,
                                                                           const BricksOptions&);
template vox::bricks::BricksResult vox::bricks::build_bricks(device::CudaDevice&, const volume::Volume&,
                                                             const BricksOptions&);

template vox::bricks::BricksResult vox::bricks::build_bricks(device::CudaDevice&, const dag::VoxelScene&,
                                                             const BricksOptions&);

namespace vox::bricks {

static JitImage compile_for(const device::CudaDevice& device, const std::string& source, const JitOptions&) {
  return compile_for_gpu(source, device.capability());
}

template std::unique_ptr<BricksReader> make_bricks_reader(device::CudaDevice&, const FrozenBricks&,
                                                          const JitOptions&);

}  // namespace vox::bricks
