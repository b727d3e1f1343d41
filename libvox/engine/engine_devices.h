// The engines that make_engine() chooses from; each is compiled where its device is.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "libvox/engine/engine.h"

namespace vox {

std::unique_ptr<Engine> make_cpu_engine(const EngineOptions& options);

// Only in builds with CUDA.
int cuda_device_count();  // 0 without a driver
std::unique_ptr<Engine> make_cuda_engine(const EngineOptions& options, int index);
// An engine that another thread has made is then for this one.
void use_cuda_device_here(int index);
// Lets another GPU use the memory of the engine that was made last on GPU `index`.
void let_reach(int index, int other);

int gpu_count();  // those that an engine can use; 0 in builds without CUDA

// The GPU that `device` names, by its number, or none for the processor. Throws UsageError where it is no name of a
// device, Error where there is no such GPU.
std::optional<int> gpu_index(const std::string& device);

}  // namespace vox
