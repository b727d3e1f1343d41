#include "libvox/device/cuda_device.cuh"
#include "libvox/hash/make_tables_impl.h"

namespace vox {

template std::unique_ptr<TableSet<CudaDevice>> make_tables(CudaDevice&, const TableOptions&);

}  // namespace vox
