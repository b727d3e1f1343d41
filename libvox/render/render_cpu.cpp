#include "libvox/device/cpu_device.h"
#include "libvox/render/render_impl.h"

template std::unique_ptr<vox::Renderer> vox::make_renderer(CpuDevice&, const FrozenDag&, const Palette&);
