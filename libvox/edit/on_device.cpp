#include "libvox/device/handle.h"
#include "libvox/edit/edit_session.h"

namespace vox::edit {

std::unique_ptr<EditSession> make_edit_session(device::DeviceHandle device, const std::string& table,
                                               const dag::FrozenDag& dag, hash::Duplicates duplicates) {
  return device::with_device(device, [&](auto& on) { return make_edit_session(on, table, dag, duplicates); });
}

std::unique_ptr<VolumeSession> make_volume_session(device::DeviceHandle device, bricks::FrozenBricks bricks,
                                                   KeepStates states, uint64_t piece_voxels) {
  return device::with_device(
      device, [&](auto& on) { return make_volume_session(on, std::move(bricks), states, piece_voxels); });
}

}  // namespace vox::edit
