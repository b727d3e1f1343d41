#include "libvox/device/cuda_device.cuh"
#include "libvox/hash/keyed/make_key_tables_impl.h"

namespace vox::hash {

using device::CudaDevice;
template std::unique_ptr<KeyTable<CudaDevice, uint32_t>> make_key_table(CudaDevice&, const KeyTableOptions&);
template std::unique_ptr<KeyTable<CudaDevice, uint64_t>> make_key_table(CudaDevice&, const KeyTableOptions&);
template std::unique_ptr<GrowingKeyTable<CudaDevice, uint32_t>> make_growing_key_table(
    CudaDevice&, const KeyTableOptions&);
template std::unique_ptr<GrowingKeyTable<CudaDevice, uint64_t>> make_growing_key_table(
    CudaDevice&, const KeyTableOptions&);

}  // namespace vox::hash
