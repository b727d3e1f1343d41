// Machine code that was compiled while the program runs. It is a shared object that is loaded from memory, so
// that the bytes that were checked are the bytes that run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace vox::device {

class CpuCode {
 public:
  // A loop of compiled code. It does what a body does, for every i with begin <= i < end.
  using Loop = void(const void* const* arguments, uint64_t begin, uint64_t end);

  // Throws Error if the image cannot be loaded.
  explicit CpuCode(const std::vector<std::byte>& image);
  ~CpuCode();
  CpuCode(const CpuCode&) = delete;
  CpuCode& operator=(const CpuCode&) = delete;

  // Throws Error if there is no loop of this name.
  Loop* loop(const char* name) const;

 private:
  void* library_ = nullptr;
};

}  // namespace vox::device
