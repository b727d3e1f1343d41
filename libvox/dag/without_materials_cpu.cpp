#include "libvox/dag/without_materials_impl.h"
#include "libvox/device/cpu_device.h"

template vox::dag::FrozenDag vox::dag::without_materials(device::CpuDevice&, const FrozenDag&);
