#include "formats/io/check_sum.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include "libvox/base/mix.h"

namespace vox {

CheckSum& CheckSum::add(std::span<const std::byte> bytes) {
  constexpr uint64_t kWord = sizeof(uint64_t);
  const uint64_t words = (bytes.size() + kWord - 1) / kWord;
  const auto add_range = [&](const tbb::blocked_range<uint64_t>& range, uint64_t sum) {
    for (uint64_t i = range.begin(); i < range.end(); ++i) {
      uint64_t word = 0;
      std::memcpy(&word, bytes.data() + i * kWord, std::min(kWord, bytes.size() - i * kWord));
      sum += mix64(mix64(words_ + i + 1) ^ word);
    }
    return sum;
  };
  sum_ += tbb::parallel_reduce(tbb::blocked_range<uint64_t>(0, words, 1 << 16), uint64_t{0}, add_range,
                               std::plus<>());
  words_ += words;
  return *this;
}

uint64_t CheckSum::value() const {
  return mix64(sum_ ^ mix64(words_ + 1));
}

}  // namespace vox
