#include "libvox/device/cuda_device.cuh"
#include "libvox/voxelize/build_scene_impl.h"

template vox::BuildResult vox::build_scene(CudaDevice&, const Scene&, const IndexedScene&, const Grid&,
                                           const BuildOptions&, const TableOptions&);
