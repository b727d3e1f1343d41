// The readers of 3D Gaussian splats in small files: .splat and .spz. Colors are those that face the viewer on
// average; the files' higher spherical harmonics are skipped.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "formats/io/compression.h"
#include "formats/io/output_file.h"
#include "formats/io/read_file.h"
#include "formats/io/scan.h"
#include "formats/points/points.h"
#include "formats/points/splat_voxels.h"
#include "formats/voxels/voxel_file.h"
#include "libvox/base/error.h"

namespace vox {
namespace {

double byte_value(std::byte byte) {
  return static_cast<double>(std::to_integer<uint32_t>(byte));
}

// Adds a splat in the way that the user has asked for.
void put_splat(CloudPiece& to, const CloudPoint& point, const SplatShape& shape,
               const PointOptions& options) {
  if (options.splats == SplatUse::Density) return add_splat(to, point, shape);
  if (shape.opacity < options.splat_opacity) {
    ++to.left_out;
  } else {
    to.points.push_back(point);
  }
}

// Makes a cloud of `count` records; read(piece to fill, index) adds one.
template <class Read>
PointCloud cloud_of_splats(uint64_t count, const PointOptions& options, Read read) {
  const auto piece_of = [count, read = std::move(read)](size_t piece) {
    const uint64_t first = piece * kPieceRecords, end = std::min(first + kPieceRecords, count);
    CloudPiece part;
    read(part, first, end);
    return part;
  };
  return {.has_colors = true,
          .has_shapes = options.splats == SplatUse::Density,
          .pieces = static_cast<size_t>((count + kPieceRecords - 1) / kPieceRecords),
          .read = piece_of};
}

// A .splat file has a record of 32 bytes for each splat, without a header:
//
//   byte   0   f32 ×3   center           24   u8 ×4   red, green, blue, opacity
//         12   f32 ×3   deviations       28   u8 ×4   quaternion w, x, y, z: 128 + 128 times each
constexpr uint64_t kSplatBytes = 32;

void read_splat_record(const std::byte* at, CloudPiece& to, const PointOptions& options) {
  const auto three = [&](size_t from) {
    return Vec3d{value_at<float>(at + from), value_at<float>(at + from + 4), value_at<float>(at + from + 8)};
  };
  const auto turn = [&](size_t i) { return (byte_value(at[28 + i]) - 128) / 128; };
  const Vec3d sizes = three(12);
  const auto color = [&](size_t i) { return std::to_integer<uint8_t>(at[24 + i]); };
  put_splat(to, {three(0), rgb_value({color(0), color(1), color(2)})},
            {.axes = turned_axes(turn(1), turn(2), turn(3), turn(0)),
             .deviations = {std::abs(sizes.x), std::abs(sizes.y), std::abs(sizes.z)},
             .opacity = byte_value(at[27]) / 255},
            options);
}

// An .spz file up to version 3 is gzip data: a header, and then the values of all splats, one kind after the other. In
// version 4 the header is longer, and the kinds are frames of Zstandard, whose sizes stand in a table.
//
//   byte   0   u32   0x5053474e, "NGSP"      12   u8   degree of the spherical harmonics
//          4   u32   version                 13   u8   fractional bits of coordinates
//          8   u32   number of splats        14   u8   flags
//                                            15   u8   version 4: number of frames
//         16   u32   version 4: the table's first byte; it has u64 ×2 for each frame, compressed and not
//
//   center       i24 ×3         in 2^-bits; in version 1, f16 ×3
//   opacity      u8             in 255ths
//   color       u8 ×3          127.5 + 255 · 0.15 times the first harmonic's coefficient
//   deviations   u8 ×3          160 + 16 times the logarithm
//   quaternion   u8 ×3          up to version 2: x, y and z, 127.5 + 127.5 times each; w is not negative
//                u32            from version 3 on: bits 30 and 31 say which of x, y, z, w is greatest and left out;
//                               the others, the last one in the lowest bits, have 9 bits, in 511ths of √½, and
//                               a sign
//   harmonics    u8 ×3 for each coefficient
constexpr uint64_t kSpzHeader = 16, kFramedSpzHeader = 32;
constexpr uint32_t kSpzMagic = 0x5053474e;

// The offsets of each kind of values from the first one.
struct SpzLayout {
  uint64_t count = 0;
  double unit = 1;
  uint32_t version = 0;
  uint64_t opacities = 0, colors = 0, sizes = 0, turns = 0, rest = 0, end = 0;

