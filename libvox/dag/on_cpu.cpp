#include "libvox/dag/verify_impl.h"
#include "libvox/dag/without_materials_impl.h"
#include "libvox/device/cpu_device.h"

template void vox::dag::verify_on(device::CpuDevice&, const FrozenDag&, uint64_t);

template vox::dag::FrozenDag vox::dag::without_materials(device::CpuDevice&, const FrozenDag&);
