// The bytes of little-endian records, for writers of binary files.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

namespace vox {

static_assert(std::endian::native == std::endian::little, "records are little-endian");

class RecordBytes {
 public:
  explicit RecordBytes(size_t bytes) : bytes_(bytes) {}

  template <class T>
  void put(T value) {
    std::memcpy(&bytes_[end_], &value, sizeof(T));
    end_ += sizeof(T);
  }
  // Returns the bytes without the unused rest.
  std::vector<uint8_t> finish() {
    bytes_.resize(end_);
    return std::move(bytes_);
  }

 private:
  std::vector<uint8_t> bytes_;
  size_t end_ = 0;
};

}  // namespace vox
