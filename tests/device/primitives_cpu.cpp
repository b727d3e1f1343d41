#include "libvox/device/cpu_device.h"
#include "tests/device/primitives_impl.h"

template vox::PrimitiveResults vox::run_primitives(device::CpuDevice&, uint64_t);
