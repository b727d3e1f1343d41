#include "libvox/dag/verify_impl.h"
#include "libvox/dag/without_materials_impl.h"
#include "libvox/device/cuda_device.cuh"

template void vox::dag::verify_on(device::CudaDevice&, const FrozenDag&, uint64_t);

template vox::dag::FrozenDag vox::dag::without_materials(device::CudaDevice&, const FrozenDag&);
