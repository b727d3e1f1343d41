// Machine code that was compiled while the program runs: a shared object, loaded from memory, so that what
// was checked is what runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace vox::device {

class CpuCode {
 public:
  // A loop of it does what a body does for begin <= i < end.
  using Loop = void(const void* const* arguments, uint64_t begin, uint64_t end);

  // Throws Error where it cannot be loaded.
  explicit CpuCode(const std::vector<std::byte>& image);
  ~CpuCode();
  CpuCode(const CpuCode&) = delete;
  CpuCode& operator=(const CpuCode&) = delete;

  // Throws Error where there is none of this name.
  Loop* loop(const char* name) const;

 private:
  void* library_ = nullptr;
};

}  // namespace vox::device
