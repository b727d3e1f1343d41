#include "libvox/device/cuda_device.cuh"
#include "libvox/render/render_impl.h"

template vox::Picture vox::render(CudaDevice&, const FrozenDag&, const Palette&, const RenderOptions&);
