#include "libvox/device/this_device.h"
#include "libvox/spatial/build_impl.h"

template vox::spatial::HashResult vox::spatial::build_hash(device::ThisDevice&, const dag::FrozenDag&,
                                                           const HashOptions&);

template vox::dag::FrozenDag vox::spatial::dag_of_hash(device::ThisDevice&, const FrozenHash&);
