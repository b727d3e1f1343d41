#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "formats/file_types.h"
#include "formats/volume/volume_formats.h"
#include "formats/voxels/export.h"
#include "libvox/base/error.h"
#include "libvox/dag/walk.h"
#include "libvox/volume/volume.h"

namespace vox {
namespace {

constexpr uint64_t kPieceBytes = 16 << 20;  // four layers of 2048 x 2048, so that each leaf is visited once

// Returns what stands before the values. Formats without comments leave the comment out.
std::string header_of(const std::filesystem::path& path, const volume::VolumeInfo& info,
                      std::string_view comment, Floats floats = Floats::F32) {
  const FileFormat format = file_format(path, FileRole::Export);
  if (format == FileFormat::Npy) return npy_header(info, floats);
  if (format == FileFormat::Raw) return "";
  return nrrd_header(info, comment);
}

volume::VolumeInfo region_info(const dag::VoxelScene& scene, const VoxelBox& region) {
  volume::VolumeInfo info;
  info.size = region.size();
  info.spacing = scene.voxel_size.sides();
  info.origin = world_corner(scene, region.min);
  return info;
}

}  // namespace

bool is_dense_grid(const std::filesystem::path& path) {
  return is_one_of(file_format(path, FileRole::Export), {FileFormat::Nrrd, FileFormat::Npy, FileFormat::Raw});
}

void check_dense_resolution(uint32_t resolution, const std::filesystem::path& path) {
  if (resolution <= kMaxDenseResolution) return;
  throw Error(fmt::format("a dense grid of {0} x {0} x {0} voxels would be too large, expected at most {1}",
                          resolution, kMaxDenseResolution))
      .at(path.string())
      .hint(coarser_hint(coarser_resolution(resolution, kMaxDenseResolution)) + "; pieces hold all of it")
      .about("resolution");
}

namespace {

std::vector<uint8_t> halves_of(const std::vector<uint8_t>& floats) {
  std::vector<uint8_t> halves(floats.size() / 2);
  for (size_t i = 0; i < halves.size(); i += 2) {
    float value = 0;
    std::memcpy(&value, &floats[2 * i], sizeof value);
    const uint16_t half = half_of(value);
    std::memcpy(&halves[i], &half, sizeof half);
  }
  return halves;
}

VoxelBox swapped(const VoxelBox& box) {
  return {{box.min.z, box.min.y, box.min.x}, {box.max.z, box.max.y, box.max.x}};
}

uint64_t raw_row_bytes(uint64_t voxels, uint32_t bits) {
  return (voxels * bits + 7) / 8;
}

// Returns the values of a box with z fastest, if they are given with x fastest.
std::vector<uint8_t> with_z_fastest(const std::vector<uint8_t>& values, const Int3& size) {
  std::vector<uint8_t> turned(values.size());
  const auto width = static_cast<size_t>(size.x), height = static_cast<size_t>(size.y),
             depth = static_cast<size_t>(size.z);
  for (size_t x = 0; x < width; ++x)
    for (size_t y = 0; y < height; ++y)
      for (size_t z = 0; z < depth; ++z)
        turned[(x * height + y) * depth + z] = values[(z * height + y) * width + x];
  return turned;
}

std::vector<uint8_t> with_bits(std::vector<uint8_t> values, size_t row, uint32_t bits) {
  if (bits == 8) return values;
  const size_t bytes = raw_row_bytes(row, bits);
  std::vector<uint8_t> result(values.size() / row * bytes);
  uint8_t* to = result.data();
  for (size_t from = 0; from < values.size(); from += row, to += bytes)
    for (size_t i = 0; i < row; ++i) {
      const uint8_t value = values[from + i];
      if (bits == 16)
        to[2 * i] = value;
      else if (value != 0)
        to[i / 8] = static_cast<uint8_t>(to[i / 8] | 1u << i % 8);
    }
  return result;
}

}  // namespace

void write_dense_grid(const dag::VoxelScene& scene, const std::filesystem::path& path,
                      const std::optional<VoxelBox>& clip, ranks::Ranks& ranks, const RawLayout& layout) {
  if (!clip) check_dense_resolution(scene.dag.resolution, path);
  const VoxelBox region = export_region(scene, clip, path);
  const bool z_fastest = layout.fastest == RawLayout::Fastest::Z;
  const VoxelBox in_order = z_fastest ? swapped(region) : region;  // x is the fastest axis of this box
  const auto row = static_cast<size_t>(in_order.size().x);
  ExportFile file(path, region.voxels() / row * raw_row_bytes(row, layout.bits), Writers::Several, ranks);
  file.write(header_of(
      path, region_info(scene, region),
      fmt::format("# 0 is empty, a filled voxel is {}\n", scene.dag.materials ? "its material + 1" : "1")));
  // A piece has whole rows.
  const volume::Pieces pieces(in_order, std::max<uint64_t>(kPieceBytes / std::max(layout.bits / 8, 1u), row));
  file.write_pieces(pieces.count(), [&](uint64_t piece) {
    const VoxelBox box = z_fastest ? swapped(pieces[piece]) : pieces[piece];
    std::vector<uint8_t> values(box.voxels());
    dag::write_dense(scene.dag, box, values.data());
    if (z_fastest) values = with_z_fastest(values, box.size());
    return with_bits(std::move(values), row, layout.bits);
  });
  file.commit();
}

void write_dense_grid(const volume::Volume& volume, const std::filesystem::path& path, Floats floats) {
  const bool halves = floats == Floats::F16;
  const uint32_t each = volume::value_bytes(volume.info.type);
  ExportFile file(path, volume.info.bytes() / (halves ? 2 : 1));
  file.write(header_of(path, volume.info, "", floats));
  const volume::Pieces pieces(volume.info.box(), kPieceBytes / each);
  file.write_pieces(pieces.count(), [&](uint64_t piece) {
    std::vector<uint8_t> bytes(pieces[piece].voxels() * each);
    volume.read(pieces[piece], reinterpret_cast<std::byte*>(bytes.data()));
    return halves ? halves_of(bytes) : bytes;
  });
  file.commit();
}

}  // namespace vox
