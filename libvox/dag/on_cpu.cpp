#include "libvox/dag/symmetric_dag_impl.h"
#include "libvox/dag/verify_impl.h"
#include "libvox/device/cpu_device.h"

template void vox::dag::verify_on(device::CpuDevice&, const FrozenDag&, uint64_t);

template vox::dag::SymmetricDag vox::dag::symmetric_dag(device::CpuDevice&, const FrozenDag&);
