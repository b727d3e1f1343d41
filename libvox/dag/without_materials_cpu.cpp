#include "libvox/dag/without_materials_impl.h"
#include "libvox/device/cpu_device.h"

template vox::FrozenDag vox::without_materials(CpuDevice&, const FrozenDag&);
