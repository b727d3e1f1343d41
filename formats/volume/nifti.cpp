#include "formats/volume/volume_formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/file_types.h"
#include "formats/io/compression.h"
#include "formats/io/read_file.h"
#include "libvox/base/error.h"
#include "libvox/volume/volume.h"

namespace vox {
namespace {

constexpr uint64_t kScaledVoxels = 1 << 18;  // voxels scaled at a time

bool is_gzip(std::span<const std::byte> bytes) {
  return bytes.size() > 2 && bytes[0] == std::byte{0x1f} && bytes[1] == std::byte{0x8b};
}

// Returns the file's first bytes, decompressed.
std::vector<std::byte> first_bytes(std::span<const std::byte> bytes) {
  if (is_gzip(bytes)) return inflated_start(bytes, kMostNiftiHeader);
  const auto start = bytes.first(std::min(bytes.size(), kMostNiftiHeader));
  return {start.begin(), start.end()};
}

// Returns the file of values that belongs to a header: NAME.img or NAME.img.gz.
std::filesystem::path image_beside(std::filesystem::path header) {
  if (lower_extension(header) == ".gz") header.replace_extension();
  std::filesystem::path image = header.replace_extension(".img");
  std::error_code failed;
  if (std::filesystem::exists(image, failed)) return image;
  std::filesystem::path packed = image;
  packed += ".gz";
  if (std::filesystem::exists(packed, failed)) return packed;
  throw Error("no such file, although the header's values should be in it").at(image.string());
}

Channels channels_of(const NiftiHeader& header, const NiftiValues& values) {
  int64_t planes = 1;
  for (size_t axis = 4; axis < header.sizes.size() && axis <= static_cast<size_t>(header.sizes[0]); ++axis) {
    const int64_t size = header.sizes[axis];
    if (size < 1 || size > volume::kMaxVolumeSide || planes * size > volume::kMaxVolumeSide)
      throw Error(fmt::format("its axis {} has the size {}", axis, size));
    planes *= size;
  }
  if (planes > 1 && values.count > 1)
    throw Error(
        fmt::format("it has {} volumes with {} values for each voxel, expected several of only one of them",
                    planes, values.count));
  if (planes > 1) return {planes, Channels::Order::Planar};
  return {values.count, Channels::Order::Interleaved};
}

StoredInfo stored_info(const NiftiHeader& header, const NiftiValues& values) {
  const int64_t axes = header.sizes[0];
  if (axes < 2 || axes > 7) throw Error(fmt::format("it has {} axes, expected 2 to 7", axes));
  StoredInfo info;
  info.size = volume::checked_volume_size(header.sizes[1], header.sizes[2], axes > 2 ? header.sizes[3] : 1);
  info.type = values.type;
  info.up = dag::UpAxis::Z;
  return info;
}

VolumeData nifti_data(const NiftiHeader& header, const std::filesystem::path& path,
                      const std::vector<std::byte>& start) {
  VolumeData data;
  data.files = {header.one_file ? path : image_beside(path)};
  data.order = header.order;
  if (is_gzip(MappedFile(data.files[0]).bytes())) {
    data.encoding = Encoding::Gzip;
    data.inflated_offset = header.offset;
    if (header.one_file) data.inflated_start = start;
  } else {
    data.offset = header.offset;
  }
  return data;
}

// Returns the volume with each value replaced by slope · value + intercept, as f32.
StoredVolume scaled(StoredVolume stored, double slope, double intercept) {
  StoredInfo info = stored.info;
  info.type = StoredType::F32;
  auto read = [read = std::move(stored.read), from = stored.info.type, slope, intercept](const VoxelBox& box,
                                                                                         std::byte* to) {
    const volume::Pieces pieces(box, kScaledVoxels);
    std::vector<std::byte> values;
    for (uint64_t piece = 0; piece < pieces.count(); ++piece) {
      const uint64_t count = pieces[piece].voxels();
      values.resize(count * stored_bytes(from));
      read(pieces[piece], values.data());
      with_stored_type(from, [&]<class T>() {
        for (uint64_t i = 0; i < count; ++i, to += sizeof(float)) {
          const double number = slope * static_cast<double>(stored_value<T>(values.data(), i)) + intercept;
          const bool fits = !(std::abs(number) > static_cast<double>(std::numeric_limits<float>::max()));
          const float beyond = (number > 0 ? 1.0f : -1.0f) * std::numeric_limits<float>::infinity();
          const float value = fits ? static_cast<float>(number) : beyond;
          std::memcpy(to, &value, sizeof(value));
        }
      });
    }
  };
  return {std::move(info), std::move(read)};
}

}  // namespace

StoredVolume open_nifti(const std::filesystem::path& path, std::optional<uint32_t> channel) {
  const MappedFile file(path);
  const std::vector<std::byte> start = first_bytes(file.bytes());
  const NiftiHeader header = read_nifti_header(start);
  const NiftiValues values = nifti_values(header.type);
  StoredInfo info = stored_info(header, values);
  info.source = path.string();
  StoredVolume volume =
      channel_from_file(info, nifti_data(header, path, start), channels_of(header, values), channel);
  // Some programs write a slope that is no number where values are not scaled.
  const bool has_slope = std::isfinite(header.slope) && header.slope != 0;
  if (has_slope && !std::isfinite(header.intercept)) throw Error("its scl_inter is no number");
  const bool is_scaled = has_slope && (header.slope != 1 || header.intercept != 0);
  if (is_scaled && values.count == 1) volume = scaled(std::move(volume), header.slope, header.intercept);
  return placed(std::move(volume), header.placement);
}

namespace {

// The positions and widths of a version's header fields, in bytes.
struct NiftiLayout {
  size_t size, magic;
  size_t dim, dim_bytes, type, pixdim, number_bytes;  // number_bytes: of pixdim and all below
  size_t offset, slope, qform, sform, code_bytes, quatern, srow;
};
constexpr NiftiLayout kNifti1 = {348, 344, 40, 2, 70, 76, 4, 108, 112, 252, 254, 2, 256, 280};
constexpr NiftiLayout kNifti2 = {540, 4, 16, 8, 12, 104, 8, 168, 176, 344, 348, 4, 352, 400};

class NiftiFields {
 public:
  NiftiFields(std::span<const std::byte> bytes, const NiftiLayout& layout, ByteOrder order)
      : bytes_(bytes), layout_(layout), order_(order) {}

