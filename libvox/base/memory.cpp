#include "libvox/base/memory.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>

namespace vox {
namespace {

uint64_t read_number(const char* path, uint64_t otherwise) {
  std::ifstream file(path);
  uint64_t value = 0;
  return file >> value ? value : otherwise;
}

}  // namespace

uint64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  uint64_t total = 0, resident = 0;
  file >> total >> resident;
  return resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

uint64_t peak_resident_bytes() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<uint64_t>(usage.ru_maxrss) * 1024;
}

uint64_t available_bytes() {
  uint64_t available = 0;
  std::ifstream file("/proc/meminfo");
  for (std::string key, unit; file >> key;) {
    uint64_t kilobytes = 0;
    file >> kilobytes;
    std::getline(file, unit);
    if (key == "MemAvailable:") available = kilobytes * 1024;
  }
  uint64_t limit = read_number("/sys/fs/cgroup/memory.max", UINT64_MAX);
  uint64_t used = read_number("/sys/fs/cgroup/memory.current", 0);
  if (limit != UINT64_MAX) available = std::min(available, limit > used ? limit - used : 0);
  return available;
}

}  // namespace vox
