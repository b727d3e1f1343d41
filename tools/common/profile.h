// What --profile shows.
#pragma once

#include <vector>

#include "libvox/base/json.h"
#include "libvox/engine/engine.h"

namespace vox {

void print_profile(const std::vector<KernelTime>& kernels);            // to stderr
void set_profile(Json& json, const std::vector<KernelTime>& kernels);  // sets kernels, where there are any

}  // namespace vox
