#include "libvox/measure/kernel_times.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

namespace vox::measure {
namespace {

std::vector<device::KernelTime> longest_first(std::vector<device::KernelTime> kernels) {
  std::ranges::stable_sort(kernels, std::ranges::greater(), &device::KernelTime::seconds);
  return kernels;
}

}  // namespace

std::vector<device::KernelTime> kernels_since(const std::vector<device::KernelTime>& before,
                                              const std::vector<device::KernelTime>& after) {
  std::vector<device::KernelTime> kernels;
  for (device::KernelTime kernel : after) {
    const auto known = std::ranges::find(before, kernel.name, &device::KernelTime::name);
    if (known != before.end()) {
      kernel.launches -= known->launches;
      kernel.seconds -= known->seconds;
      kernel.bytes -= known->bytes;
    }
    if (kernel.launches > 0) kernels.push_back(std::move(kernel));
  }
  return longest_first(std::move(kernels));
}

std::vector<device::KernelTime> all_kernels(const std::vector<std::vector<device::KernelTime>>& profiles) {
  std::map<std::string, device::KernelTime> by_name;
  for (const std::vector<device::KernelTime>& kernels : profiles)
    for (const device::KernelTime& kernel : kernels) {
      device::KernelTime& sum = by_name[kernel.name];
      sum.name = kernel.name;
      sum.launches += kernel.launches;
      sum.seconds += kernel.seconds;
      sum.bytes += kernel.bytes;
    }
  std::vector<device::KernelTime> all;
  for (const auto& [name, kernel] : by_name) all.push_back(kernel);
  return longest_first(std::move(all));
}

double seconds_of(const std::vector<device::KernelTime>& kernels) {
  double seconds = 0;
  for (const device::KernelTime& kernel : kernels) seconds += kernel.seconds;
  return seconds;
}

double seconds_of(const std::vector<device::KernelTime>& kernels, const std::string& name) {
  const auto found = std::ranges::find(kernels, name, &device::KernelTime::name);
  return found == kernels.end() ? 0 : found->seconds;
}

}  // namespace vox::measure
