#include "formats/volume/stored_volume.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "formats/file_types.h"
#include "formats/io/read_file.h"
#include "formats/io/scan.h"
#include "formats/scene/any_scene.h"
#include "formats/scene/scene_file.h"
#include "formats/volume/places.h"
#include "formats/volume/volume_formats.h"
#include "formats/voxels/openvdb/vdb.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/loops.h"
#include "libvox/base/progress.h"
#include "libvox/dag/colors.h"
#include "libvox/dag/derived.h"
#include "libvox/dag/walk.h"
#include "libvox/volume/volume.h"

namespace vox {
namespace {

struct NumberRange {
  volume::ValueRange range = {std::numeric_limits<double>::infinity(),
                              -std::numeric_limits<double>::infinity()};
  uint64_t first_not_finite = UINT64_MAX;

  void add(const NumberRange& other) {
    range = {std::min(range.low, other.range.low), std::max(range.high, other.range.high)};
    first_not_finite = std::min(first_not_finite, other.first_not_finite);
  }
};

template <class T>
NumberRange number_range(const std::byte* values, uint64_t count) {
  return sum_of_items<NumberRange>(count, 1 << 16, [&](NumberRange& sum, uint64_t i) {
    const auto number = static_cast<double>(stored_value<T>(values, i));
    if (!std::isfinite(number)) {
      sum.first_not_finite = std::min(sum.first_not_finite, i);
      return;
    }
    sum.range = {std::min(sum.range.low, number), std::max(sum.range.high, number)};
  });
}

}  // namespace

void read_stored_pieces(const StoredVolume& stored,
                        const std::function<void(const VoxelBox&, const std::byte*)>& f) {
  const volume::Pieces pieces(stored.info.box(), volume::kReadVoxels);
  std::vector<std::byte> values(pieces[0].voxels() * stored_bytes(stored.info.type));
  for (uint64_t piece = 0; piece < pieces.count(); ++piece) {
    throw_if_cancelled();
    stored.read(pieces[piece], values.data());
    f(pieces[piece], values.data());
  }
}

std::string stored_voxel_text(const StoredVolume& stored, const VoxelBox& box, const std::byte* values,
                              uint64_t i) {
  const Int3 at = volume::voxel_at(box, i);
  return with_stored_type(stored.info.type, [&]<class T>() {
    const T value = stored_value<T>(values, i);
    return fmt::format("voxel ({}, {}, {}) is {}", at.x, at.y, at.z, +value);
  });
}

volume::ValueRange stored_range(const StoredVolume& stored) {
  NumberRange all;
  read_stored_pieces(stored, [&](const VoxelBox& box, const std::byte* values) {
    const NumberRange part =
        with_stored_type(stored.info.type, [&]<class T>() { return number_range<T>(values, box.voxels()); });
    if (part.first_not_finite != UINT64_MAX)
      throw Error(stored_voxel_text(stored, box, values, part.first_not_finite) + ", expected finite values")
          .at(stored.info.source)
          .hint("replace such values first, or check the byte order and the offset of a raw file");
    all.add(part);
  });
  return all.range;
}

namespace {

struct Spellings {
  StoredType type;
  std::string_view names;  // each has a comma on both sides
};

// MetaIO defines MET_LONG as four bytes.
constexpr Spellings kSpellings[] = {
    {StoredType::U8, ",u8,uint8,uint8_t,uchar,unsigned char,met_uchar,"},
    {StoredType::I8, ",i8,int8,int8_t,signed char,met_char,"},
    {StoredType::U16, ",u16,uint16,uint16_t,ushort,unsigned short,unsigned short int,met_ushort,"},
    {StoredType::I16, ",i16,int16,int16_t,short,short int,signed short,signed short int,met_short,"},
    {StoredType::U32, ",u32,uint32,uint32_t,uint,unsigned int,met_uint,met_ulong,"},
    {StoredType::I32, ",i32,int32,int32_t,int,signed int,met_int,met_long,"},
    {StoredType::U64,
     ",u64,uint64,uint64_t,ulonglong,unsigned long long,unsigned long long int,met_ulong_long,"},
    {StoredType::I64,
     ",i64,int64,int64_t,longlong,long long,long long int,signed long long,signed long long int,"
     "met_long_long,"},
    {StoredType::F32, ",f32,float,float32,met_float,"},
    {StoredType::F64, ",f64,double,float64,met_double,"},
};

}  // namespace

std::optional<volume::ValueType> same_value_type(StoredType type) {
  return volume::parse_value_type(stored_type_name(type));
}

std::optional<StoredType> parse_stored_type(std::string_view name) {
  const std::string lower = lower_case(name);
  if (lower.find(',') != std::string::npos) return std::nullopt;
  const std::string between_commas = "," + lower + ",";
  for (const Spellings& spellings : kSpellings)
    if (spellings.names.find(between_commas) != std::string_view::npos) return spellings.type;
  return std::nullopt;
}

StoredType checked_stored_type(std::string_view name) {
  if (const auto type = parse_stored_type(name)) return *type;
  throw Error(fmt::format("its values are of type '{}', expected one of: {}", name,
                          fmt::join(kStoredTypeNames, ", ")));
}

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
  return size == 0 || static_cast<int>(std::bit_width(size)) - std::countr_zero(size) <= 24;
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
  return sum_of_items<Fit>(count, 1 << 16,
                           [&](Fit& fit, uint64_t i) { look_at(fit, stored_value<T>(values, i), i); });
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
  auto read = [read = std::move(stored.read), from = stored.info.type, type = info.type,
               in_turn = stored.is_read_in_turn](const VoxelBox& box, std::byte* to) {
    const volume::Pieces pieces(box, kConvertedVoxels);
    const auto convert_piece = [&](uint64_t i) {
      const VoxelBox piece = pieces[i];
      std::vector<std::byte> values(piece.voxels() * stored_bytes(from));
      read(piece, values.data());
      with_stored_type(from, [&]<class From>() {
        convert_to<From>(type, values.data(),
                         to + index_in(box.size(), piece.min - box.min) * volume::value_bytes(type),
                         piece.voxels());
      });
    };
    if (!in_turn) return parallel_for(uint64_t{0}, pieces.count(), convert_piece);
    for (uint64_t i = 0; i < pieces.count(); ++i) convert_piece(i);
  };
  return {std::move(info), std::move(read)};
}

