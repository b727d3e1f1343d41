#include "libvox/dag/symmetric_dag_impl.h"
#include "libvox/dag/verify_impl.h"
#include "libvox/device/cuda_device.cuh"

template void vox::dag::verify_on(device::CudaDevice&, const FrozenDag&, uint64_t);

template vox::dag::SymmetricDag vox::dag::symmetric_dag(device::CudaDevice&, const FrozenDag&);
