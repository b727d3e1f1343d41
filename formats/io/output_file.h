// Writes bytes into a file, in order. The file appears at its target when it is committed, or not at all. A failure,
// such as a full disk, becomes an Error that names the target.
#pragma once

#include <filesystem>
#include <list>
#include <span>
#include <string_view>
#include <vector>

#include "libvox/base/atomic_file.h"

namespace vox {

class OutputFile {
 public:
  explicit OutputFile(const std::filesystem::path& target) : file_(target) {}

  void write(std::string_view bytes);
  template <class T>
  void write(std::span<const T> items) {
    write(std::string_view(reinterpret_cast<const char*>(items.data()), items.size_bytes()));
  }
  void release();  // flushes everything to the disk and closes the file; only commit() may follow
  void commit();

  // Makes files that belong together appear together, or none of them; the last one is the one that names the others.
  static void commit_together(std::list<OutputFile>& files);

 private:
  void flush();

  AtomicFile file_;
  std::vector<char> buffer_;
};

// Writes bytes at an offset of an open file. Throws Error that names the target.
void write_at(int descriptor, uint64_t offset, std::string_view bytes, const std::filesystem::path& target);

}  // namespace vox