  uint64_t place_bytes() const { return version == 1 ? 6 : 9; }
  uint64_t turn_bytes() const { return version < 3 ? 3 : 4; }
};

SpzLayout spz_layout(std::span<const std::byte> header) {
  if (header.size() < kSpzHeader || value_at<uint32_t>(header.data()) != kSpzMagic)
    throw Error("is not an .spz file: its gzip data does not start with 'NGSP'");
  const auto version = value_at<uint32_t>(header.data() + 4);
  if (version < 1 || version > 4)
    throw Error(fmt::format("is .spz of version {}, but only 1 to 4 are supported", version))
        .hint("write it as .ply, as with splat-transform");
  constexpr std::array<uint64_t, 5> kCoefficients = {0, 3, 8, 15, 24};
  const auto degree = std::to_integer<size_t>(header[12]), bits = std::to_integer<size_t>(header[13]);
  if (degree >= kCoefficients.size())
    throw Error(fmt::format("has spherical harmonics of degree {}, expected 0 to 4", degree));
  if (bits > 24) throw Error(fmt::format("its coordinates have {} fractional bits, expected 0 to 24", bits));
  SpzLayout layout;
  layout.count = value_at<uint32_t>(header.data() + 8);  // the sizes below fit easily
  layout.unit = 1.0 / static_cast<double>(uint64_t{1} << bits);
  layout.version = version;
  layout.opacities = layout.place_bytes() * layout.count;
  layout.colors = layout.opacities + layout.count;
  layout.sizes = layout.colors + 3 * layout.count;
  layout.turns = layout.sizes + 3 * layout.count;
  layout.rest = layout.turns + layout.turn_bytes() * layout.count;
  layout.end = layout.rest + 3 * kCoefficients[degree] * layout.count;
  return layout;
}

// Unpacks the values before the spherical harmonics, each kind from a frame of its own.
void unpack_frames(std::span<const std::byte> file, const SpzLayout& layout, std::span<std::byte> values) {
  const std::array<uint64_t, 6> begins = {
      0, layout.opacities, layout.colors, layout.sizes, layout.turns, layout.rest};
  const auto part = [&](uint64_t at, uint64_t bytes) {
    if (at > file.size() || bytes > file.size() - at)
      throw Error("ends before its values").hint("is it truncated?");
    return file.subspan(at, bytes);
  };
  const std::span<const std::byte> header = part(0, kFramedSpzHeader);
  const auto frames = std::to_integer<uint64_t>(header[15]);
  if (frames + 1 < begins.size())
    throw Error(fmt::format("has {} kinds of values, expected 5 or more", frames));
  const uint64_t table = value_at<uint32_t>(header.data() + kSpzHeader);
  uint64_t at = table + part(table, 16 * frames).size();
  for (size_t kind = 0; kind + 1 < begins.size(); ++kind) {
    const std::byte* const sizes = file.data() + table + 16 * kind;
    const auto packed = value_at<uint64_t>(sizes), bytes = value_at<uint64_t>(sizes + 8);
    if (bytes != begins[kind + 1] - begins[kind])
      throw Error(fmt::format("has {} bytes of a kind of values, expected {}", bytes,
                              begins[kind + 1] - begins[kind]));
    unpack_zstd(part(at, packed), values.subspan(begins[kind], bytes));
    at += packed;
  }
}

// Version 4 is no gzip data; its header begins in the same way.
std::vector<std::byte> spz_header(std::span<const std::byte> file) {
  const auto start = file.first(std::min<size_t>(file.size(), kSpzHeader));
  if (start.size() == kSpzHeader && value_at<uint32_t>(start.data()) == kSpzMagic)
    return {start.begin(), start.end()};
  return inflated_start(file, kSpzHeader);
}

class SpzSplats {
 public:
  explicit SpzSplats(const std::filesystem::path& path) : SpzSplats(MappedFile(path), path) {}

  uint64_t count() const { return layout_.count; }

  void read(CloudPiece& to, uint64_t i, const PointOptions& options) const {
    const std::byte* const color = at(layout_.colors + 3 * i);
    const std::byte* const size = at(layout_.sizes + 3 * i);
    const auto code = [&](size_t k) {
      const double value = 255 * (0.5 + kFirstHarmonic * (byte_value(color[k]) / 255 - 0.5) / 0.15);
      return static_cast<uint8_t>(value >= 255 ? 255 : value > 0 ? value + 0.5 : 0);
    };
    const auto deviation = [&](size_t k) { return portable_exp(byte_value(size[k]) / 16 - 10); };
    put_splat(to, {place(i), rgb_value({code(0), code(1), code(2)})},
              {.axes = layout_.turn_bytes() == 4 ? smallest_three(i) : first_three(i),
               .deviations = {deviation(0), deviation(1), deviation(2)},
               .opacity = byte_value(*at(layout_.opacities + i)) / 255},
              options);
  }