  template <class T>
  T read(size_t at) const {
    std::array<std::byte, sizeof(T)> raw;
    std::memcpy(raw.data(), bytes_.data() + at, sizeof(T));
    if (order_ == ByteOrder::Big) std::ranges::reverse(raw);
    return std::bit_cast<T>(raw);
  }
  int64_t integer(size_t at, size_t width) const {
    return width == 2 ? read<int16_t>(at) : width == 4 ? read<int32_t>(at) : read<int64_t>(at);
  }
  double number(size_t at) const {
    const double value = any_number(at);
    if (!std::isfinite(value)) throw Error(fmt::format("its header has {} at byte {}", value, at));
    return value;
  }
  // Returns a number that need not be finite.
  double any_number(size_t at, size_t i = 0) const {
    at += i * layout_.number_bytes;
    return layout_.number_bytes == 4 ? static_cast<double>(read<float>(at)) : read<double>(at);
  }
  double number(size_t at, size_t i) const { return number(at + i * layout_.number_bytes); }

 private:
  std::span<const std::byte> bytes_;
  const NiftiLayout& layout_;
  ByteOrder order_;
};

int32_t first_word(std::span<const std::byte> bytes, ByteOrder order) {
  return NiftiFields(bytes, kNifti1, order).read<int32_t>(0);
}

// Returns the steps of a rotation by a quaternion whose real part follows from the other parts, as nifti1.h
// defines it. `qfac` is 1 or -1; -1 reverses the third axis.
std::array<Vec3d, 3> steps_of_quaternion(Vec3d q, const Vec3d& spacing, double qfac) {
  const double rest = 1 - (q.x * q.x + q.y * q.y + q.z * q.z);
  double a = 0;
  if (rest < 1e-7) {
    const double length = std::sqrt(q.x * q.x + q.y * q.y + q.z * q.z);
    q = q * (1 / length);
  } else {
    a = std::sqrt(rest);
  }
  const double b = q.x, c = q.y, d = q.z;
  return {
      Vec3d{a * a + b * b - c * c - d * d, 2 * (b * c + a * d), 2 * (b * d - a * c)} * spacing.x,
      Vec3d{2 * (b * c - a * d), a * a + c * c - b * b - d * d, 2 * (c * d + a * b)} * spacing.y,
      Vec3d{2 * (b * d + a * c), 2 * (c * d - a * b), a * a + d * d - c * c - b * b} * (spacing.z * qfac)};
}

GridPlacement placement_of(const NiftiFields& fields, const NiftiLayout& layout) {
  GridPlacement placement;
  if (fields.integer(layout.sform, layout.code_bytes) > 0) {
    Vec3d first = {};
    for (uint32_t row = 0; row < 3; ++row) {
      for (uint32_t axis = 0; axis < 3; ++axis)
        placement.steps[axis][row] = fields.number(layout.srow, row * 4 + axis);
      first[row] = fields.number(layout.srow, row * 4 + 3);
    }
    placement.first_center = first;
    return placement;
  }
  const auto step = [&](size_t axis) {
    const double spacing = std::abs(fields.number(layout.pixdim, axis));
    return spacing > 0 ? spacing : 1;
  };
  const Vec3d spacing = {step(1), step(2), step(3)};
  if (fields.integer(layout.qform, layout.code_bytes) > 0) {
    const auto q = [&](size_t i) { return fields.number(layout.quatern, i); };
    const double qfac = fields.number(layout.pixdim, 0) < 0 ? -1 : 1;
    placement.steps = steps_of_quaternion({q(0), q(1), q(2)}, spacing, qfac);
    placement.first_center = Vec3d{q(3), q(4), q(5)};
  } else {
    for (uint32_t axis = 0; axis < 3; ++axis) placement.steps[axis][axis] = spacing[axis];
  }
  return placement;
}

}  // namespace

NiftiHeader read_nifti_header(std::span<const std::byte> bytes) {
  const auto has_size = [&](size_t size, ByteOrder order) {
    return bytes.size() >= size && first_word(bytes, order) == static_cast<int32_t>(size);
  };
  NiftiHeader header;
  const NiftiLayout* layout = nullptr;
  for (const ByteOrder order : {ByteOrder::Little, ByteOrder::Big})
    for (const NiftiLayout* known : {&kNifti1, &kNifti2})
      if (has_size(known->size, order)) layout = known, header.order = order;
  if (layout == nullptr) throw Error("is no NIfTI file: it does not begin with a header of 348 or 540 bytes");
  std::array<char, 3> magic;
  std::memcpy(magic.data(), bytes.data() + layout->magic, magic.size());
  const std::string_view name(magic.data(), magic.size());
  const char version = layout == &kNifti1 ? '1' : '2';
  header.one_file = name[1] == '+';
  if (name[0] != 'n' || (name[1] != '+' && name[1] != 'i') || name[2] != version)
    throw Error("seems to be Analyze 7.5 and not NIfTI; Analyze does not state the directions of its axes")
        .hint("convert it to NIfTI, for example with 3D Slicer or ITK-SNAP");
  const NiftiFields fields(bytes, *layout, header.order);
  for (size_t i = 0; i < header.sizes.size(); ++i)
    header.sizes[i] = fields.integer(layout->dim + i * layout->dim_bytes, layout->dim_bytes);
  header.type = fields.integer(layout->type, 2);
  const double offset = layout == &kNifti1 ? fields.number(layout->offset)
                                           : static_cast<double>(fields.integer(layout->offset, 8));
  if (!(offset >= 0 && offset < 9e15)) throw Error(fmt::format("its values begin at byte {}", offset));
  header.offset = static_cast<uint64_t>(offset);
  header.slope = fields.any_number(layout->slope);
  header.intercept = fields.any_number(layout->slope, 1);
  header.placement = placement_of(fields, *layout);
  return header;
}

NiftiValues nifti_values(int64_t code) {
  using enum StoredType;
  struct OfCode {
    int64_t code;
    NiftiValues values;
  };
  static constexpr OfCode kTypes[] = {
      {2, {U8}},   {4, {I16}},   {8, {I32}},   {16, {F32}},   {64, {F64}},   {128, {U8, 3}},
      {256, {I8}}, {512, {U16}}, {768, {U32}}, {1024, {I64}}, {1280, {U64}}, {2304, {U8, 4}},
  };
  for (const OfCode& known : kTypes)
    if (known.code == code) return known.values;
  if (code == 32 || code == 1792 || code == 2048)
    throw Error("its values are complex numbers, which are not supported");
  if (code == 1536) throw Error("its values are floats of 128 bits, which are not supported");
  throw Error(fmt::format("its values are of the unknown type {}", code));
}

}  // namespace vox
