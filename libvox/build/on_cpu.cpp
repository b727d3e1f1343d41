#include "libvox/build/build_scene_impl.h"
#include "libvox/device/cpu_device.h"

template vox::build::SceneShare vox::build::build_scene(device::CpuDevice&, ranks::Ranks&, const SceneInput&,
                                                        const BuildManner&, const hash::TableOptions&);
