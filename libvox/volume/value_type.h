// The types of the values in the voxels of a volume.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "libvox/volume/value_bits.h"

namespace vox::volume {

inline constexpr std::array<std::string_view, 4> kValueTypeNames = {"u8", "u16", "i16", "f32"};

constexpr std::string_view value_type_name(ValueType type) {
  return kValueTypeNames[static_cast<size_t>(type)];
}

// Calls f.template operator()<T>() with the type T of the words for these values.
template <class F>
auto with_word_type(ValueType type, const F& f) {
  switch (value_bytes(type)) {
    case 1:
      return f.template operator()<uint8_t>();
    case 2:
      return f.template operator()<uint16_t>();
    default:
      return f.template operator()<uint32_t>();
  }
}

// Knows the names above; formats/volume/stored_type.h also knows those of other programs.
std::optional<ValueType> parse_value_type(std::string_view name);

}  // namespace vox::volume
