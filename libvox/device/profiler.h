// Counts launches, time and bytes for each kernel name.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "libvox/device/work.h"

namespace vox::device {

class Profiler {
 public:
  explicit Profiler(bool enabled) : enabled_(enabled) {}
  bool enabled() const { return enabled_; }
  void add(const Work& work, uint64_t items, double seconds) {
    KernelTime& row = rows_[work.name];
    row.launches += 1;
    row.seconds += seconds;
    row.bytes += static_cast<uint64_t>(work.bytes_per_item * static_cast<double>(items));
  }
  std::vector<KernelTime> rows() const;  // longest first
  void restart() { rows_.clear(); }

 private:
  bool enabled_;
  std::map<std::string, KernelTime> rows_;
};

}  // namespace vox::device
