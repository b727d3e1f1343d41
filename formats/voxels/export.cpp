#include "formats/voxels/export.h"

#include <fmt/format.h>

#include "formats/file_types.h"
#include "formats/volume/nrrd.h"
#include "formats/voxels/hash_dag_writer.h"
#include "formats/voxels/magica_vox.h"
#include "formats/voxels/symvox_writer.h"
#include "formats/voxels/vl32_writer.h"
#include "libvox/base/error.h"

namespace vox {
bool is_export_path(const std::filesystem::path& path) {
  return has_role(path, FileRole::Export);
}

void export_scene(const dag::VoxelScene& scene, const std::filesystem::path& path,
                  const std::optional<VoxelBox>& clip, BinvoxValues binvox, NvdbGrid nvdb) {
  const FileType* type = file_type(path, FileRole::Export);
  if (type == nullptr)
    throw Error(fmt::format("its extension '{}' names no format, expected {}", path.extension().string(),
                            listed_extensions(FileRole::Export, FileUse::Written, FileList::Or)))
        .at(path.string());
  if (type->format == FileFormat::Nrrd) return write_nrrd(scene, path, clip);
  if (type->format == FileFormat::MagicaVoxel) return write_magica_vox(scene, path, clip);
  if (type->format == FileFormat::HashDag) return write_hash_dag(scene, path, clip);
  if (type->format == FileFormat::SymVox) return write_symvox(scene, path, clip, SymVoxKind::Plain);
  if (type->format == FileFormat::SymVoxMirrored)
    return write_symvox(scene, path, clip, SymVoxKind::Mirrored);
  if (type->format == FileFormat::Vl32) return write_vl32(scene, path, clip);
  if (type->format == FileFormat::Nvdb) return write_nvdb(scene, path, clip, nvdb);
  write_binvox(scene, path, clip, binvox);
}

}  // namespace vox
