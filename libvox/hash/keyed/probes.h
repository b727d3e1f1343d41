// Sequences of places at which open addressing looks for a key, the first, the second, and so on: García et
// al. 2011, §3.1 and §4. A *place* is a slot. The *age* of a key at a place is that place's position in the
// key's sequence, from 1 on. All places of a sequence are different.
//
//   coherent   place = key + offset[age]                  the same offsets for all keys: keys that follow each
//                                                         other look at places that follow each other
//   random     place = c0 + key · c1 + (age − 1) · step   the step is a hash of the key
//
// In the paper, the random sequence has the same step for all keys. That is linear probing of slots in
// another order, and no choice of constants helps: with 2^20 keys and a load factor of 0.99, some ages reach
// 290, which does not fit in 4 bits. With a step for each key (double hashing), ages are about those of the
// paper: at 0.8 up to 5 or 6, where Figure 3 has 5, and at 0.99 up to 9. Coherent sequences reach 10 and 14.
//
// All arithmetic is modulo the number of slots. It is a prime, so that keys at any regular distance spread
// over all slots, and so that every step visits all of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>

#include "libvox/base/bits.h"
#include "libvox/base/hd.h"

namespace vox::hash {

// Computes the remainder by a divisor that is used often, with two multiplications.
struct Modulus {
  uint64_t divisor;
  uint64_t reciprocal;  // (2^64 − 1) / divisor; quotients by it are right or too small by 1

  static Modulus of(uint64_t divisor) { return {divisor, UINT64_MAX / divisor}; }
  VOX_HD uint64_t operator()(uint64_t x) const {
    const uint64_t rest = x - multiply_high(x, reciprocal) * divisor;
    return rest >= divisor ? rest - divisor : rest;
  }
};

// Returns how many slots to use for this many keys in this attempt. Each further attempt uses the next prime,
// so that keys which share a place because they are equal modulo one prime do not share it modulo the next.
// There are always enough slots for the places of a sequence to be different.
inline uint64_t slots_for(uint64_t keys, double load_factor, uint32_t attempt) {
  constexpr uint64_t kLeast = 37;
  const double wanted = std::ceil(static_cast<double>(keys) / load_factor);
  uint64_t slots = next_prime(std::max(kLeast, static_cast<uint64_t>(wanted)));
  for (uint32_t i = 1; i < attempt; ++i) slots = next_prime(slots + 1);
  return slots;
}

class CoherentProbes {
 public:
  static constexpr uint32_t kMostAge = 31;
  using Start = uint64_t;

  CoherentProbes() = default;
  CoherentProbes(uint64_t slots, uint64_t seed) : modulus_(Modulus::of(slots)) {
    for (uint32_t i = 1; i < kMostAge; ++i) {
      const auto earlier = offsets_ + i;
      do {
        offsets_[i] = static_cast<uint32_t>(mix64(seed++) % slots);
      } while (std::find(offsets_ + 0, earlier, offsets_[i]) != earlier);
    }
  }

  VOX_HD Start start(uint64_t key) const { return modulus_(key); }
  VOX_HD uint64_t place(Start start, uint32_t age) const {
    const uint64_t place = start + offsets_[age - 1];
    return place >= modulus_.divisor ? place - modulus_.divisor : place;
  }

 private:
  Modulus modulus_ = {};
  uint32_t offsets_[kMostAge] = {};  // the first is 0
};

class RandomProbes {
 public:
  static constexpr uint32_t kMostAge = 31;
  struct Start {
    uint64_t first, step;
  };

  RandomProbes() = default;
  RandomProbes(uint64_t slots, uint64_t seed)
      : modulus_(Modulus::of(slots)), c0_(mix64(seed)), c1_(mix64(seed + 1) | 1), c2_(mix64(seed + 2)) {}

  VOX_HD Start start(uint64_t key) const {
    return {modulus_(c0_ + key * c1_), 1 + multiply_high(mix64(key ^ c2_), modulus_.divisor - 1)};
  }
  // There are fewer than 2^32 slots, so the sum has fewer than 64 bits at any age.
  VOX_HD uint64_t place(Start start, uint32_t age) const {
    return modulus_(start.first + (age - 1) * start.step);
  }

 private:
  Modulus modulus_ = {};
  uint64_t c0_ = 0, c1_ = 0, c2_ = 0;
};

template <class S>
concept ProbeSequence = std::constructible_from<S, uint64_t, uint64_t> &&
    requires(const S& sequence, typename S::Start start) {
  { S::kMostAge } -> std::convertible_to<uint32_t>;
  { sequence.start(uint64_t{}) } -> std::same_as<typename S::Start>;
  { sequence.place(start, uint32_t{}) } -> std::same_as<uint64_t>;
};
static_assert(ProbeSequence<CoherentProbes> && ProbeSequence<RandomProbes>);

// Returns the age of a key at a place, or 0 if the place is not in its sequence.
template <ProbeSequence Sequence>
VOX_HD uint32_t age_at(const Sequence& sequence, uint64_t key, uint64_t place) {
  const auto start = sequence.start(key);
  uint32_t age = Sequence::kMostAge;
  while (age > 0 && sequence.place(start, age) != place) --age;
  return age;
}

// The hash functions of both tables of Alcantara et al.: (c0 + c1 k) mod a prime.

// 2^32 - 5. Different keys of 32 bits have different remainders by it, except the greatest five.
constexpr uint32_t kAffineLargePrime = 4294967291;

// The constants must be less than the prime, and c1 must not be 0.
template <uint32_t kPrime>
struct AffineHash {
  uint32_t c0, c1;

  // Returns the function that two random words define.
  VOX_HD static AffineHash from(uint32_t a, uint32_t b) { return {a % kPrime, b % (kPrime - 1) + 1}; }
  VOX_HD static AffineHash from(uint64_t word) {
    return from(static_cast<uint32_t>(word), static_cast<uint32_t>(word >> 32));
  }

  // Returns a value less than the prime. The sum fits in 64 bits for every k.
  VOX_HD uint32_t operator()(uint32_t k) const {
    return static_cast<uint32_t>((c0 + uint64_t{c1} * k) % kPrime);
  }
};

}  // namespace vox::hash
