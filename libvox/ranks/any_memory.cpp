#include "libvox/ranks/any_memory.h"

#include <cstring>
#include <new>

// Builds with CUDA have any_memory_cuda.cu instead; CMake defines VOX_HAS_CUDA for this source there.
#ifndef VOX_HAS_CUDA
namespace vox::ranks {

bool is_gpu_memory(const void*) {
  return false;
}

void copy_any(void* to, const void* from, uint64_t bytes) {
  if (bytes > 0) std::memcpy(to, from, bytes);
}

StagingMemory::StagingMemory(uint64_t bytes) : data_(static_cast<std::byte*>(::operator new(bytes))) {}

StagingMemory::~StagingMemory() {
  ::operator delete(data_);
}

}  // namespace vox::ranks
#endif
