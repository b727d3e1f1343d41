// Natural numbers below 2^256, with multiplication as done by hand.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace vox {

class Natural {
 public:
  Natural() = default;
  explicit Natural(uint64_t value)
      : digits_{static_cast<uint32_t>(value), static_cast<uint32_t>(value >> 32)} {}

  friend Natural operator+(const Natural& a, const Natural& b) {
    Natural sum;
    uint64_t carry = 0;
    for (size_t i = 0; i < kDigits; ++i) {
      carry += uint64_t{a.digits_[i]} + b.digits_[i];
      sum.digits_[i] = static_cast<uint32_t>(carry);
      carry >>= 32;
    }
    return sum;
  }

  friend Natural operator*(const Natural& a, uint64_t b) {
    return a.times(static_cast<uint32_t>(b)) + a.times(static_cast<uint32_t>(b >> 32)).shifted();
  }

  friend bool operator<=(const Natural& a, const Natural& b) {
    for (size_t i = kDigits; i-- > 0;)
      if (a.digits_[i] != b.digits_[i]) return a.digits_[i] < b.digits_[i];
    return true;
  }

 private:
  static constexpr size_t kDigits = 8;

  Natural times(uint32_t digit) const {
    Natural result;
    uint64_t carry = 0;
    for (size_t i = 0; i < kDigits; ++i) {
      carry += uint64_t{digits_[i]} * digit;
      result.digits_[i] = static_cast<uint32_t>(carry);
      carry >>= 32;
    }
    return result;
  }
  Natural shifted() const {
    Natural result;
    for (size_t i = 1; i < kDigits; ++i) result.digits_[i] = digits_[i - 1];
    return result;
  }

  std::array<uint32_t, kDigits> digits_{};  // 32 bits each, the lowest first
};

}  // namespace vox
