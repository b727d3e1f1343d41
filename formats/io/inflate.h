// Inflates data of a known size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

namespace vox {

inline constexpr uint64_t kDeflateRatio = 1032;  // bytes that a deflated one stands for at most

enum class Deflated { Gzip, Zlib };

// The inflated bytes. They lie in a file without a name in the folder for temporary files, mapped into
// memory, so that they may be larger than memory.
class InflatedBytes {
 public:
  // Throws Error that names `source` where the data is damaged or not exactly `size` bytes.
  InflatedBytes(std::span<const std::byte> deflated, Deflated format, uint64_t size,
                const std::filesystem::path& source);
  ~InflatedBytes();
  InflatedBytes(const InflatedBytes&) = delete;
  InflatedBytes& operator=(const InflatedBytes&) = delete;

  std::span<const std::byte> bytes() const { return {data_, size_}; }

 private:
  std::byte* data_ = nullptr;
  uint64_t size_ = 0;
};

}  // namespace vox
