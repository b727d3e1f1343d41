#include "libvox/device/handle.h"
#include "libvox/edit/edit_session.h"

namespace vox::edit {

std::unique_ptr<EditSession> make_edit_session(device::DeviceHandle device, const std::string& table,
                                               const dag::FrozenDag& dag, hash::Duplicates duplicates) {
  return device::with_device(device, [&](auto& on) { return make_edit_session(on, table, dag, duplicates); });
}

}  // namespace vox::edit
