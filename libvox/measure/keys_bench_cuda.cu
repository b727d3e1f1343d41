#include "libvox/device/cuda_device.cuh"
#include "libvox/measure/keys_bench_impl.h"

namespace vox::measure {

template KeysBenchResult bench_keys_on(device::CudaDevice&, const KeysBenchOptions&);

}  // namespace vox::measure
