// Memory of the host or of a GPU, for those who send it: what they do with it is the same.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vox::ranks {

bool is_gpu_memory(const void* memory);

// Copies from and to either kind; all is done when it returns.
void copy_any(void* to, const void* from, uint64_t bytes);

// Memory of the host that a GPU copies from and to at its full rate, where there is one.
class StagingMemory {
 public:
  StagingMemory() = default;
  explicit StagingMemory(uint64_t bytes);
  ~StagingMemory();
  StagingMemory(const StagingMemory&) = delete;
  StagingMemory& operator=(const StagingMemory&) = delete;

  std::byte* data() const { return data_; }

 private:
  std::byte* data_ = nullptr;
};

}  // namespace vox::ranks
