// Profiles of kernels: what came between two of them, and several of them together.
#pragma once

#include <string>
#include <vector>

#include "libvox/device/work.h"

namespace vox::device {

// What kernels have done between two looks at a profile.
std::vector<KernelTime> kernels_since(const std::vector<KernelTime>& before,
                                      const std::vector<KernelTime>& after);

// The kernels of several profiles by name, longest first.
std::vector<KernelTime> all_kernels(const std::vector<std::vector<KernelTime>>& profiles);

double seconds_of(const std::vector<KernelTime>& kernels);
double seconds_of(const std::vector<KernelTime>& kernels, const std::string& name);

}  // namespace vox::device
