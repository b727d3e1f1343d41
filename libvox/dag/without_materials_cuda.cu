#include "libvox/dag/without_materials_impl.h"
#include "libvox/device/cuda_device.cuh"

template vox::dag::FrozenDag vox::dag::without_materials(device::CudaDevice&, const FrozenDag&);
