#include "libvox/device/cpu_device.h"

#include <fmt/format.h>
#include <oneapi/tbb/global_control.h>
#include <sys/mman.h>

#include <cstdlib>

#include "libvox/base/memory.h"

namespace vox::device {
namespace {

// Large blocks use huge pages if the system has them, because hash tables are read at random, and because
// each page of an array costs a fault when it is first touched.
void* allocate(void*, uint64_t bytes) {
  constexpr uint64_t kSmallAlignment = 256, kHugePage = 2 << 20;
  if (bytes < kHugePage) return std::aligned_alloc(kSmallAlignment, bytes);
  void* block = std::aligned_alloc(kHugePage, (bytes + kHugePage - 1) / kHugePage * kHugePage);
  if (block) madvise(block, bytes, MADV_HUGEPAGE);
  return block;
}

constexpr Pool::Backend kSystem = {.allocate = allocate,
                                   .release = [](void*, void* block) { std::free(block); },
                                   .shrink = [](void*, uint64_t) {}};

uint64_t pool_limit(uint64_t memory_limit) {
  if (memory_limit == 0) return available_bytes() / 5 * 4;
  uint64_t resident = resident_bytes();
  return memory_limit > resident ? memory_limit - resident : 0;
}

}  // namespace

CpuDevice::CpuDevice(uint64_t memory_limit, bool profile)
    : pool_(kSystem, nullptr, pool_limit(memory_limit)), profiler_(profile) {}

std::string CpuDevice::text() const {
  size_t threads = tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
  return fmt::format("CPU, {} thread{}", threads, threads == 1 ? "" : "s");
}

}  // namespace vox::device
