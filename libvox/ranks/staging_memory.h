// Memory of the host for copies from and to a GPU: pinned in a build with CUDA, so that the GPU copies at its
// full rate, and ordinary memory elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vox::ranks {

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
