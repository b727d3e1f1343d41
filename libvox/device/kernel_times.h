// Profiles of kernels: the difference of two, and the sum of several.
#pragma once

#include <string>
#include <vector>

#include "libvox/device/work.h"

namespace vox::device {

// Returns what the kernels did between two readings of a profile, longest first.
std::vector<KernelTime> kernels_since(const std::vector<KernelTime>& before,
                                      const std::vector<KernelTime>& after);

// Returns the sums of several profiles for each kernel name, longest first.
std::vector<KernelTime> all_kernels(const std::vector<std::vector<KernelTime>>& profiles);

double seconds_of(const std::vector<KernelTime>& kernels);
double seconds_of(const std::vector<KernelTime>& kernels, const std::string& name);

}  // namespace vox::device
