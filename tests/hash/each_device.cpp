#include "libvox/device/this_device.h"
#include "tests/hash/any_device_impl.h"
#include "tests/hash/keyed/any_key_table_impl.h"

namespace vox {

#ifdef __CUDACC__
std::unique_ptr<AnyDevice> make_any_cuda_device(int index) {
  return std::make_unique<OnDevice<device::CudaDevice>>(index);
}
#else
std::unique_ptr<AnyDevice> make_any_cpu_device() {
  return std::make_unique<OnDevice<device::CpuDevice>>();
}
#endif

template std::unique_ptr<AnyKeyTable<uint32_t>> make_any_key_table_on(device::ThisDevice&,
                                                                      const hash::KeyTableOptions&);
template std::unique_ptr<AnyKeyTable<uint64_t>> make_any_key_table_on(device::ThisDevice&,
                                                                      const hash::KeyTableOptions&);
template std::unique_ptr<AnyGrowingKeyTable<uint32_t>> make_any_growing_key_table_on(
    device::ThisDevice&, const hash::KeyTableOptions&);
template std::unique_ptr<AnyGrowingKeyTable<uint64_t>> make_any_growing_key_table_on(
    device::ThisDevice&, const hash::KeyTableOptions&);
template std::unique_ptr<AnyMultiMap<uint32_t>> make_any_multi_map_on(device::ThisDevice&,
                                                                      const hash::KeyTableOptions&,
                                                                      hash::RunOrder);
template std::unique_ptr<AnyMultiMap<uint64_t>> make_any_multi_map_on(device::ThisDevice&,
                                                                      const hash::KeyTableOptions&,
                                                                      hash::RunOrder);

}  // namespace vox
