#include "libvox/device/cpu_device.h"
#include "libvox/render/render_impl.h"

template vox::Picture vox::render(CpuDevice&, const FrozenDag&, const Palette&, const RenderOptions&);
