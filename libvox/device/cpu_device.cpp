#include "libvox/device/cpu_device.h"

#include <fmt/format.h>
#include <oneapi/tbb/global_control.h>

#include <cstdlib>

#include "libvox/base/memory.h"

namespace vox {
namespace {

constexpr uint64_t kAlignment = 256;

uint64_t pool_limit(uint64_t memory_limit) {
  if (memory_limit == 0) return available_bytes() / 5 * 4;
  uint64_t resident = resident_bytes();
  return memory_limit > resident ? memory_limit - resident : 0;
}

}  // namespace

CpuDevice::CpuDevice(uint64_t memory_limit, bool profile)
    : pool_({[](uint64_t bytes) { return std::aligned_alloc(kAlignment, bytes); },
             [](void* block) { std::free(block); }},
            pool_limit(memory_limit)),
      profiler_(profile) {}

std::string CpuDevice::text() const {
  size_t threads = tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
  return fmt::format("CPU, {} thread{}", threads, threads == 1 ? "" : "s");
}

}  // namespace vox