namespace {

using Opener = StoredVolume (*)(const std::filesystem::path&, std::optional<uint32_t>);

void refuse_channel(std::optional<uint32_t> channel) {
  if (channel) throw UsageError("a channel is chosen, but voxels of such a file have one value each");
}

// Returns the function that opens files of this extension; null for raw values and for any other extension.
Opener opener_for(const std::filesystem::path& path) {
  const FileType* type = file_type(path, FileRole::Volume);
  if (type == nullptr) return nullptr;
  switch (type->format) {
    case FileFormat::Nrrd:
      return open_nrrd;
    case FileFormat::Npy:
      return open_npy;
    case FileFormat::MetaImage:
      return open_meta_image;
    case FileFormat::Nifti:
      return open_nifti;
    case FileFormat::Vdb:
      return open_vdb_volume;
    case FileFormat::Dat:
      return [](const std::filesystem::path& file, std::optional<uint32_t> channel) {
        refuse_channel(channel);
        return open_dat(file);
      };
    default:
      return nullptr;
  }
}

}  // namespace

StoredVolume open_stored_volume(const std::filesystem::path& path, const RawOptions& raw,
                                std::optional<uint32_t> channel) {
  try {
    std::error_code failed;
    if (!std::filesystem::exists(path, failed)) throw Error(failed ? failed.message() : "no such file");
    const Opener open = opener_for(path);
    if (open == nullptr) {
      if (!raw.any()) refuse_foreign(path);
      refuse_channel(channel);
      return open_raw(path, raw);
    }
    if (raw.any()) throw UsageError("size, type, byte order and offset are for raw files; this has a header");
    return open(path, channel);
  } catch (Error& error) {
    // Values may lie in a file of their own: the header that names it is named, too.
    if (error.has_place() && !std::string_view(error.what()).starts_with(path.string()))
      throw Error(error.what()).at(path.string()).about(error.setting());
    if (!error.has_place()) error.at(path.string());
    throw;
  }
}

volume::Volume open_volume(const std::filesystem::path& path, const RawOptions& raw,
                           std::optional<uint32_t> channel) {
  return known_volume(open_stored_volume(path, raw, channel));
}

AnyVolume::AnyVolume(const std::filesystem::path& path, InputKind kind, const RawOptions& raw,
                     uint64_t most_voxels) {
  std::string source = path.filename().string();
  if (kind != InputKind::Scene) {
    volume = open_volume(path, raw);
  } else if (const SceneFileParts parts = scene_file_parts(path); parts.bricks && !parts.dag) {
    bricks = read_bricks(path);
    volume = bricks::bricks_volume(bricks);
  } else {
    scene = dag::with_palette(read_scene(path));
    const uint32_t halvings = most_voxels == 0 ? 0 : dag::halvings_below(most_voxels, scene.dag.resolution);
    if (halvings > 0) {
      scene = dag::coarser(std::move(scene), halvings);
      source += fmt::format(" at a resolution of {}", scene.dag.resolution);
    }
    volume = dag::scene_volume(scene);
  }
  volume.info.source = source;
}

}  // namespace vox
