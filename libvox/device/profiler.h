// Counts launches, time and bytes for each kernel name.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace vox::device {

// The name, time and bytes of work that runs on a device.

// The name of a launch, and how many bytes it reads and writes for each item (for --profile; 0 means not
// counted).
struct Work {
  Work(const char* work_name, double bytes = 0) : name(work_name), bytes_per_item(bytes) {}
  const char* name;
  double bytes_per_item;
};

struct KernelTime {
  std::string name;
  uint64_t launches = 0;
  double seconds = 0;
  uint64_t bytes = 0;  // read and written, as the caller of the kernel counts them; 0 if not counted
};

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

// Profiles of kernels: the difference of two, and the sum of several.

// Returns what the kernels did between two readings of a profile, longest first.
std::vector<KernelTime> kernels_since(const std::vector<KernelTime>& before,
                                      const std::vector<KernelTime>& after);

// Returns the sums of several profiles for each kernel name, longest first.
std::vector<KernelTime> all_kernels(const std::vector<std::vector<KernelTime>>& profiles);

double seconds_of(const std::vector<KernelTime>& kernels);
double seconds_of(const std::vector<KernelTime>& kernels, const std::string& name);

}  // namespace vox::device
