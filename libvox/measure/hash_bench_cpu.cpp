#include "libvox/device/cpu_device.h"
#include "libvox/measure/hash_bench_impl.h"

namespace vox {

template HashBenchResult bench_hash_on(CpuDevice&, const HashBenchOptions&);

}  // namespace vox
