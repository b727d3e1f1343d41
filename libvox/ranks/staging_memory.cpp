#include "libvox/ranks/staging_memory.h"

#include <new>

// Builds with CUDA use staging_memory_cuda.cu instead; CMake then defines VOX_HAS_CUDA for this source.
#ifndef VOX_HAS_CUDA
namespace vox::ranks {

StagingMemory::StagingMemory(uint64_t bytes) : data_(static_cast<std::byte*>(::operator new(bytes))) {}

StagingMemory::~StagingMemory() {
  ::operator delete(data_);
}

}  // namespace vox::ranks
#endif
