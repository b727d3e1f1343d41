#include "formats/io/fletcher32.h"

#include <algorithm>

namespace vox {

std::array<uint8_t, kFletcher32Bytes> fletcher32(std::span<const uint8_t> bytes) {
  constexpr uint64_t kModulus = 0xffff;
  // The number of words in a block: the sum of 2^12 products of 16 and 12 bits fits well into 64 bits.
  constexpr uint64_t kBlock = 4096;
  uint64_t first = 0, second = 0, any = 0;
  const uint64_t words = bytes.size() / 2;
  for (uint64_t begin = 0; begin < words; begin += kBlock) {
    const uint64_t n = std::min(kBlock, words - begin);
    const uint8_t* block = bytes.data() + 2 * begin;
    uint64_t plain = 0, weighed = 0;
    for (uint64_t i = 0; i < n; ++i) {
      const uint32_t word = static_cast<uint32_t>(block[2 * i]) << 8 | block[2 * i + 1];
      plain += word;
      weighed += word * static_cast<uint32_t>(n - i);
    }
    any |= plain;
    second = (second + n * first + weighed) % kModulus;
    first = (first + plain) % kModulus;
  }
  if (any != 0 && first == 0) first = kModulus;
  if (any != 0 && second == 0) second = kModulus;
  return {static_cast<uint8_t>(first), static_cast<uint8_t>(first >> 8), static_cast<uint8_t>(second),
          static_cast<uint8_t>(second >> 8)};
}

}  // namespace vox
