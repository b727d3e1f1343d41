#include "libvox/device/cuda_device.cuh"
#include "libvox/hash/keyed/make_key_tables_impl.h"

namespace vox::hash {

template std::unique_ptr<KeyTable<device::CudaDevice, uint32_t>> make_key_table(device::CudaDevice&,
                                                                                const KeyTableOptions&);
template std::unique_ptr<KeyTable<device::CudaDevice, uint64_t>> make_key_table(device::CudaDevice&,
                                                                                const KeyTableOptions&);
template std::unique_ptr<GrowingKeyTable<device::CudaDevice, uint32_t>> make_growing_key_table(
    device::CudaDevice&, const KeyTableOptions&);
template std::unique_ptr<GrowingKeyTable<device::CudaDevice, uint64_t>> make_growing_key_table(
    device::CudaDevice&, const KeyTableOptions&);

}  // namespace vox::hash
