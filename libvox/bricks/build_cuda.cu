#include "libvox/bricks/build_impl.h"
#include "libvox/device/cuda_device.cuh"

template std::vector<vox::BrickTotals> vox::measure_bricks(CudaDevice&, const Volume&, const BricksOptions&);
template vox::BricksResult vox::build_bricks(CudaDevice&, const Volume&, const BricksOptions&);
