#include "libvox/device/this_device.h"
#include "tests/device/primitives_impl.h"

template vox::PrimitiveResults vox::run_primitives(device::ThisDevice&, uint64_t);
