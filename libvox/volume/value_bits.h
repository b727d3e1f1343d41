// Values of volumes as bits and as numbers. They are in a file of their own because code that is compiled at
// run time includes this file.
#pragma once

#include "libvox/base/bits.h"

namespace vox::volume {

enum class ValueType : uint32_t { U8, U16, I16, F32 };

VOX_HD constexpr uint32_t value_bytes(ValueType type) {
  return type == ValueType::U8 ? 1 : type == ValueType::F32 ? 4 : 2;
}

// Returns the number for these bits. The bits above the value must be 0. A float holds every number of these types.
VOX_HD inline float value_float(ValueType type, uint32_t bits) {
  switch (type) {
    case ValueType::I16:
      return static_cast<float>(static_cast<int16_t>(bits));
    case ValueType::F32:
      return float_of_bits(bits);
    default:
      return static_cast<float>(bits);
  }
}
VOX_HD inline double value_number(ValueType type, uint32_t bits) {
  return static_cast<double>(value_float(type, bits));
}

}  // namespace vox::volume
