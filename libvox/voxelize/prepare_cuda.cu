#include "libvox/device/cuda_device.cuh"
#include "libvox/voxelize/prepare_impl.h"

template vox::voxelize::PreparedTriangles vox::voxelize::prepare_triangles(
    device::CudaDevice&, const scene::Scene&, const PreparedMaterials&, const Grid&, const PrepareOptions&);
