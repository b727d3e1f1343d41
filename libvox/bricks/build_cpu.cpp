#include "libvox/bricks/build_impl.h"
#include "libvox/device/cpu_device.h"

template std::vector<vox::BrickTotals> vox::measure_bricks(CpuDevice&, const Volume&, const BricksOptions&);
template vox::BricksResult vox::build_bricks(CpuDevice&, const Volume&, const BricksOptions&);
