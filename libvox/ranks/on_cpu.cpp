#include "libvox/device/cpu_device.h"
#include "libvox/ranks/build_share_impl.h"

template vox::ranks::SceneShare vox::ranks::build_share(device::CpuDevice&, Ranks&, const scene::Scene&,
                                                        const scene::IndexedScene&, const voxelize::Grid&,
                                                        const voxelize::BuildOptions&,
                                                        const hash::TableOptions&, RoundKeeper*);
