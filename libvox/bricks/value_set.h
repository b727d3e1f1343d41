// The values that occur in a brick, as long as they are few.
#pragma once

#include "libvox/bricks/brick.h"

namespace vox::bricks {

// Returns the index at which `value` is, or would be, in ascending values.
template <class T>
VOX_HD uint32_t place_of(const T* values, uint32_t count, T value) {
  return first_not_less(count, value, [&](uint32_t i) { return values[i]; });
}

template <class T>
class ValueSet {
 public:
  VOX_HD bool add(T value) {
    if (count_ > 0 && value == last_) return true;
    last_ = value;
    const uint32_t place = place_of(values_, count_, value);
    if (place < count_ && values_[place] == value) return true;
    if (count_ == kMaxPalette) return false;
    for (uint32_t i = count_++; i > place; --i) values_[i] = values_[i - 1];
    values_[place] = value;
    return true;
  }
  VOX_HD uint32_t size() const { return count_; }
  VOX_HD void copy_to(T* out) const {
    for (uint32_t i = 0; i < count_; ++i) out[i] = values_[i];
  }

 private:
  T values_[kMaxPalette];
  uint32_t count_ = 0;
  T last_ = 0;
};

template <>
class ValueSet<uint8_t> {
 public:
  VOX_HD bool add(uint8_t value) {
    bits_[value >> 5] |= 1u << (value & 31);
    return true;
  }
  VOX_HD uint32_t size() const {
    int count = 0;
    for (const uint32_t word : bits_) count += popcount(word);
    return static_cast<uint32_t>(count);
  }
  VOX_HD void copy_to(uint8_t* out) const {
    for (uint32_t i = 0; i < 256; ++i)
      if ((bits_[i >> 5] >> (i & 31) & 1) != 0) *out++ = static_cast<uint8_t>(i);
  }

 private:
  uint32_t bits_[8] = {};
};

}  // namespace vox::bricks
