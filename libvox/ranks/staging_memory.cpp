#include "libvox/ranks/staging_memory.h"

#include <new>

// Builds with CUDA, where CMake defines VOX_HAS_CUDA for this source, have staging_memory_cuda.cu instead.
#ifndef VOX_HAS_CUDA
namespace vox::ranks {

StagingMemory::StagingMemory(uint64_t bytes) : data_(static_cast<std::byte*>(::operator new(bytes))) {}

StagingMemory::~StagingMemory() {
  ::operator delete(data_);
}

}  // namespace vox::ranks
#endif
