// Writes bytes to a file in order. A failure, such as a full disk, becomes an Error that names the target.
#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

#include "libvox/base/atomic_file.h"

namespace vox {

class OutputFile {
 public:
  explicit OutputFile(const std::filesystem::path& target);

  void write(std::string_view bytes);
  template <class T>
  void write(std::span<const T> items) {
    write(std::string_view(reinterpret_cast<const char*>(items.data()), items.size_bytes()));
  }
  void close();                      // writes everything to the disk
  void commit() { file_.commit(); }  // makes the target appear; must be called after close()

 private:
  [[noreturn]] void fail() const;
  struct Closer {
    void operator()(std::FILE* stream) const { std::fclose(stream); }
  };
  AtomicFile file_;
  std::unique_ptr<std::FILE, Closer> stream_;
};

}  // namespace vox
