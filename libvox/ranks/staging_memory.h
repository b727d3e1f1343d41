// Memory of the host that a GPU copies from and to at its full rate; of a machine without one, any memory.
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
