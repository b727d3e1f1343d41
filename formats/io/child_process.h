// Runs code in a process of its own, where a crash, a hang or a runaway allocation does no harm.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "libvox/base/error.h"

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

struct ChildLimits {
  uint64_t seconds;  // of processor time
  uint64_t bytes;    // of memory beyond what is there at the start
};

// The memory of a child process, as its body sees it.
class ChildMemory {
 public:
  // Until lift(), a `new` beyond `bytes` ends the process, so that no library has to survive it. Where the
  // machine has less than that, it fails as usual.
  explicit ChildMemory(uint64_t bytes);
  ChildMemory(const ChildMemory&) = delete;
  ChildMemory& operator=(const ChildMemory&) = delete;

  // From here on all that the machine has.
  void lift();

 private:
  uint64_t most_;  // of address space
};

// What a child process was allowed was not enough: "took more than 20 s".
class ChildTookTooMuch : public Error {
 public:
  using Error::Error;
};

// `body` sees everything as it is here, but what it changes is lost, except in a MemoryFile. It uses no
// threads, since only its own exists there, and no log. Throws Error that says "crashed" when the process
// dies, ChildTookTooMuch when it takes more than its limits, Cancelled after an interrupt. With the address
// sanitizer, whose `new` dies by itself, too much memory is a crash.
void run_in_child_process(const ChildLimits& limits, const std::function<void(ChildMemory&)>& body);

}  // namespace vox
