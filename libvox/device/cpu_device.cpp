#include "libvox/device/cpu_device.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <oneapi/tbb/global_control.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "libvox/base/error.h"
#include "libvox/base/process.h"

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
  // The process may hold pieces of a scene in its file, which go when memory is short.
  constexpr uint64_t kMostOfLimit = 24 << 20;
  const uint64_t resident = resident_bytes();
  return std::max(memory_limit - std::min(memory_limit, resident),
                  std::min(memory_limit / 8 * 3, kMostOfLimit));
}

}  // namespace

CpuDevice::CpuDevice(uint64_t memory_limit, bool profile)
    : pool_(kSystem, nullptr, pool_limit(memory_limit)), profiler_(profile) {}

std::string CpuDevice::text() const {
  size_t threads = tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
  return fmt::format("CPU, {} thread{}", threads, threads == 1 ? "" : "s");
}

CpuCode::CpuCode(const std::vector<std::byte>& image) {
  const int file = memfd_create("vox-jit", MFD_CLOEXEC);
  if (file < 0) throw Error("cannot create a file in memory for compiled code");
  size_t written = 0;
  while (written < image.size()) {
    const ssize_t count = write(file, image.data() + written, image.size() - written);
    if (count <= 0) break;
    written += static_cast<size_t>(count);
  }
  if (written == image.size())
    library_ = dlopen(("/proc/self/fd/" + std::to_string(file)).c_str(), RTLD_NOW | RTLD_LOCAL);
  close(file);
  if (library_ == nullptr) throw Error("the compiled code cannot be loaded");
}

CpuCode::~CpuCode() {
  dlclose(library_);
}

CpuCode::Loop* CpuCode::loop(const char* name) const {
  auto* loop = reinterpret_cast<Loop*>(dlsym(library_, name));
  if (loop == nullptr) throw Error(std::string("the compiled code has no loop '") + name + "'");
  return loop;
}

}  // namespace vox::device
