#include "formats/mesh/mesh_writer.h"

#include <fmt/format.h>

#include "formats/file_types.h"
#include "formats/mesh/glb_writer.h"
#include "formats/mesh/obj_writer.h"
#include "libvox/base/error.h"

namespace vox {
namespace {

namespace fs = std::filesystem;

FileFormat format_of(const fs::path& path) {
  if (!is_written_mesh_path(path))
    throw Error(fmt::format("is not the name of a mesh format that vox writes, expected {}",
                            listed_extensions(FileRole::Mesh, FileUse::Written, FileList::Or)))
        .at(path.string());
  return file_type(path, FileRole::Mesh)->format;
}

}  // namespace

bool is_written_mesh_path(const fs::path& path) {
  const FileType* type = file_type(path, FileRole::Mesh);
  return type && type->use == FileUse::Both;
}

void write_mesh(const scene::Scene& scene, const fs::path& path) {
  format_of(path) == FileFormat::Obj ? write_obj(scene, path) : write_glb(scene, path);
}

std::vector<fs::path> mesh_files(const scene::Scene& scene, const fs::path& path) {
  if (format_of(path) == FileFormat::Obj) return obj_files(scene, path);
  return {path};
}

}  // namespace vox
