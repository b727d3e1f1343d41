// Sequences of places at which open addressing looks for a key, the first, the second, … : García et al. 2011,
// §3.1 and §4. A *place* is a slot; which one of its sequence it is for a key, from 1 on, is the key's *age*
// there. All places of a sequence are different.
//
//   coherent   place = key + offset[age]                  the same offsets for all keys: keys that follow each
//                                                         other look at places that follow each other
//   random     place = c0 + key · c1 + (age − 1) · step   the step is a hash of the key
//
// The paper gives the random sequence one step for all keys. That is linear probing of slots in another order,
// which no choice of constants helps: of 2^20 keys at a load factor of 0.99 some grow 290 old, which no field of
// 4 bits holds. With a step of its own for each key (double hashing) ages are about the paper's: at 0.8 to 5 or 6,
// where Figure 3 has 5, at 0.99 to 9. Coherent ones go to 10 and 14.
//
// Everything is modulo the number of slots, which is a prime, so that keys at any regular distance spread over
// all slots, and so that every step goes through all of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>

#include "libvox/base/bits.h"
#include "libvox/base/mix.h"
#include "libvox/base/prime.h"
#include "libvox/hash/keyed/modulus.h"

namespace vox::hash {

// How many slots hold so many keys, the first time that a table is attempted, the second time, …: primes that
// follow each other. So keys that share a place because they are equal modulo the one are not modulo the next.
// There are never so few that the places of a sequence could not be different.
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
  // There are fewer than 2^32 slots, so that the sum has fewer than 64 bits whatever the age.
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

// The age of a key at one of its places; 0 where it is none.
template <ProbeSequence Sequence>
VOX_HD uint32_t age_at(const Sequence& sequence, uint64_t key, uint64_t place) {
  const auto start = sequence.start(key);
  uint32_t age = Sequence::kMostAge;
  while (age > 0 && sequence.place(start, age) != place) --age;
  return age;
}

}  // namespace vox::hash
