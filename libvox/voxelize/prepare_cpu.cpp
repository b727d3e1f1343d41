#include "libvox/device/cpu_device.h"
#include "libvox/voxelize/prepare_impl.h"

template vox::voxelize::PreparedTriangles vox::voxelize::prepare_triangles(
    device::CpuDevice&, const scene::Scene&, const PreparedMaterials&, const Grid&, const PrepareOptions&);
