#include "libvox/device/cpu_device.h"
#include "libvox/spatial/build_impl.h"

template vox::spatial::HashResult vox::spatial::build_hash(device::CpuDevice&, const dag::FrozenDag&,
                                                           const HashOptions&);

template vox::dag::FrozenDag vox::spatial::dag_of_hash(device::CpuDevice&, const FrozenHash&);
