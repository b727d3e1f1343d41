#include "libvox/dag/node_interner_impl.h"
#include "libvox/dag/symmetric_dag_impl.h"
#include "libvox/dag/verify_impl.h"
#include "libvox/dag/without_materials_impl.h"
#include "libvox/device/cuda_device.cuh"

template void vox::dag::verify_on(device::CudaDevice&, const FrozenDag&, uint64_t);

template std::unique_ptr<vox::dag::NodeInterner> vox::dag::make_node_interner(device::CudaDevice&);

template vox::dag::FrozenDag vox::dag::without_materials(device::CudaDevice&, const FrozenDag&);

template vox::dag::SymmetricDag vox::dag::symmetric_dag(device::CudaDevice&, const FrozenDag&);
