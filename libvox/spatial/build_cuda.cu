#include "libvox/device/cuda_device.cuh"
#include "libvox/spatial/build_impl.h"

template vox::spatial::HashResult vox::spatial::build_hash(device::CudaDevice&, const dag::FrozenDag&,
                                                           const HashOptions&);
