// Inflates data of a known size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "formats/io/nameless_file.h"

namespace vox {

inline constexpr uint64_t kDeflateRatio = 1032;  // bytes that a deflated one stands for at most

enum class Deflated { Gzip, Zlib };

// The inflated bytes. They lie in a file without a name, so that they may be larger than memory.
class InflatedBytes {
 public:
  // Throws Error that names `source` where the data is damaged or not exactly `size` bytes.
  InflatedBytes(std::span<const std::byte> deflated, Deflated format, uint64_t size,
                const std::filesystem::path& source);

  std::span<const std::byte> bytes() const { return file_.bytes(); }

 private:
  NamelessFile file_;
};

// The first `count` bytes of gzip's data, or all where there are fewer, as a guess: its sum is not looked at.
// Whoever inflates the whole checks that it begins so.
std::vector<std::byte> inflated_start(std::span<const std::byte> gzip, size_t count);

}  // namespace vox
