#include "libvox/device/cpu_device.h"
#include "libvox/measure/forms_bench_impl.h"

namespace vox::measure {

template FormsBenchResult bench_forms_on(device::CpuDevice&, const dag::VoxelScene&,
                                         const FormsBenchOptions&);

}  // namespace vox::measure
