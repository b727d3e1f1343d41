#include "libvox/device/cpu_device.h"
#include "libvox/measure/intersect_bench_impl.h"

namespace vox::measure {

template IntersectResult bench_intersect_on(device::CpuDevice&, const scene::Scene&, const scene::Scene&,
                                            const IntersectOptions&);

}  // namespace vox::measure
