// Runs code in a process of its own, where a crash, a hang or a runaway allocation does no harm.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "libvox/base/error.h"

namespace vox {

// An unnamed file in memory, in which a child process leaves its result.
class MemoryFile {
 public:
  MemoryFile();
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  void write(std::span<const std::byte> bytes);  // writes at the end; throws Error
  void rewind();
  uint64_t rest() const { return rest_; }  // bytes from here to the end, as of rewind()
  void read(std::span<std::byte> bytes);   // throws Error where fewer are left

 private:
  int descriptor_;
  uint64_t rest_ = 0;
};

struct ChildLimits {
  uint64_t seconds;  // of processor time
  uint64_t bytes;    // of memory beyond that in use at the start
};

// The limit on the memory of a child process, as its body sees it.
class ChildMemory {
 public:
  // Until lift(), a `new` beyond `bytes` ends the process, so that no library has to survive it. Where the
  // machine has less memory than that, `new` fails as usual.
  explicit ChildMemory(uint64_t bytes);
  ChildMemory(const ChildMemory&) = delete;
  ChildMemory& operator=(const ChildMemory&) = delete;

  // Lifts the limit: from here on the process may take all memory that the machine has.
  void lift();

 private:
  uint64_t most_;  // of address space
};

// The error of a child process that took more than its limits: "took more than 20 s".
class ChildTookTooMuch : public Error {
 public:
  using Error::Error;
};

// Runs `body` in a child process. It sees everything as it is here, but its changes are lost, except in a
// MemoryFile. It must use no threads, since only its own exists there, and no log. Throws Error that says
// "crashed" when the process dies, ChildTookTooMuch when it takes more than its limits, Cancelled after an
// interrupt. With the address sanitizer, whose `new` dies by itself, too much memory is a crash.
void run_in_child_process(const ChildLimits& limits, const std::function<void(ChildMemory&)>& body);

}  // namespace vox
