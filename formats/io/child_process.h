// Runs code in a separate process, where a crash, a hang or a huge allocation does no harm.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <vector>

#include "libvox/base/error.h"

namespace vox {

// An unnamed file in memory into which a child process writes its result.
class MemoryFile {
 public:
  MemoryFile();
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  void write(std::span<const std::byte> bytes);  // appends the bytes; throws Error
  void rewind();
  uint64_t rest() const { return rest_; }  // bytes that are left to read after rewind()
  void read(std::span<std::byte> bytes);   // throws Error if fewer are left

  // A list of plain values stands behind its length.
  void write_list(const auto& list) {
    const uint64_t count = list.size();
    write(std::as_bytes(std::span(&count, 1)));
    write(std::as_bytes(std::span(list)));
  }
  void read_list(auto& list) {
    list.resize(read_count(sizeof(list[0])));
    read(std::as_writable_bytes(std::span(list)));
  }
  // Reads a length. Throws Error if so many items, of at least `item_bytes` each, are not left.
  size_t read_count(uint64_t item_bytes);

 private:
  int descriptor_;
  uint64_t rest_ = 0;
};

struct ChildLimits {
  uint64_t seconds;  // processor time
  uint64_t bytes;    // memory in addition to that in use at the start
  // The files that the process may open, and folders in which it may open all files.
  std::vector<std::filesystem::path> readable = {};
};

// Called in a child process. Takes away the rights to read files other than these, to write files, to make
// connections and to start programs, as far as the kernel can. Open files stay open.
void give_up_rights(std::span<const std::filesystem::path> readable);

// The memory limit of a child process, seen from inside it.
class ChildMemory {
 public:
  // Until lift() is called, a `new` beyond `bytes` ends the process, so that no library must handle the
  // failure. If the machine itself has less memory, `new` fails as usual.
  explicit ChildMemory(uint64_t bytes);
  ChildMemory(const ChildMemory&) = delete;
  ChildMemory& operator=(const ChildMemory&) = delete;

  // Lifts the limit: from now on the process may take all of the machine's memory.
  void lift();

 private:
  uint64_t most_;  // limit on the address space, in bytes
};

// Thrown if a child process exceeded its limits, e.g. "took more than 20 s".
class ChildTookTooMuch : public Error {
 public:
  using Error::Error;
};

// Runs `body` in a child process. The child sees a copy of this process's memory; its changes are lost, except for
// those in a MemoryFile. It must not use the log or threads, because only the calling thread exists in it. It has the
// rights that give_up_rights() leaves, can open only few files and leaves no core file. Throws an Error that says
// "crashed" if the process dies, ChildTookTooMuch if it exceeds its limits, and Cancelled after an interrupt. With the
// address sanitizer, whose `new` ends the process itself, too much memory counts as a crash.
void run_in_child_process(const ChildLimits& limits, const std::function<void(ChildMemory&)>& body);

// Returns the time and memory that another library may take to read a file, because a damaged file may claim to hold
// any amount of data: 256 MiB plus 64 times the file's size, and 10 s plus a second for each MiB. Files with
// compressed contents count as 16 times as large. Throws Error if there is no such file.
ChildLimits may_take(const std::filesystem::path& path);

}  // namespace vox
