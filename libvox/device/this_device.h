// ThisDevice is the device that a source is compiled for. Each each_device.cpp instantiates its room's templates for it, and is
// compiled twice: as C++ for the CPU, and as CUDA for GPUs (vox_each_device() in cmake/cuda.cmake).
#pragma once

#ifdef __CUDACC__
#include "libvox/device/cuda_device.cuh"
#else
#include "libvox/device/cpu_device.h"
#endif

namespace vox::device {

#ifdef __CUDACC__
using ThisDevice = CudaDevice;
#else
using ThisDevice = CpuDevice;
#endif

}  // namespace vox::device
