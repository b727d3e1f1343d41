#include "libvox/device/cuda_device.cuh"
#include "libvox/render/volume_render_impl.h"

template std::unique_ptr<vox::VolumeRenderer> vox::make_volume_renderer(CudaDevice&, const FrozenBricks&);
