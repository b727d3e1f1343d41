// A file that is read piece by piece; unlike a mapped one's, its pages never count as memory of the process. All readers
// of files open them here or ask check_input() first: pipes, devices and folders are refused instead of waited for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

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

// Throws Error where the constructor of ReadFile does, for files that another library opens.
void check_input(const std::filesystem::path& path);

// Returns the first `most` bytes of a file, fewer of a shorter one, and none where it cannot be read.
std::string first_bytes(const std::filesystem::path& path, size_t most);

}  // namespace vox
