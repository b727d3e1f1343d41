// Copies memory of the host and of any GPU of this process. Ranks may exchange either kind.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vox::ranks {

bool is_device_memory(const void* at);

// Copies bytes between memory of any two kinds, and returns when the copy is done. On a GPU the copy waits
// for no other work, so the source must have been written before.
void copy_any(void* to, const void* from, uint64_t bytes);

// Waits for all work of the GPU to which this memory belongs. For memory of the host, this does nothing.
void wait_for_work(const void* at);

// The functions above call these in a build with CUDA.
bool is_cuda_memory(const void* at);
void copy_cuda(void* to, const void* from, uint64_t bytes);
void wait_for_cuda(const void* at);

// Memory of the host for copies from and to a GPU. In a build with CUDA it is pinned, so that the GPU copies
// at its full rate; in other builds it is ordinary memory.
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
