#include "libvox/dag/verify_on_impl.h"
#include "libvox/device/cuda_device.cuh"

template void vox::dag::verify_on(device::CudaDevice&, const FrozenDag&);
