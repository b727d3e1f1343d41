#include "libvox/device/cuda_device.cuh"
#include "libvox/measure/match_bench_impl.h"

namespace vox::measure {

template MatchBenchResult bench_match_on(device::CudaDevice&, const MatchBenchOptions&);

}  // namespace vox::measure
