#include "libvox/device/cuda_device.cuh"
#include "libvox/measure/forms_bench_impl.h"

namespace vox::measure {

template FormsBenchResult bench_forms_on(device::CudaDevice&, const dag::VoxelScene&,
                                         const FormsBenchOptions&);

}  // namespace vox::measure
