#include "libvox/dag/without_materials_impl.h"
#include "libvox/device/cuda_device.cuh"

template vox::FrozenDag vox::without_materials(CudaDevice&, const FrozenDag&);
