// A volume with the values of its file, which may be of any type. It is read box by box, like volume::Volume.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "libvox/base/geometry.h"
#include "libvox/base/vec.h"
#include "libvox/dag/voxel_scene.h"
#include "libvox/volume/volume.h"

namespace vox {

// The types that a volume's values may have in files. Kernels support some of them
// (libvox/volume/volume.h); known_volume() converts the others.
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

// Recognizes the names that file formats and people use, in upper or lower case: "u8", "uint8", "unsigned
// char", "MET_UCHAR".
std::optional<StoredType> parse_stored_type(std::string_view name);

// Throws Error that lists all types if there is none of this name.
StoredType checked_stored_type(std::string_view name);

struct StoredInfo {
  Int3 size = {0, 0, 0};  // voxels
  StoredType type = StoredType::U8;
  Vec3d spacing = {1, 1, 1};  // as in volume::VolumeInfo
  Vec3d origin = {0, 0, 0};
  dag::UpAxis up = dag::UpAxis::Y;  // z if the file describes anatomical axes
  std::string source;               // the file, for errors

  VoxelBox box() const { return {{0, 0, 0}, size}; }
  uint64_t bytes() const { return box().voxels() * stored_bytes(type); }
};

struct StoredVolume {
  StoredInfo info;
  // Works like volume::Volume::read.
  std::function<void(const VoxelBox&, std::byte*)> read;
  bool is_read_in_turn = false;  // true if it is faster to read one box after the other
};

// Calls f(box, values) for the pieces of a volume in order (libvox/volume/volume.h).
void read_stored_pieces(const StoredVolume& stored,
                        const std::function<void(const VoxelBox&, const std::byte*)>& f);

// Returns a text about the i-th voxel of a box: "voxel (1, 2, 3) of ct.nrrd is 0.5".
std::string stored_voxel_text(const StoredVolume& stored, const VoxelBox& box, const std::byte* values,
                              uint64_t i);

// Reads the whole volume and returns the range of its values. Throws Error that names the first voxel that is
// not finite.
volume::ValueRange stored_range(const StoredVolume& stored);

// Converts a volume of any type to one whose value type kernels support. i8 becomes i16. For u32, i32, u64 and i64
// the function reads all values and chooses the first of u8, u16,
// i16 and f32 that holds each of them exactly; it throws Error that names the first unfit value if there is
// no such type. f64 becomes f32. If values are rounded, a warning states the loss. A value outside f32's
// range is an error.
volume::Volume known_volume(StoredVolume stored);

}  // namespace vox
