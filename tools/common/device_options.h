// The options that say where a tool works, and with how much of it.
#pragma once

#include <cxxopts.hpp>

#include "libvox/engine.h"

namespace vox {

// Adds --device, --threads and --memory-limit to the group "Device".
void add_device_options(cxxopts::Options& options);

// Throws UsageError.
EngineOptions read_device_options(const cxxopts::ParseResult& parsed);

}  // namespace vox
