#include "libvox/device/profiler.h"

#include <algorithm>

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

}  // namespace vox::device
