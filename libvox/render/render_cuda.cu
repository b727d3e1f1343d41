#include "libvox/device/cuda_device.cuh"
#include "libvox/render/render_impl.h"

template std::unique_ptr<vox::Renderer> vox::make_renderer(CudaDevice&, const FrozenDag&, const Palette&);
