#include "formats/voxels/export.h"

#include <fmt/format.h>

#include "formats/file_types.h"
#include "formats/volume/nrrd.h"
#include "formats/voxels/dag_files/hash_dag_writer.h"
#include "formats/voxels/dag_files/symvox_writer.h"
#include "formats/voxels/magica_vox/magica_vox.h"
#include "formats/voxels/surfaces/surface_files.h"
#include "formats/voxels/surfaces/voxel_points.h"
#include "formats/voxels/vl32/vl32_writer.h"
#include "libvox/base/error.h"

namespace vox {
namespace {

FileFormat export_format(const std::filesystem::path& path) {
  const FileType* type = file_type(path, FileRole::Export);
  return type != nullptr ? type->format : FileFormat::Foreign;
}

}  // namespace

bool is_export_path(const std::filesystem::path& path) {
  return has_role(path, FileRole::Export);
}

void check_export_resolution(uint32_t resolution, const std::filesystem::path& path,
                             const ExportOptions& options) {
  const FileFormat format = export_format(path);
  if (format == FileFormat::Nrrd || (format == FileFormat::VtkHdf && options.vtk == VtkKind::Image))
    check_dense_resolution(resolution, path);
}

void export_scene(const dag::VoxelScene& scene, const std::filesystem::path& path,
                  const std::optional<VoxelBox>& clip, const ExportOptions& options) {
  if (!clip) check_export_resolution(scene.dag.resolution, path, options);
  switch (export_format(path)) {
    case FileFormat::Nrrd:
      return write_nrrd(scene, path, clip);
    case FileFormat::MagicaVoxel:
      return write_magica_vox(scene, path, clip);
    case FileFormat::Binvox:
      return write_binvox(scene, path, clip, options.binvox);
    case FileFormat::Obj:
      return write_surface_obj(scene, path, clip);
    case FileFormat::Gltf:
      return write_surface_glb(scene, path, clip);
    case FileFormat::Ply:
      return options.ply == PlyContent::Points ? write_voxel_points(scene, path, clip)
                                               : write_surface_ply(scene, path, clip);
    case FileFormat::VtkHdf:
      return write_vtkhdf(scene, path, clip, options.vtk);
    case FileFormat::HashDag:
      return write_hash_dag(scene, path, clip, options.memory_limit);
    case FileFormat::SymVox:
      return write_symvox(scene, path, clip, SymVoxKind::Plain, options.memory_limit);
    case FileFormat::SymVoxMirrored:
      return write_symvox(scene, path, clip, SymVoxKind::Mirrored, options.memory_limit);
    case FileFormat::Nvdb:
      return write_nvdb(scene, path, clip, options.nvdb);
    case FileFormat::Vl32:
      return write_vl32(scene, path, clip);
    default:
      throw Error(fmt::format("its extension '{}' names no format, expected {}", path.extension().string(),
                              listed_extensions(FileRole::Export, FileUse::Written, FileList::Or)))
          .at(path.string());
  }
}

}  // namespace vox
