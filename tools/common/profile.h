// Shows the times of kernels for --profile.
#pragma once

#include <vector>

#include "libvox/engine/engine.h"
#include "libvox/measure/results.h"

namespace vox {

void print_profile(const std::vector<device::KernelTime>& kernels);  // to stderr
void set_profile(measure::ResultGroup& results,
                 const std::vector<device::KernelTime>& kernels);  // sets `kernels` where there are any

}  // namespace vox
