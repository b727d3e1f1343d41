#include "libvox/device/cuda_device.cuh"
#include "libvox/measure/hash_bench_impl.h"

namespace vox::measure {

template HashBenchResult bench_hash_on(device::CudaDevice&, const HashBenchOptions&);

}  // namespace vox::measure
