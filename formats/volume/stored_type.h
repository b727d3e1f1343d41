// The types that a volume's values may have in files. Kernels support some of them
// (libvox/volume/value_type.h); formats/volume/known_volume.h converts the others.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "libvox/volume/value_type.h"

namespace vox {

enum class StoredType : uint8_t { U8, I8, U16, I16, U32, I32, U64, I64, F32, F64 };

inline constexpr std::array<std::string_view, 10> kStoredTypeNames = {"u8",  "i8",  "u16", "i16", "u32",
                                                                      "i32", "u64", "i64", "f32", "f64"};

constexpr std::string_view stored_type_name(StoredType type) {
  return kStoredTypeNames[static_cast<size_t>(type)];
}

// Calls f.template operator()<T>() with the C++ type T of such values.
template <class F>
constexpr auto with_stored_type(StoredType type, const F& f) {
  switch (type) {
    case StoredType::U8:
      return f.template operator()<uint8_t>();
    case StoredType::I8:
      return f.template operator()<int8_t>();
    case StoredType::U16:
      return f.template operator()<uint16_t>();
    case StoredType::I16:
      return f.template operator()<int16_t>();
    case StoredType::U32:
      return f.template operator()<uint32_t>();
    case StoredType::I32:
      return f.template operator()<int32_t>();
    case StoredType::U64:
      return f.template operator()<uint64_t>();
    case StoredType::I64:
      return f.template operator()<int64_t>();
    case StoredType::F32:
      return f.template operator()<float>();
    default:
      return f.template operator()<double>();
  }
}

constexpr uint32_t stored_bytes(StoredType type) {
  return with_stored_type(type, []<class T>() { return static_cast<uint32_t>(sizeof(T)); });
}

// Returns the i-th value of an array that need not be aligned.
template <class T>
T stored_value(const std::byte* values, uint64_t i) {
  T value;
  std::memcpy(&value, values + i * sizeof(T), sizeof(T));
  return value;
}

// Returns the kernels' type of the same name, if there is one.
std::optional<volume::ValueType> same_value_type(StoredType type);

// Recognises the names that file formats and people use, in upper or lower case: "u8", "uint8", "unsigned
// char", "MET_UCHAR".
std::optional<StoredType> parse_stored_type(std::string_view name);

// Throws Error that lists all types if there is none of this name.
StoredType checked_stored_type(std::string_view name);

}  // namespace vox
