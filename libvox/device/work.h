// Names, times and bytes of what runs on a device.
#pragma once

#include <cstdint>
#include <string>

namespace vox::device {

// What a launch is called, and how many bytes it reads and writes per item (for --profile; 0: not counted).
struct Work {
  Work(const char* work_name, double bytes = 0) : name(work_name), bytes_per_item(bytes) {}
  const char* name;
  double bytes_per_item;
};

struct KernelTime {
  std::string name;
  uint64_t launches = 0;
  double seconds = 0;
  uint64_t bytes = 0;  // read and written, as counted by the caller of the kernel; 0: not counted
};

}  // namespace vox::device
