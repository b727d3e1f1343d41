#include "libvox/device/cuda_device.cuh"
#include "libvox/measure/intersect_bench_impl.h"

namespace vox::measure {

template IntersectResult bench_intersect_on(device::CudaDevice&, const scene::Scene&, const scene::Scene&,
                                            const IntersectOptions&);

}  // namespace vox::measure
