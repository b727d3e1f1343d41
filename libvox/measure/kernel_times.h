// Profiles of kernels: what came between two of them, and several of them together.
#pragma once

#include <string>
#include <vector>

#include "libvox/device/work.h"

namespace vox::measure {

// What kernels have done between two looks at a profile.
std::vector<device::KernelTime> kernels_since(const std::vector<device::KernelTime>& before,
                                              const std::vector<device::KernelTime>& after);

// The kernels of several profiles by name, longest first.
std::vector<device::KernelTime> all_kernels(const std::vector<std::vector<device::KernelTime>>& profiles);

double seconds_of(const std::vector<device::KernelTime>& kernels);
double seconds_of(const std::vector<device::KernelTime>& kernels, const std::string& name);

}  // namespace vox::measure
