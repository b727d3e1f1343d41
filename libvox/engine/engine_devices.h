// The engines from which make_engine() chooses. Each is compiled where its device is available.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "libvox/engine/engine.h"

namespace vox {

std::unique_ptr<Engine> make_cpu_engine(const EngineOptions& options);

// The following functions, up to let_reach(), exist only in builds with CUDA.
int cuda_device_count();  // 0 without a driver
std::unique_ptr<Engine> make_cuda_engine(const EngineOptions& options, int index);
// Directs the calls of this thread to a GPU whose engine another thread has made.
void use_cuda_device_here(int index);
// Lets another GPU use the memory of the engine that was made last on GPU `index`.
void let_reach(int index, int other);

int gpu_count();  // those that an engine can use; 0 in builds without CUDA

// Returns the number of the GPU that `device` names, or nothing for the processor. Throws UsageError if it is
// not the name of a device, and Error if there is no such GPU.
std::optional<int> gpu_index(const std::string& device);

}  // namespace vox
