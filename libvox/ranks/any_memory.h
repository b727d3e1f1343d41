// Memory of the host or of any GPU of this process. Ranks may exchange either.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vox::ranks {

bool is_device_memory(const void* at);

// Copies between memory of any kind, and returns when the copy is done. On a GPU the copy waits for no other
// work, so the source must have been written before.
void copy_any(void* to, const void* from, uint64_t bytes);

// The CUDA parts of any_memory.h.

bool is_cuda_memory(const void* at);
void copy_cuda(void* to, const void* from, uint64_t bytes);

// Memory of the host for copies from and to a GPU: pinned in a build with CUDA, so that the GPU copies at its
// full rate, and ordinary memory elsewhere.

class StagingMemory {
 public:
  explicit StagingMemory(uint64_t bytes);
  ~StagingMemory();
  StagingMemory(const StagingMemory&) = delete;
  StagingMemory& operator=(const StagingMemory&) = delete;

  std::byte* data() const { return data_; }

 private:
  std::byte* data_ = nullptr;
};

}  // namespace vox::ranks
