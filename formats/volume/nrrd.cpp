#include "formats/volume/nrrd.h"

#include <fmt/format.h>

#include <cmath>

#include "formats/voxels/export_file.h"
#include "libvox/base/error.h"
#include "libvox/dag/dense_values.h"
#include "libvox/volume/pieces.h"

namespace vox {
namespace {

constexpr uint64_t kPieceBytes = 16 << 20;  // four layers of 2048 x 2048, so that each leaf is visited once

std::string_view nrrd_type(volume::ValueType type) {
  switch (type) {
    case volume::ValueType::U8:
      return "uint8";
    case volume::ValueType::U16:
      return "uint16";
    case volume::ValueType::I16:
      return "int16";
    case volume::ValueType::F32:
      return "float";
  }
  return "";
}

std::string header(const volume::VolumeInfo& info, std::string_view comment) {
  const Vec3d &step = info.spacing, first = info.origin + step * 0.5;  // the centre of the first sample
  return fmt::format(
      "NRRD0005\n"
      "# written by vox\n"
      "{}"
      "type: {}\n"
      "dimension: 3\n"
      "space dimension: 3\n"
      "sizes: {} {} {}\n"
      "space directions: ({},0,0) (0,{},0) (0,0,{})\n"
      "centerings: cell cell cell\n"
      "kinds: domain domain domain\n"
      "endian: little\n"
      "encoding: raw\n"
      "space origin: ({},{},{})\n"
      "\n",
      comment, nrrd_type(info.type), info.size.x, info.size.y, info.size.z, step.x, step.y, step.z, first.x,
      first.y, first.z);
}

volume::VolumeInfo region_info(const dag::VoxelScene& scene, const VoxelBox& region) {
  const double step = scene.voxel_size;
  volume::VolumeInfo info;
  info.size = region.size();
  info.spacing = {step, step, step};
  info.origin = world_corner(scene, region.min);
  return info;
}

}  // namespace

void check_dense_resolution(uint32_t resolution, const std::filesystem::path& path) {
  if (resolution <= kMaxDenseResolution) return;
  throw Error(fmt::format("a dense grid of {0} x {0} x {0} voxels would be too large, expected at most {1}",
                          resolution, kMaxDenseResolution))
      .at(path.string())
      .hint(coarser_hint(coarser_resolution(resolution, kMaxDenseResolution)))
      .about("resolution");
}

void write_nrrd(const dag::VoxelScene& scene, const std::filesystem::path& path,
                const std::optional<VoxelBox>& clip) {
  if (!clip) check_dense_resolution(scene.dag.resolution, path);
  const VoxelBox region = export_region(scene, clip, path);
  ExportFile file(path, region.voxels());
  file.write(header(region_info(scene, region), fmt::format("# 0 is empty, a filled voxel is {}\n",
                                                            scene.dag.materials ? "its material + 1" : "1")));
  const volume::Pieces pieces(region, kPieceBytes);
  file.write_pieces(pieces.count(), [&](uint64_t piece) {
    std::vector<uint8_t> bytes(pieces[piece].voxels());
    dag::write_dense(scene.dag, pieces[piece], bytes.data());
    return bytes;
  });
  file.commit();
}

void write_nrrd(const volume::Volume& volume, const std::filesystem::path& path) {
  ExportFile file(path, volume.info.bytes());
  file.write(header(volume.info, ""));
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
