#include "libvox/dag/verify_on_impl.h"
#include "libvox/device/cpu_device.h"

template void vox::dag::verify_on(device::CpuDevice&, const FrozenDag&);
