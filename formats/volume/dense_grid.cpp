#include <fmt/format.h>

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
                      std::string_view comment) {
  const FileType* type = file_type(path, FileRole::Export);
  if (type != nullptr && type->format == FileFormat::Npy) return npy_header(info);
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
  const FileType* type = file_type(path, FileRole::Export);
  return type != nullptr && (type->format == FileFormat::Nrrd || type->format == FileFormat::Npy);
}

void check_dense_resolution(uint32_t resolution, const std::filesystem::path& path) {
  if (resolution <= kMaxDenseResolution) return;
  throw Error(fmt::format("a dense grid of {0} x {0} x {0} voxels would be too large, expected at most {1}",
                          resolution, kMaxDenseResolution))
      .at(path.string())
      .hint(coarser_hint(coarser_resolution(resolution, kMaxDenseResolution)))
      .about("resolution");
}

void write_dense_grid(const dag::VoxelScene& scene, const std::filesystem::path& path,
                      const std::optional<VoxelBox>& clip, ranks::Ranks& ranks) {
  if (!clip) check_dense_resolution(scene.dag.resolution, path);
  const VoxelBox region = export_region(scene, clip, path);
  ExportFile file(path, region.voxels(), Writers::Several, ranks);
  file.write(header_of(
      path, region_info(scene, region),
      fmt::format("# 0 is empty, a filled voxel is {}\n", scene.dag.materials ? "its material + 1" : "1")));
  const volume::Pieces pieces(region, kPieceBytes);
  file.write_pieces(pieces.count(), [&](uint64_t piece) {
    std::vector<uint8_t> bytes(pieces[piece].voxels());
    dag::write_dense(scene.dag, pieces[piece], bytes.data());
    return bytes;
  });
  file.commit();
}

void write_dense_grid(const volume::Volume& volume, const std::filesystem::path& path) {
  ExportFile file(path, volume.info.bytes());
  file.write(header_of(path, volume.info, ""));
  const uint32_t each = volume::value_bytes(volume.info.type);
  const volume::Pieces pieces(volume.info.box(), kPieceBytes / each);
  file.write_pieces(pieces.count(), [&](uint64_t piece) {
    std::vector<uint8_t> bytes(pieces[piece].voxels() * each);
    volume.read(pieces[piece], reinterpret_cast<std::byte*>(bytes.data()));
    return bytes;
  });
  file.commit();
}

}  // namespace vox
