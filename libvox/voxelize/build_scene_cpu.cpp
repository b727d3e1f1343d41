#include "libvox/device/cpu_device.h"
#include "libvox/voxelize/build_scene_impl.h"

template vox::BuildResult vox::build_scene(CpuDevice&, const Scene&, const IndexedScene&, const Grid&,
                                           const BuildOptions&, const TableOptions&);
