#include "libvox/device/cpu_device.h"
#include "libvox/rounds/build_rounds_impl.h"

template vox::rounds::RoundsResult vox::rounds::build_in_rounds(
    device::CpuDevice&, const scene::Scene&, const scene::IndexedScene&, const voxelize::Grid&,
    const voxelize::BuildOptions&, const hash::TableOptions&, const SpillOptions&);
