// The keys of pixels and voxels, and the cells of the tables that hold them.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>

#include "libvox/base/bits.h"
#include "libvox/base/error.h"
#include "libvox/base/hd.h"
#include "libvox/base/morton.h"

namespace vox::hash {

// The keys of pixels and voxels: three orders in which the places of a grid become numbers (García et al.
// 2011, §4.2). The order decides which keys are neighbors, and thereby how much a table of voxel keys gains
// if stored or searched keys lie side by side.
enum class KeyLayout : uint8_t {
  RowMajor,    // x + width · (y + height · z): neighbors along x
  Morton,      // bits of the coordinates interleaved: neighbors along all axes
  BitReversed  // the same with the bits of each coordinate reversed: no neighbors at all
};
inline constexpr std::array kKeyLayouts = {KeyLayout::RowMajor, KeyLayout::Morton, KeyLayout::BitReversed};
inline constexpr std::array kKeyLayoutNames = {"row-major", "morton", "bit-reversed"};

// The keys of all places of a grid. A grid with a depth of 1 is a picture, whose keys have no bits for z.
class KeyGrid {
 public:
  static constexpr int32_t kMostSide = 1 << 30, kMostSideOfVolume = 1 << 21;

  KeyGrid(KeyLayout layout, const Int3& size) : layout_(layout), size_(size) {
    const int32_t side = std::max({size.x, size.y, size.z});
    if (std::min({size.x, size.y, size.z}) < 1 || side > (is_flat() ? kMostSide : kMostSideOfVolume))
      throw Error("a grid of voxel keys must have 1 to 2^30 pixels, or 1 to 2^21 voxels, a side");
    axis_bits_ = static_cast<uint32_t>(std::bit_width(static_cast<uint32_t>(side - 1)));
  }

  // Returns how many bits the greatest key may have.
  uint32_t key_bits() const {
    if (layout_ != KeyLayout::RowMajor) return axis_bits_ * (is_flat() ? 2 : 3);
    return static_cast<uint32_t>(std::bit_width(key({size_.x - 1, size_.y - 1, size_.z - 1})));
  }
  const Int3& size() const { return size_; }

  VOX_HD uint64_t key(const Int3& place) const {
    if (layout_ == KeyLayout::RowMajor)
      return (static_cast<uint64_t>(place.z) * static_cast<uint64_t>(size_.y) +
              static_cast<uint64_t>(place.y)) *
                 static_cast<uint64_t>(size_.x) +
             static_cast<uint64_t>(place.x);
    const uint32_t x = coordinate(place.x), y = coordinate(place.y);
    return is_flat() ? morton_encode({x, y}) : morton_encode(x, y, coordinate(place.z));
  }

  // Returns the place of a key that key() returned.
  VOX_HD Int3 place(uint64_t key) const {
    if (layout_ == KeyLayout::RowMajor) {
      const uint64_t row = key / static_cast<uint64_t>(size_.x);
      return {static_cast<int32_t>(key % static_cast<uint64_t>(size_.x)),
              static_cast<int32_t>(row % static_cast<uint64_t>(size_.y)),
              static_cast<int32_t>(row / static_cast<uint64_t>(size_.y))};
    }
    Int3 place = {};
    if (is_flat()) {
      const Vec2<uint32_t> pixel = morton_decode_in_plane(key);
      place = {static_cast<int32_t>(pixel.x), static_cast<int32_t>(pixel.y), 0};
    } else {
      place = morton_decode(key);
    }
    return {static_cast<int32_t>(coordinate(place.x)), static_cast<int32_t>(coordinate(place.y)),
            is_flat() ? 0 : static_cast<int32_t>(coordinate(place.z))};
  }

 private:
  VOX_HD bool is_flat() const { return size_.z == 1; }
  // Returns a coordinate as it is interleaved. Applying the function twice gives the original value.
  VOX_HD uint32_t coordinate(int32_t value) const {
    const auto bits = static_cast<uint32_t>(value);
    if (layout_ != KeyLayout::BitReversed || axis_bits_ == 0) return bits;
    return reversed_bits(bits) >> (32 - axis_bits_);
  }

  KeyLayout layout_;
  Int3 size_;
  uint32_t axis_bits_;  // bits of the longest side
};

// The cells of tables of voxel keys. A cell is a word of 32 or 64 bits, with a key in its high bits and a
// value in its low bits. An empty cell is all ones.
//
// The cell of a key whose bits are all ones could be taken for an empty cell. Tables never hold such a cell
// among the others: it is kept apart, in a single cell behind the last one (key_table.h).

template <class T>
concept CellWord = std::same_as<T, uint32_t> || std::same_as<T, uint64_t>;

template <CellWord Cell>
constexpr Cell kEmptyCell = static_cast<Cell>(~Cell{0});
constexpr uint32_t kNoSlot = UINT32_MAX;   // the slot of a key that is not stored
constexpr uint32_t kNoValue = UINT32_MAX;  // the value of a key that is not stored

template <CellWord Cell>
struct CellFormat {
  static constexpr uint32_t kBits = 8 * sizeof(Cell);
  static constexpr uint32_t kMostValueBits = kBits / 2;

  uint32_t value_bits = 0;

  uint32_t key_bits() const { return kBits - value_bits; }
  VOX_HD Cell key(Cell cell) const { return cell >> value_bits; }
  VOX_HD uint32_t value(Cell cell) const { return static_cast<uint32_t>(cell & most_value()); }
  VOX_HD Cell most_value() const { return static_cast<Cell>((Cell{1} << value_bits) - 1); }
  VOX_HD Cell cell(Cell key, uint32_t value) const { return key << value_bits | value; }
  // Returns true if two cells have the same key. It compares half a word at a time, as a GPU does, and needs
  // no shifts as key() does.
  VOX_HD bool same_key(Cell a, Cell b) const {
    const Cell different = a ^ b;
    const auto low = static_cast<uint32_t>(different) & static_cast<uint32_t>(~most_value());
    return (low | static_cast<uint32_t>(uint64_t{different} >> 32)) == 0;
  }
  // Returns the key whose cell is kept apart. It is also the greatest key.
  VOX_HD Cell apart_key() const { return kEmptyCell<Cell> >> value_bits; }
};

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
