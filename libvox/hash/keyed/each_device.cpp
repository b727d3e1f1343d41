#include "libvox/device/this_device.h"
#include "libvox/hash/keyed/make_key_tables_impl.h"

namespace vox::hash {

template std::unique_ptr<KeyTable<device::ThisDevice, uint32_t>> make_key_table(device::ThisDevice&,
                                                                                const KeyTableOptions&);
template std::unique_ptr<KeyTable<device::ThisDevice, uint64_t>> make_key_table(device::ThisDevice&,
                                                                                const KeyTableOptions&);
template std::unique_ptr<GrowingKeyTable<device::ThisDevice, uint32_t>> make_growing_key_table(
    device::ThisDevice&, const KeyTableOptions&);
template std::unique_ptr<GrowingKeyTable<device::ThisDevice, uint64_t>> make_growing_key_table(
    device::ThisDevice&, const KeyTableOptions&);

}  // namespace vox::hash
