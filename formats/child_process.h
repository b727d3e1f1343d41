// Runs code in a process of its own, where a crash, a hang or a runaway allocation does no harm.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace vox {

// An unnamed file in memory that a child process leaves its result in.
class MemoryFile {
 public:
  MemoryFile();
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  void write(std::span<const std::byte> bytes);  // at the end; throws Error
  void rewind();
  uint64_t rest() const { return rest_; }  // bytes from here to the end, as of rewind()
  void read(std::span<std::byte> bytes);   // throws Error where fewer are left

 private:
  int descriptor_;
  uint64_t rest_ = 0;
};

// `body` sees everything as it is here, but what it changes is lost, except in a MemoryFile. It uses no
// threads, since only its own exists there, and no log. Throws Error that says "crashed" or "did not finish"
// when the process dies or takes more than `seconds` of processor time, Cancelled after an interrupt.
void run_in_child_process(uint64_t seconds, const std::function<void()>& body);

}  // namespace vox
