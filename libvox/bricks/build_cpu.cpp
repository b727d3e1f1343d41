#include "libvox/bricks/build_impl.h"
#include "libvox/device/cpu_device.h"

template std::vector<vox::bricks::BrickTotals> vox::bricks::measure_bricks(device::CpuDevice&,
                                                                           const volume::Volume&,
                                                                           const BricksOptions&);
template vox::bricks::BricksResult vox::bricks::build_bricks(device::CpuDevice&, const volume::Volume&,
                                                             const BricksOptions&);
