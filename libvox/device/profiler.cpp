#include "libvox/device/profiler.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

namespace vox::device {

std::vector<KernelTime> Profiler::rows() const {
  std::vector<KernelTime> rows;
  for (const auto& [name, row] : rows_) {
    rows.push_back(row);
    rows.back().name = name;
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.seconds > b.seconds; });
  return rows;
}

namespace {

std::vector<KernelTime> longest_first(std::vector<KernelTime> kernels) {
  std::ranges::stable_sort(kernels, std::ranges::greater(), &KernelTime::seconds);
  return kernels;
}

}  // namespace

std::vector<KernelTime> kernels_since(const std::vector<KernelTime>& before,
                                      const std::vector<KernelTime>& after) {
  std::vector<KernelTime> kernels;
  for (KernelTime kernel : after) {
    const auto known = std::ranges::find(before, kernel.name, &KernelTime::name);
    if (known != before.end()) {
      kernel.launches -= known->launches;
      kernel.seconds -= known->seconds;
      kernel.bytes -= known->bytes;
    }
    if (kernel.launches > 0) kernels.push_back(std::move(kernel));
  }
  return longest_first(std::move(kernels));
}

std::vector<KernelTime> all_kernels(const std::vector<std::vector<KernelTime>>& profiles) {
  std::map<std::string, KernelTime> by_name;
  for (const std::vector<KernelTime>& kernels : profiles)
    for (const KernelTime& kernel : kernels) {
      KernelTime& sum = by_name[kernel.name];
      sum.name = kernel.name;
      sum.launches += kernel.launches;
      sum.seconds += kernel.seconds;
      sum.bytes += kernel.bytes;
    }
  std::vector<KernelTime> all;
  for (const auto& [name, kernel] : by_name) all.push_back(kernel);
  return longest_first(std::move(all));
}

double seconds_of(const std::vector<KernelTime>& kernels) {
  double seconds = 0;
  for (const KernelTime& kernel : kernels) seconds += kernel.seconds;
  return seconds;
}

double seconds_of(const std::vector<KernelTime>& kernels, const std::string& name) {
  const auto found = std::ranges::find(kernels, name, &KernelTime::name);
  return found == kernels.end() ? 0 : found->seconds;
}

}  // namespace vox::device
