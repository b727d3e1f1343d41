// A checksum of bytes. A flipped or missing byte changes it. It does not protect against deliberate changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace vox {

class CheckSum {
 public:
  // Adds bytes, padded with zeros to a multiple of 8 bytes, using all cores.
  CheckSum& add(std::span<const std::byte> bytes);

  template <class T>
  CheckSum& add_values(std::span<const T> values) {
    return add(std::as_bytes(values));
  }

  uint64_t value() const;

 private:
  uint64_t sum_ = 0, words_ = 0;
};

}  // namespace vox
