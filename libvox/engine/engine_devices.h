// The engines that make_engine() chooses from; each is compiled where its device is.
#pragma once

#include <memory>
#include <string>

#include "libvox/engine/engine.h"

namespace vox {

std::unique_ptr<Engine> make_cpu_engine(const EngineOptions& options);

// Only in builds with CUDA.
int cuda_device_count();  // 0 without a driver
std::unique_ptr<Engine> make_cuda_engine(const EngineOptions& options, int index);

}  // namespace vox
