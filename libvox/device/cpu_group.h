// A group of 32 lanes on the processor: one thread that plays all lanes in turn. CudaGroup is a warp with the
// same calls. Code between the calls is the same for all lanes; only the values that are passed in depend on
// the lane.
#pragma once

#include <cstdint>
#include <cstring>

#include "libvox/base/bits.h"
#include "libvox/device/atomics.h"

#ifdef __SSE4_1__
#include <smmintrin.h>
#endif

namespace vox::device {

// Compares 32 bytes, words or pairs of words with a value and returns a bit mask of those that are equal.
// This is the processor's version, which uses SSE if it can.

#ifdef __SSE4_1__

inline __m128i load_sse(const uint32_t* words) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(words));
}

// Packs four times four words, each of which is all ones or zero, into 16 bits.
inline uint32_t pack_mask(__m128i a, __m128i b, __m128i c, __m128i d) {
  return static_cast<uint32_t>(
      _mm_movemask_epi8(_mm_packs_epi16(_mm_packs_epi32(a, b), _mm_packs_epi32(c, d))));
}

inline uint32_t match_bytes(const uint32_t* words, uint32_t value) {
  const __m128i wanted = _mm_set1_epi8(static_cast<char>(value));
  const auto low = static_cast<uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(load_sse(words), wanted)));
  const auto high = static_cast<uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(load_sse(words + 4), wanted)));
  return low | high << 16;
}

inline uint32_t match_words(const uint32_t* words, uint32_t value) {
  const __m128i wanted = _mm_set1_epi32(static_cast<int>(value));
  const auto same = [&](uint32_t i) { return _mm_cmpeq_epi32(load_sse(words + 4 * i), wanted); };
  return pack_mask(same(0), same(1), same(2), same(3)) | pack_mask(same(4), same(5), same(6), same(7)) << 16;
}

inline uint32_t match_pairs(const uint32_t* words, uint32_t first, uint32_t second) {
  const __m128i wanted = _mm_set1_epi64x(static_cast<int64_t>(uint64_t{second} << 32 | first));
  // Returns the low words of the comparison masks of four pairs.
  const auto same = [&](uint32_t i) {
    const __m128i a = _mm_cmpeq_epi64(load_sse(words + 8 * i), wanted);
    const __m128i b = _mm_cmpeq_epi64(load_sse(words + 8 * i + 4), wanted);
    return _mm_castps_si128(
        _mm_shuffle_ps(_mm_castsi128_ps(a), _mm_castsi128_ps(b), _MM_SHUFFLE(2, 0, 2, 0)));
  };
  return pack_mask(same(0), same(1), same(2), same(3)) | pack_mask(same(4), same(5), same(6), same(7)) << 16;
}

#else

inline uint32_t match_bytes(const uint32_t* words, uint32_t value) {
  uint32_t mask = 0;
  for (uint32_t i = 0; i < 32; ++i)
    mask |= static_cast<uint32_t>((words[i / 4] >> i % 4 * 8 & 0xff) == value) << i;
  return mask;
}

inline uint32_t match_words(const uint32_t* words, uint32_t value) {
  uint32_t mask = 0;
  for (uint32_t i = 0; i < 32; ++i) mask |= static_cast<uint32_t>(words[i] == value) << i;
  return mask;
}

inline uint32_t match_pairs(const uint32_t* words, uint32_t first, uint32_t second) {
  uint32_t mask = 0;
  for (uint32_t i = 0; i < 32; ++i)
    mask |= static_cast<uint32_t>(words[2 * i] == first && words[2 * i + 1] == second) << i;
  return mask;
}

#endif

struct CpuGroup {
  static constexpr uint32_t kLanes = 32;
  static constexpr uint32_t kAtOnce = 512;  // the most groups that may run at the same time

  // Words that the lanes hold: lane l holds word l or, if they are pairs, words 2 l and 2 l + 1. The
  // processor leaves them where they are, and copies them only if other threads may change them meanwhile.
  struct Words {
    const uint32_t* at;
  };
  template <uint32_t kCount>
  struct SharedWords {
    uint32_t at[kCount];
  };

  Words load(const uint32_t* words, uint32_t) const { return {words}; }
  Words load_pairs(const uint32_t* words) const { return {words}; }

