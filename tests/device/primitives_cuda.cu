#include "libvox/device/cuda_device.cuh"
#include "tests/device/primitives_impl.h"

template vox::PrimitiveResults vox::run_primitives(device::CudaDevice&, uint64_t);
