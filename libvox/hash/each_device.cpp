#include "libvox/device/this_device.h"
#include "libvox/hash/make_tables_impl.h"

namespace vox::hash {

template std::unique_ptr<TableSet<device::ThisDevice>> make_tables(device::ThisDevice&, const TableOptions&);

}  // namespace vox::hash
