// A file mapped into memory for reading.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

namespace vox {

// A zero byte follows the file's bytes, so that scanners of text need not check for the end
// (formats/io/scan.h).
class MappedFile {
 public:
  // Throws Error if there is no such file, or if it is a folder or empty.
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::string_view text() const { return {data_, size_}; }
  std::span<const std::byte> bytes() const { return std::as_bytes(std::span(data_, size_)); }

 private:
  const char* data_ = nullptr;
  size_t size_ = 0, mapped_size_ = 0;
};

}  // namespace vox
