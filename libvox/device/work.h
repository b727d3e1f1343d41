// The name, time and bytes of work that runs on a device.
#pragma once

#include <cstdint>
#include <string>

namespace vox::device {

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

}  // namespace vox::device
