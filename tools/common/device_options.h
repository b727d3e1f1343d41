// The options of every program that runs something on a device.
#pragma once

#include <cxxopts.hpp>

#include "libvox/engine/engine.h"

namespace vox {

// Adds --device, --threads, --memory-limit and --profile as the group "Device".
void add_device_options(cxxopts::Options& options);

// Reads these options; the variant of the tables keeps its default. Throws UsageError.
EngineOptions read_device_options(const cxxopts::ParseResult& parsed);

}  // namespace vox
