#include "libvox/device/cuda_device.cuh"
#include "libvox/spatial/to_dag_impl.h"

template vox::dag::FrozenDag vox::spatial::dag_of_hash(device::CudaDevice&, const FrozenHash&);
