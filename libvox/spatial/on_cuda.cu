#include "libvox/device/cuda_device.cuh"
#include "libvox/spatial/build_impl.h"

template vox::spatial::HashResult vox::spatial::build_hash(device::CudaDevice&, const dag::FrozenDag&,
                                                           const HashOptions&);

template vox::dag::FrozenDag vox::spatial::dag_of_hash(device::CudaDevice&, const FrozenHash&);
