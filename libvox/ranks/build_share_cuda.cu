#include "libvox/device/cuda_device.cuh"
#include "libvox/ranks/build_share_impl.h"

template vox::ranks::SceneShare vox::ranks::build_share(device::CudaDevice&, Ranks&, const scene::Scene&,
                                                        const scene::IndexedScene&, const voxelize::Grid&,
                                                        const voxelize::BuildOptions&,
                                                        const hash::TableOptions&, RoundKeeper*);
