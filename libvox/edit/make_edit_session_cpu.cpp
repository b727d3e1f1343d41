#include "libvox/device/cpu_device.h"
#include "libvox/edit/make_edit_session_impl.h"

template std::unique_ptr<vox::EditSession> vox::make_edit_session(CpuDevice&, const std::string&,
                                                                  const FrozenDag&);
