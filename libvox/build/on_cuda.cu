#include "libvox/build/build_scene_impl.h"
#include "libvox/device/cuda_device.cuh"

template vox::build::SceneShare vox::build::build_scene(device::CudaDevice&, ranks::Ranks&, const SceneInput&,
                                                        const BuildManner&, const hash::TableOptions&);
