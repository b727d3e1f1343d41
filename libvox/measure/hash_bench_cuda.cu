#include "libvox/device/cuda_device.cuh"
#include "libvox/measure/hash_bench_impl.h"

namespace vox {

template HashBenchResult bench_hash_on(CudaDevice&, const HashBenchOptions&);

}  // namespace vox
