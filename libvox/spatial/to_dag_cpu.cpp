#include "libvox/device/cpu_device.h"
#include "libvox/spatial/to_dag_impl.h"

template vox::dag::FrozenDag vox::spatial::dag_of_hash(device::CpuDevice&, const FrozenHash&);
