#include "libvox/bricks/build_impl.h"
#include "libvox/device/cuda_device.cuh"

template std::vector<vox::bricks::BrickTotals> vox::bricks::measure_bricks(device::CudaDevice&,
                                                                           const volume::Volume&,
                                                                           const BricksOptions&);
template vox::bricks::BricksResult vox::bricks::build_bricks(device::CudaDevice&, const volume::Volume&,
                                                             const BricksOptions&);
