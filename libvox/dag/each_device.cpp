#include "libvox/dag/symmetric_dag_impl.h"
#include "libvox/dag/verify_impl.h"
#include "libvox/device/this_device.h"

template void vox::dag::verify_on(device::ThisDevice&, const FrozenDag&, uint64_t);

template vox::dag::SymmetricDag vox::dag::symmetric_dag(device::ThisDevice&, const FrozenDag&);
