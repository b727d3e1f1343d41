// A file without a name in the folder for temporary files, mapped into memory. It can hold data larger than
// memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

namespace vox {

class NamelessFile {
 public:
  // Reserves `size` bytes, at least 1, on the disk, so that writing to the mapping cannot fail. Throws an
  // Error that names `source` if there is not enough space.
  NamelessFile(uint64_t size, const std::filesystem::path& source);
  ~NamelessFile();
  NamelessFile(const NamelessFile&) = delete;
  NamelessFile& operator=(const NamelessFile&) = delete;

  std::span<std::byte> bytes() { return {data_, size_}; }
  std::span<const std::byte> bytes() const { return {data_, size_}; }

 private:
  std::byte* data_ = nullptr;
  uint64_t size_ = 0;
};

}  // namespace vox
