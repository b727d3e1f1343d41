// Inflates data of a known size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "formats/io/nameless_file.h"

namespace vox {

inline constexpr uint64_t kDeflateRatio = 1032;  // the most bytes that one deflated byte can stand for

enum class Deflated { Gzip, Zlib };

// The inflated bytes. They lie in a file without a name, so they may be larger than memory.
class InflatedBytes {
 public:
  // Throws an Error that names `source` if the data is damaged or does not have exactly `size` bytes.
  InflatedBytes(std::span<const std::byte> deflated, Deflated format, uint64_t size,
                const std::filesystem::path& source);

  std::span<const std::byte> bytes() const { return file_.bytes(); }

 private:
  NamelessFile file_;
};

// Returns the first `count` bytes of gzip data, or all if there are fewer. The checksum is not verified, so a
// caller that inflates the whole data must check that it begins with these bytes.
std::vector<std::byte> inflated_start(std::span<const std::byte> gzip, size_t count);

}  // namespace vox