  // Loads words that other groups change at the same time.
  template <uint32_t kCount>
  SharedWords<kCount> load_shared(const uint32_t* words) const {
    SharedWords<kCount> copy;
    for (uint32_t i = 0; i < kCount; ++i) copy.at[i] = atomic_load_relaxed(words + i);
    return copy;
  }
  SharedWords<64> load_shared_pairs(const uint32_t* words) const {
    SharedWords<64> copy;
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      const uint64_t pair = atomic_load_relaxed(reinterpret_cast<const uint64_t*>(words) + lane);
      std::memcpy(copy.at + 2 * lane, &pair, sizeof(pair));
    }
    return copy;
  }

  // Words of 32 or 64 bits. Each of the first kCount lanes holds one of its own.
  template <class Word, uint32_t kCount>
  struct Own {
    static constexpr uint32_t kHeld = kCount;
    const Word* at;
  };
  template <class Word, uint32_t kCount>
  struct SharedOwn {
    static constexpr uint32_t kHeld = kCount;
    Word at[kCount];
  };

  template <uint32_t kCount, class Word>
  Own<Word, kCount> load_own(const Word* words) const {
    return {words};
  }
  // Loads such words while other groups change them.
  template <uint32_t kCount, class Word>
  SharedOwn<Word, kCount> load_shared_own(const Word* words) const {
    SharedOwn<Word, kCount> copy;
    for (uint32_t lane = 0; lane < kCount; ++lane) copy.at[lane] = atomic_load_relaxed(words + lane);
    return copy;
  }

  // Gives all lanes the word of one lane.
  template <class Held>
  auto of_lane(const Held& own, uint32_t lane) const {
    return own.at[lane];
  }
  // Returns a mask in which bit l is set if lane l holds a word for which f(word) is true.
  template <class Held, class F>
  uint32_t ballot_of(const Held& own, F f) const {
    uint32_t holds[kLanes / 4] = {};
    auto* const bytes = reinterpret_cast<unsigned char*>(holds);
    for (uint32_t lane = 0; lane < Held::kHeld; ++lane) bytes[lane] = f(own.at[lane]) ? 1 : 0;
    return vox::device::match_bytes(holds, 1);
  }

  // Gives all lanes word i of the words that they hold together.
  template <class Held>
  uint32_t word(const Held& words, uint32_t i) const {
    return words.at[i];
  }

  // Returns a mask in which bit l is set if byte l of the first eight words (low byte first) is `value`.
  template <class Held>
  uint32_t match_bytes(const Held& words, uint32_t value) const {
    return vox::device::match_bytes(words.at, value);
  }
  // Returns a mask in which bit l is set if lane l holds `value`.
  template <class Held>
  uint32_t match_words(const Held& words, uint32_t value) const {
    return vox::device::match_words(words.at, value);
  }
  // Returns a mask in which bit l is set if lane l holds this pair.
  template <class Held>
  uint32_t match_pairs(const Held& pairs, uint32_t first, uint32_t second) const {
    return vox::device::match_pairs(pairs.at, first, second);
  }

  // Returns the lowest candidate slot whose words `begin` to `end` - 1 equal those of the item, or kLanes if
  // there is none. The candidates are a bit mask of slots. Slot s is at slots + s * stride. The lanes hold
  // the item.
  uint32_t find_equal(uint32_t candidates, const uint32_t* slots, uint32_t stride, const Words& item,
                      uint32_t begin, uint32_t end) const {
    for (; candidates != 0; candidates &= candidates - 1) {
      const auto slot = static_cast<uint32_t>(lowest_bit(candidates));
      if (std::memcmp(slots + slot * stride + begin, item.at + begin, (end - begin) * sizeof(uint32_t)) == 0)
        return slot;
    }
    return kLanes;
  }

  // Lanes `begin` to `end` - 1 write the words that they hold.
  void store(const Words& words, uint32_t* to, uint32_t begin, uint32_t end) const {
    std::memcpy(to + begin, words.at + begin, (end - begin) * sizeof(uint32_t));
  }

  // Returns a mask in which bit l is set if f(l) is true.
  template <class F>
  uint32_t ballot(F f) const {
    uint32_t mask = 0;
    for (uint32_t lane = 0; lane < kLanes; ++lane) mask |= static_cast<uint32_t>(f(lane)) << lane;
    return mask;
  }

  // Returns f(0) + … + f(31).
  template <class F>
  uint32_t sum(F f) const {
    uint32_t total = 0;
    for (uint32_t lane = 0; lane < kLanes; ++lane) total += f(lane);
    return total;
  }

  // Calls f(i) for every i < count.
  template <class F>
  void each(uint32_t count, F f) const {
    for (uint32_t i = 0; i < count; ++i) f(i);
  }

  // Has one lane call f() and gives its result to all lanes.
  template <class F>
  auto once(F f) const {
    return f();
  }

  // After this call, all lanes see everything that any lane did, or saw of other groups, before it.
  void sync() const {}
};

// A thread block on the processor: one thread that plays all threads of the block. CudaBlock has the same calls on a
// GPU. Code between the calls is the same for all threads, and all of them make the same calls. Data that one call
// writes to shared memory is visible to all threads in the next call.
template <class Shared>
class CpuBlock {
 public:
  explicit CpuBlock(Shared* shared) : shared_(shared) {}

  // The shared memory, which is not initialized.
  Shared& shared() const { return *shared_; }

  // Calls f(j) for every j < count, in any order.
  template <class F>
  void each(uint32_t count, F f) const {
    for (uint32_t j = 0; j < count; ++j) f(j);
  }

  // Calls f(j) for every j < count, in any order. Returns true if any call returned true.
  template <class F>
  bool any(uint32_t count, F f) const {
    bool found = false;
    for (uint32_t j = 0; j < count; ++j)
      if (f(j)) found = true;
    return found;
  }

  // Calls f(j) for every j < count, in any order. Returns how many of the calls returned true.
  template <class F>
  uint32_t count(uint32_t count, F f) const {
    uint32_t found = 0;
    for (uint32_t j = 0; j < count; ++j) found += f(j) ? 1 : 0;
    return found;
  }

  // Has one thread call f().
  template <class F>
  void once(F f) const {
    f();
  }

 private:
  Shared* shared_;
};

}  // namespace vox::device
