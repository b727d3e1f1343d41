// Makes the edit session on one device. make_edit_session_cpu.cpp and make_edit_session_cuda.cu include this
// file and name the device.
#pragma once

#include "libvox/edit/edit_session_impl.h"
#include "libvox/edit/make_edit_session.h"

namespace vox::edit {

template <class Device>
std::unique_ptr<EditSession> make_edit_session(Device& device, const std::string& table,
                                               const dag::FrozenDag& dag) {
  return std::make_unique<DeviceEditSession<Device>>(device, hash::TableOptions{.table = table}, dag);
}

}  // namespace vox::edit
