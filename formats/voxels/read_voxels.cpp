#include "formats/voxels/read_voxels.h"

#include <fmt/format.h>

#include "formats/file_types.h"
#include "formats/voxels/nvdb_reader.h"
#include "formats/voxels/vl32.h"
#include "libvox/base/error.h"

namespace vox {

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
  if (type->format == FileFormat::Nvdb) return scene_of_voxels(open_nvdb(path), options, path);
  return scene_of_voxels(open_vl32(path), options, path);
}

}  // namespace vox
