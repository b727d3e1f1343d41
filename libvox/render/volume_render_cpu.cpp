#include "libvox/device/cpu_device.h"
#include "libvox/render/volume_render_impl.h"

template std::unique_ptr<vox::VolumeRenderer> vox::make_volume_renderer(CpuDevice&, const FrozenBricks&);
