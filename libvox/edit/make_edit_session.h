// Makes the edit session on this device, with the table of this name.
#pragma once

#include <memory>
#include <string>

#include "libvox/edit/edit_session.h"

namespace vox::edit {

template <class Device>
std::unique_ptr<EditSession> make_edit_session(Device& device, const std::string& table,
                                               const dag::FrozenDag& dag);

}  // namespace vox::edit
