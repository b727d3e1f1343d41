#include "tests/hash/any_device.h"

#include "libvox/device/handle.h"
#include "tests/common/test_engine.h"
#include "tests/hash/keyed/any_key_table.h"

namespace vox {

std::unique_ptr<AnyDevice> make_any_device() {
  static const std::string name = test_engine()->device();  // "cpu" or "cuda:N"
#ifdef VOX_HAS_CUDA
  if (name != "cpu") return make_any_cuda_device(std::stoi(name.substr(name.find(':') + 1)));
#endif
  return make_any_cpu_device();
}

template <class Cell>
std::unique_ptr<AnyKeyTable<Cell>> make_any_key_table(const device::DeviceHandle& handle,
                                                      const hash::KeyTableOptions& options) {
  return device::with_device(handle,
                             [&](auto& device) { return make_any_key_table_on<Cell>(device, options); });
}

template <class Cell>
std::unique_ptr<AnyMultiMap<Cell>> make_any_multi_map(const device::DeviceHandle& handle,
                                                      const hash::KeyTableOptions& options,
                                                      hash::RunOrder order) {
  return device::with_device(
      handle, [&](auto& device) { return make_any_multi_map_on<Cell>(device, options, order); });
}

template <class Cell>
std::unique_ptr<AnyGrowingKeyTable<Cell>> make_any_growing_key_table(const device::DeviceHandle& handle,
                                                                     const hash::KeyTableOptions& options) {
  return device::with_device(
      handle, [&](auto& device) { return make_any_growing_key_table_on<Cell>(device, options); });
}

template std::unique_ptr<AnyKeyTable<uint32_t>> make_any_key_table(const device::DeviceHandle&,
                                                                   const hash::KeyTableOptions&);
template std::unique_ptr<AnyKeyTable<uint64_t>> make_any_key_table(const device::DeviceHandle&,
                                                                   const hash::KeyTableOptions&);
template std::unique_ptr<AnyMultiMap<uint32_t>> make_any_multi_map(const device::DeviceHandle&,
                                                                   const hash::KeyTableOptions&,
                                                                   hash::RunOrder);
template std::unique_ptr<AnyMultiMap<uint64_t>> make_any_multi_map(const device::DeviceHandle&,
                                                                   const hash::KeyTableOptions&,
                                                                   hash::RunOrder);
template std::unique_ptr<AnyGrowingKeyTable<uint32_t>> make_any_growing_key_table(
    const device::DeviceHandle&, const hash::KeyTableOptions&);
template std::unique_ptr<AnyGrowingKeyTable<uint64_t>> make_any_growing_key_table(
    const device::DeviceHandle&, const hash::KeyTableOptions&);

}  // namespace vox
