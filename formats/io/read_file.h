// A file that is read piece by piece. Unlike a mapped file's, its pages do not count as memory of the
// process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

namespace vox {

class ReadFile {
 public:
  // Throws Error if there is no such file, or if it is a folder or empty.
  explicit ReadFile(const std::filesystem::path& path);
  ~ReadFile();
  ReadFile(const ReadFile&) = delete;
  ReadFile& operator=(const ReadFile&) = delete;

  uint64_t size() const { return size_; }
  int descriptor() const { return descriptor_; }

  // Several threads may call this. Throws Error if the file ends earlier, for example because it has shrunk.
  void read(uint64_t offset, std::span<std::byte> to) const;

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
  uint64_t size_ = 0;
};

}  // namespace vox
