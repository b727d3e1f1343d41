#include "formats/volume/nifti.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "formats/file_types.h"
#include "formats/io/inflate.h"
#include "formats/io/mapped_file.h"
#include "formats/volume/nifti_header.h"
#include "libvox/base/error.h"
#include "libvox/volume/pieces.h"

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
          const bool fits = std::abs(number) <= static_cast<double>(std::numeric_limits<float>::max());
          const float value = fits ? static_cast<float>(number) : std::numeric_limits<float>::infinity();
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
  const bool is_scaled = header.slope != 0 && (header.slope != 1 || header.intercept != 0);
  if (is_scaled && values.count == 1) volume = scaled(std::move(volume), header.slope, header.intercept);
  return placed(std::move(volume), header.placement);
}

}  // namespace vox
