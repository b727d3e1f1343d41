#include "libvox/device/cuda_device.cuh"
#include "libvox/edit/make_edit_session_impl.h"

template std::unique_ptr<vox::EditSession> vox::make_edit_session(CudaDevice&, const std::string&,
                                                                  const FrozenDag&);
