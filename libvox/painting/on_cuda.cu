#include "libvox/device/cuda_device.cuh"
#include "libvox/painting/paint_scene_impl.h"

template vox::painting::Painting vox::painting::paint_scene(device::CudaDevice&, const scene::Scene&,
                                                            const Strokes&, const PaintOptions&);
