#include "libvox/build/build_scene_impl.h"
#include "libvox/device/this_device.h"

template vox::build::SceneShare vox::build::build_scene(device::ThisDevice&, ranks::Ranks&, const SceneInput&,
                                                        const BuildManner&, const hash::TableOptions&);
