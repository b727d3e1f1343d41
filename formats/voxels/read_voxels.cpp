#include "formats/voxels/read_voxels.h"

#include <fmt/format.h>

#include "formats/file_types.h"
#include "formats/voxels/binvox/binvox_read.h"
#include "formats/voxels/dag_files/hash_dag_reader.h"
#include "formats/voxels/dag_files/symvox_reader.h"
#include "formats/voxels/magica_vox/magica_vox_read.h"
#include "formats/voxels/minecraft/schem.h"
#include "formats/voxels/nanovdb/nvdb_reader.h"
#include "formats/voxels/vl32/vl32.h"
#include "libvox/base/error.h"

namespace vox {

namespace {

VoxelFile open_voxels(const std::filesystem::path& path, FileFormat format) {
  if (format == FileFormat::MagicaVoxel) return open_magica_vox(path);
  if (format == FileFormat::Binvox) return open_binvox(path);
  if (format == FileFormat::Schem) return open_schem(path);
  if (format == FileFormat::Nvdb) return open_nvdb(path);
  return open_vl32(path);
}

ScenePlusError read_format(const std::filesystem::path& path, FileFormat format,
                           const VoxelFileOptions& options) {
  if (format == FileFormat::HashDag) return read_hash_dag(path, options);
  if (format == FileFormat::SymVox) return read_symvox(path, SymVoxKind::Plain, options);
  if (format == FileFormat::SymVoxMirrored) return read_symvox(path, SymVoxKind::Mirrored, options);
  return scene_of_voxels(open_voxels(path, format), options, path);
}

}  // namespace

bool is_voxels_path(const std::filesystem::path& path) {
  return has_role(path, FileRole::Voxels);
}

ScenePlusError read_voxels(const std::filesystem::path& path, const VoxelFileOptions& options) {
  const FileType* type = file_type(path, FileRole::Voxels);
  if (type == nullptr)
    throw Error(fmt::format("its extension '{}' names no format of voxels, expected {}",
                            path.extension().string(),
                            listed_extensions(FileRole::Voxels, FileUse::Read, FileList::Or)))
        .at(path.string());
  try {
    return read_format(path, type->format, options);
  } catch (const Cancelled&) {
    throw;
  } catch (Error& error) {
    if (error.has_place()) throw;
    throw Error(error).at(path.string());
  }
}

}  // namespace vox
