// HDF5's shuffle filter: it stores the lowest bytes of all words, then the second lowest, and so on. The
// loops go over one plane of bytes, or over independent words, so that the compiler can vectorise them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace vox {

// Each plane has room for `plane_bytes` words; there may be fewer words than that.
template <class Word>
void shuffle_bytes(std::span<const Word> words, uint8_t* bytes, size_t plane_bytes) {
  constexpr size_t kBlock = 8192 / sizeof(Word);  // stays in the nearest cache while its planes are written
  for (size_t begin = 0; begin < words.size(); begin += kBlock) {
    const std::span<const Word> block = words.subspan(begin, std::min(kBlock, words.size() - begin));
    for (size_t plane = 0; plane < sizeof(Word); ++plane) {
      uint8_t* __restrict to = bytes + plane * plane_bytes + begin;
      for (size_t i = 0; i < block.size(); ++i) to[i] = static_cast<uint8_t>(block[i] >> 8 * plane);
    }
  }
}

template <class Word>
void unshuffle_bytes(const uint8_t* bytes, std::span<Word> words, size_t plane_bytes) {
  Word* __restrict to = words.data();
  [&]<size_t... plane>(std::index_sequence<plane...>) {
    for (size_t i = 0; i < words.size(); ++i)
      to[i] = ((static_cast<Word>(bytes[plane * plane_bytes + i]) << 8 * plane) | ...);
  }
  (std::make_index_sequence<sizeof(Word)>());
}

}  // namespace vox
