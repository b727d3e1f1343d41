#include "libvox/device/cpu_device.h"
#include "libvox/measure/match_bench_impl.h"

namespace vox::measure {

template MatchBenchResult bench_match_on(device::CpuDevice&, const MatchBenchOptions&);

}  // namespace vox::measure
