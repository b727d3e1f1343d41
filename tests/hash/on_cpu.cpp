#include "libvox/device/cpu_device.h"
#include "tests/hash/any_device_impl.h"
#include "tests/hash/keyed/any_key_table_impl.h"

namespace vox {

std::unique_ptr<AnyDevice> make_any_cpu_device() {
  return std::make_unique<OnDevice<device::CpuDevice>>();
}

template std::unique_ptr<AnyKeyTable<uint32_t>> make_any_key_table_on(device::CpuDevice&,
                                                                      const hash::KeyTableOptions&);
template std::unique_ptr<AnyKeyTable<uint64_t>> make_any_key_table_on(device::CpuDevice&,
                                                                      const hash::KeyTableOptions&);
template std::unique_ptr<AnyGrowingKeyTable<uint32_t>> make_any_growing_key_table_on(
    device::CpuDevice&, const hash::KeyTableOptions&);
template std::unique_ptr<AnyGrowingKeyTable<uint64_t>> make_any_growing_key_table_on(
    device::CpuDevice&, const hash::KeyTableOptions&);
template std::unique_ptr<AnyMultiMap<uint32_t>> make_any_multi_map_on(device::CpuDevice&,
                                                                      const hash::KeyTableOptions&,
                                                                      hash::RunOrder);
template std::unique_ptr<AnyMultiMap<uint64_t>> make_any_multi_map_on(device::CpuDevice&,
                                                                      const hash::KeyTableOptions&,
                                                                      hash::RunOrder);

}  // namespace vox
