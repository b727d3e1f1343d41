// A sum over bytes that tells whether they are the same: a flipped or missing byte changes it. It is no protection from
// anybody who wants it to be the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace vox {

class CheckSum {
 public:
  // Adds bytes, and zeros up to a whole number of words of 8 bytes, on all cores.
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
