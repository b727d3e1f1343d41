#include "libvox/device/cuda_device.cuh"
#include "libvox/hash/make_tables_impl.h"

namespace vox::hash {

template std::unique_ptr<TableSet<device::CudaDevice>> make_tables(device::CudaDevice&, const TableOptions&);

}  // namespace vox::hash
