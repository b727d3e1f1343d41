#include "libvox/device/cpu_device.h"
#include "libvox/measure/hash_bench_impl.h"

namespace vox::measure {

template HashBenchResult bench_hash_on(device::CpuDevice&, const HashBenchOptions&);

}  // namespace vox::measure
