#include "formats/volume/known_volume.h"

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/volume/pieces.h"

namespace vox {
namespace {

using volume::ValueType;

constexpr uint64_t kConvertedVoxels = 1 << 18;  // voxels that a thread converts at a time

// The types that hold all values of a volume exactly, and the largest error of f32.
struct Fit {
  bool u8 = true, u16 = true, i16 = true;
  uint64_t first_inexact = UINT64_MAX;  // an integer that is not exact in f32, or an f64 outside f32's range
  double most_off = 0;

  void add(const Fit& other) {
    u8 = u8 && other.u8, u16 = u16 && other.u16, i16 = i16 && other.i16;
    first_inexact = std::min(first_inexact, other.first_inexact);
    most_off = std::max(most_off, other.most_off);
  }
};

// A float holds an integer exactly if its bits span at most 24 positions, from the highest set bit to the
// lowest.
template <class T>
bool float_holds(T value) {
  auto size = static_cast<uint64_t>(value);
  if constexpr (std::is_signed_v<T>)
    if (value < 0) size = uint64_t{0} - size;
  return size == 0 || std::bit_width(size) - std::countr_zero(size) <= 24;
}

template <class T>
void look_at(Fit& fit, T value, uint64_t i) {
  if constexpr (std::is_floating_point_v<T>) {
    if (!std::isfinite(value)) return;  // it is kept here, and refused where values are used
    if (std::abs(value) > static_cast<T>(std::numeric_limits<float>::max())) {
      fit.first_inexact = std::min(fit.first_inexact, i);
    } else {
      fit.most_off = std::max(
          fit.most_off, static_cast<double>(std::abs(value - static_cast<T>(static_cast<float>(value)))));
    }
  } else {
    fit.u8 = fit.u8 && std::in_range<uint8_t>(value);
    fit.u16 = fit.u16 && std::in_range<uint16_t>(value);
    fit.i16 = fit.i16 && std::in_range<int16_t>(value);
    if (!float_holds(value)) fit.first_inexact = std::min(fit.first_inexact, i);
  }
}

template <class T>
Fit fit_of(const std::byte* values, uint64_t count) {
  return tbb::parallel_reduce(
      tbb::blocked_range<uint64_t>(0, count, 1 << 16), Fit(),
      [&](const tbb::blocked_range<uint64_t>& part, Fit fit) {
        for (uint64_t i = part.begin(); i < part.end(); ++i) look_at(fit, stored_value<T>(values, i), i);
        return fit;
      },
      [](Fit a, const Fit& b) {
        a.add(b);
        return a;
      });
}

[[noreturn]] void throw_inexact(const StoredVolume& stored, const std::string& voxel) {
  Error error(voxel + ", which is not exact in f32, the widest type of values in bricks");
  if (stored.info.type == StoredType::F64)
    error = Error(voxel + ", which is outside of the range of f32, the widest type of values in bricks");
  throw error.at(stored.info.source)
      .hint(stored.info.type == StoredType::F64
                ? "scale the values first"
                : "labels can become materials of a scene, whatever their numbers; scale other values first");
}

// Returns the type that holds all values.
ValueType fitting_type(const StoredVolume& stored) {
  Fit all;
  read_stored_pieces(stored, [&](const VoxelBox& box, const std::byte* values) {
    const Fit fit =
        with_stored_type(stored.info.type, [&]<class T>() { return fit_of<T>(values, box.voxels()); });
    all.add(fit);
    if (fit.first_inexact != UINT64_MAX)
      throw_inexact(stored, stored_voxel_text(stored, box, values, fit.first_inexact));
  });
  if (stored.info.type == StoredType::F64) {
    if (all.most_off > 0)
      log_warning("{}: values of f64 are rounded to f32, by {:.2g} at most", stored.info.source,
                  all.most_off);
    return ValueType::F32;
  }
  return all.u8 ? ValueType::U8 : all.u16 ? ValueType::U16 : all.i16 ? ValueType::I16 : ValueType::F32;
}

template <class From, class To>
void convert(const std::byte* from, std::byte* to, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) {
    const To value = static_cast<To>(stored_value<From>(from, i));
    std::memcpy(to + i * sizeof(To), &value, sizeof(To));
  }
}

template <class From>
void convert_to(ValueType type, const std::byte* from, std::byte* to, uint64_t count) {
  switch (type) {
    case ValueType::U8:
      return convert<From, uint8_t>(from, to, count);
    case ValueType::U16:
      return convert<From, uint16_t>(from, to, count);
    case ValueType::I16:
      return convert<From, int16_t>(from, to, count);
    case ValueType::F32:
      return convert<From, float>(from, to, count);
  }
}

// Returns the index of a voxel among those of a box, x fastest.
uint64_t place_in(const VoxelBox& box, Int3 voxel) {
  const Int3 at = voxel - box.min;
  return (static_cast<uint64_t>(at.z) * static_cast<uint64_t>(box.size().y) + static_cast<uint64_t>(at.y)) *
             static_cast<uint64_t>(box.size().x) +
         static_cast<uint64_t>(at.x);
}

}  // namespace

volume::Volume known_volume(StoredVolume stored) {
  volume::VolumeInfo info = {.size = stored.info.size,
                             .spacing = stored.info.spacing,
                             .origin = stored.info.origin,
                             .source = stored.info.source};
  if (const auto same = same_value_type(stored.info.type)) {
    info.type = *same;
    return {std::move(info), std::move(stored.read)};
  }
  info.type = stored.info.type == StoredType::I8 ? ValueType::I16 : fitting_type(stored);
  auto read = [read = std::move(stored.read), from = stored.info.type, type = info.type](const VoxelBox& box,
                                                                                         std::byte* to) {
    const volume::Pieces pieces(box, kConvertedVoxels);
    tbb::parallel_for(uint64_t{0}, pieces.count(), [&](uint64_t i) {
      const VoxelBox piece = pieces[i];
      std::vector<std::byte> values(piece.voxels() * stored_bytes(from));
      read(piece, values.data());
      with_stored_type(from, [&]<class From>() {
        convert_to<From>(type, values.data(), to + place_in(box, piece.min) * volume::value_bytes(type),
                         piece.voxels());
      });
    });
  };
  return {std::move(info), std::move(read)};
}

}  // namespace vox
