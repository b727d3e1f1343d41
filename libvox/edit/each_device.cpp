#include "libvox/device/this_device.h"
#include "libvox/edit/edit_session_impl.h"
#include "libvox/edit/volume_session_impl.h"

template std::unique_ptr<vox::edit::EditSession> vox::edit::make_edit_session(device::ThisDevice&,
                                                                              const std::string&,
                                                                              const dag::FrozenDag&,
                                                                              hash::Duplicates);
template std::unique_ptr<vox::edit::VolumeSession> vox::edit::make_volume_session(device::ThisDevice&,
                                                                                  bricks::FrozenBricks,
                                                                                  KeepStates, uint64_t);