 private:
  SpzSplats(const MappedFile& file, const std::filesystem::path& path)
      : layout_(spz_layout(spz_header(file.bytes()))), has_frames_(layout_.version >= 4) {
    // A byte of a frame stands for at most 43691 others: a block of 128 KiB takes three bytes.
    if (has_frames_ && layout_.rest / 43691 > file.bytes().size())
      throw Error(fmt::format("its {} bytes cannot hold as many splats as it states", file.bytes().size()));
    if (has_frames_)
      unpack_frames(file.bytes(), layout_,
                    framed_.emplace(std::max<uint64_t>(layout_.rest, 1), path).bytes());
    else
      inflated_.emplace(file.bytes(), Deflated::Gzip, kSpzHeader + layout_.end, path);
  }

  const std::byte* at(uint64_t offset) const {
    return (has_frames_ ? framed_->bytes() : inflated_->bytes().subspan(kSpzHeader)).data() + offset;
  }

  Vec3d place(uint64_t i) const {
    const std::byte* const p = at(layout_.place_bytes() * i);
    if (layout_.version == 1) {
      const auto along = [&](size_t axis) { return double{float_of_half(value_at<uint16_t>(p + 2 * axis))}; };
      return {along(0), along(1), along(2)};
    }
    const auto along = [&](size_t axis) {
      const auto part = [&](size_t k) { return std::to_integer<uint32_t>(p[3 * axis + k]) << (8 + 8 * k); };
      return (static_cast<int32_t>(part(0) | part(1) | part(2)) >> 8) * layout_.unit;
    };
    return {along(0), along(1), along(2)};
  }

  std::array<Vec3d, 3> first_three(uint64_t i) const {
    const std::byte* const p = at(layout_.turns + 3 * i);
    const auto part = [&](size_t k) { return byte_value(p[k]) / 127.5 - 1; };
    const double x = part(0), y = part(1), z = part(2), rest = 1 - x * x - y * y - z * z;
    return turned_axes(x, y, z, rest > 0 ? std::sqrt(rest) : 0);
  }

  std::array<Vec3d, 3> smallest_three(uint64_t i) const {
    constexpr double kRootHalf = 0.7071067811865476;
    auto bits = value_at<uint32_t>(at(layout_.turns + 4 * i));
    const size_t greatest = bits >> 30;
    std::array<double, 4> parts = {};
    double rest = 1;
    for (size_t k = 4; k-- > 0;) {
      if (k == greatest) continue;
      const double size = kRootHalf * (bits & 511) / 511;
      parts[k] = (bits >> 9 & 1) != 0 ? -size : size;
      rest -= size * size;
      bits >>= 10;
    }
    parts[greatest] = rest > 0 ? std::sqrt(rest) : 0;
    return turned_axes(parts[0], parts[1], parts[2], parts[3]);
  }

  SpzLayout layout_;
  bool has_frames_;
  std::optional<InflatedBytes> inflated_;
  std::optional<NamelessFile> framed_;
};

}  // namespace

PointCloud open_splat(const std::filesystem::path& path, const PointOptions& options) {
  const auto file = std::make_shared<const ReadFile>(path);
  if (file->size() % kSplatBytes != 0)
    throw Error(fmt::format("has {} bytes, which are no whole number of splats of {} bytes", file->size(),
                            kSplatBytes))
        .hint("is it truncated?");
  return cloud_of_splats(file->size() / kSplatBytes, options,
                         [file, options](CloudPiece& to, uint64_t first, uint64_t end) {
                           std::vector<std::byte> records((end - first) * kSplatBytes);
                           file->read(first * kSplatBytes, records);
                           for (size_t at = 0; at < records.size(); at += kSplatBytes)
                             read_splat_record(records.data() + at, to, options);
                         });
}

PointCloud open_spz(const std::filesystem::path& path, const PointOptions& options) {
  const auto splats = std::make_shared<const SpzSplats>(path);
  return cloud_of_splats(splats->count(), options,
                         [splats, options](CloudPiece& to, uint64_t first, uint64_t end) {
                           for (uint64_t i = first; i < end; ++i) splats->read(to, i, options);
                         });
}

}  // namespace vox
