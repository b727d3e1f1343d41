#include "formats/io/output_file.h"

#include <fmt/format.h>

#include <string_view>

#include "formats/file_types.h"
#include "formats/images/image.h"
#include "formats/io/read_file.h"
#include "formats/mesh/mesh.h"
#include "formats/pages/html_page.h"
#include "formats/pages/scene_page.h"
#include "formats/results/files.h"
#include "formats/scene/scene_file.h"
#include "formats/volume/volume_formats.h"
#include "formats/voxels/dag_files/dag_files.h"
#include "formats/voxels/magica_vox/magica_vox.h"
#include "formats/voxels/minecraft/schem.h"
#include "formats/voxels/openvdb/vdb.h"
#include "formats/voxels/surfaces/surface.h"
#include "formats/voxels/voxel_formats.h"
#include "libvox/base/error.h"
#include "libvox/base/files.h"

namespace vox {
namespace {

namespace fs = std::filesystem;

// Looks for a writer's mark in the content of a file.
template <bool (*is_of_vox)(std::string_view)>
bool holds_mark(const fs::path& path) {
  try {
    return is_of_vox(MappedFile(path).text());
  } catch (const Error&) {
    return false;  // the file cannot be read
  }
}

struct OutputType {
  OutputKind kind;
  FileRole role;
  FileFormat format;
  std::string_view name;  // for messages
  // The function of the writer that knows its files again. Null for formats that have no place for a mark.
  bool (*is_of_vox)(const fs::path&);
};

constexpr OutputType kOutputs[] = {
    {OutputKind::Scene, FileRole::Scene, FileFormat::Hdf5, "scene file", is_scene_of_vox},
    {OutputKind::Report, FileRole::Report, FileFormat::Hdf5, "report", is_report_of_vox},
    {OutputKind::Rows, FileRole::Rows, FileFormat::Csv, "table", holds_mark<is_csv_of_vox>},
    {OutputKind::Page, FileRole::Page, FileFormat::Html, "page", holds_mark<is_page_of_vox>},
    {OutputKind::Picture, FileRole::Picture, FileFormat::Png, "picture", holds_mark<is_png_of_vox>},
    {OutputKind::Film, FileRole::Film, FileFormat::Mp4, "film", holds_mark<is_film_of_vox>},
    {OutputKind::Palette, FileRole::Palette, FileFormat::Gpl, "palette", holds_mark<is_gpl_of_vox>},
    {OutputKind::Palette, FileRole::Palette, FileFormat::Png, "palette", holds_mark<is_png_of_vox>},
    {OutputKind::Palette, FileRole::Palette, FileFormat::JascPal, "palette", nullptr},
    {OutputKind::Palette, FileRole::Palette, FileFormat::Hex, "palette", nullptr},
    {OutputKind::Nrrd, FileRole::Export, FileFormat::Nrrd, "NRRD file", holds_mark<is_nrrd_of_vox>},
    {OutputKind::Npy, FileRole::Export, FileFormat::Npy, ".npy file", nullptr},
    {OutputKind::Raw, FileRole::Export, FileFormat::Raw, ".raw file", nullptr},
    {OutputKind::Npz, FileRole::Export, FileFormat::Npz, ".npz file", holds_mark<is_npz_of_vox>},
    {OutputKind::GprMax, FileRole::Export, FileFormat::GprMax, "geometry", is_gprmax_of_vox},
    {OutputKind::GprMaxMaterials, FileRole::Materials, FileFormat::PlainText, "list of materials",
     holds_mark<is_gprmax_text_of_vox>},
    {OutputKind::MagicaVoxel, FileRole::Export, FileFormat::MagicaVoxel, ".vox file",
     holds_mark<is_magica_vox_of_vox>},
    {OutputKind::Binvox, FileRole::Export, FileFormat::Binvox, ".binvox file", nullptr},
    {OutputKind::Schem, FileRole::Export, FileFormat::Schem, "schematic", is_schem_of_vox},
    {OutputKind::HashDag, FileRole::Export, FileFormat::HashDag, "file of HashDAG", nullptr},
    {OutputKind::SymVox, FileRole::Export, FileFormat::SymVox, "file of SymVox", nullptr},
    {OutputKind::SymVox, FileRole::Export, FileFormat::SymVoxMirrored, "file of SymVox", nullptr},
    {OutputKind::Vl32, FileRole::Export, FileFormat::Vl32, ".vl32 file", nullptr},
    {OutputKind::Nvdb, FileRole::Export, FileFormat::Nvdb, ".nvdb file", holds_mark<is_nvdb_of_vox>},
    {OutputKind::Vdb, FileRole::Export, FileFormat::Vdb, ".vdb file", is_vdb_of_vox},
    {OutputKind::ObjMesh, FileRole::Export, FileFormat::Obj, "OBJ file", holds_mark<is_obj_of_vox>},
    {OutputKind::ObjMaterials, FileRole::Materials, FileFormat::Mtl, "MTL file", holds_mark<is_obj_of_vox>},
    {OutputKind::GlbMesh, FileRole::Export, FileFormat::Gltf, "GLB file", holds_mark<is_glb_of_vox>},
    {OutputKind::PlyMesh, FileRole::Export, FileFormat::Ply, "PLY file", holds_mark<is_ply_of_vox>},
    {OutputKind::VtkHdf, FileRole::Export, FileFormat::VtkHdf, "VTKHDF file", is_vtkhdf_of_vox},
    {OutputKind::MaterialList, FileRole::MaterialList, FileFormat::Json, "list of materials",
     holds_mark<is_material_list_of_vox>},
    {OutputKind::VoxelOctree, FileRole::Export, FileFormat::VoxelOctree, ".voxel.json file",
     holds_mark<is_voxel_octree_of_vox>},
    {OutputKind::Slices, FileRole::Export, FileFormat::Png, "folder of layers", nullptr},
    {OutputKind::Chunks, FileRole::Export, FileFormat::Json, "folder of chunks", nullptr},
    {OutputKind::Tiles, FileRole::Export, FileFormat::Json, "folder of tiles", nullptr},
};

// Several formats may be of one kind; then the target's extension decides.
const OutputType& output_type(OutputKind kind, const fs::path& target) {
  const OutputType* first = nullptr;
  for (const OutputType& output : kOutputs) {
    if (output.kind != kind) continue;
    if (file_format(target, output.role) == output.format) return output;
    if (first == nullptr) first = &output;
  }
  return *first;
}

}  // namespace

OutputKind kind_of_output(const fs::path& path) {
  const FileFormat format = file_format(path, FileRole::Export);
  if (format == FileFormat::Json && is_tileset_path(path)) return OutputKind::Tiles;
  for (const OutputType& output : kOutputs)
    if (output.role == FileRole::Export && output.format == format) return output.kind;
  return OutputKind::Scene;
}

OutputKind kind_of_mesh(const fs::path& path) {
  if (has_role(path, FileRole::Materials)) return OutputKind::ObjMaterials;
  if (has_role(path, FileRole::Picture)) return OutputKind::Picture;
  return file_format(path, FileRole::Mesh) == FileFormat::Gltf ? OutputKind::GlbMesh : OutputKind::ObjMesh;
}

namespace {

// Files that are written together with others have one writer, and a second run hears of that before its work.
Writers writers_of(OutputKind kind) {
  const bool is_of_group = kind == OutputKind::Picture || kind == OutputKind::ObjMesh ||
                           kind == OutputKind::ObjMaterials || kind == OutputKind::HashDag ||
                           kind == OutputKind::GprMax || kind == OutputKind::GprMaxMaterials ||
                           kind == OutputKind::VoxelOctree;
  return is_of_group ? Writers::One : Writers::Several;
}

void check_one_writable(const fs::path& target, OutputKind kind, Overwrite overwrite) {
  const AtomicFile file(target, writers_of(kind));
  std::error_code absent;
  const uintmax_t size = fs::file_size(target, absent);
  if (absent || size == 0 || overwrite == Overwrite::AllFiles) return;
  const OutputType& output = output_type(kind, target);
  if (output.is_of_vox != nullptr && output.is_of_vox(target)) return;
  throw Error(output.is_of_vox != nullptr
                  ? fmt::format("exists already, and is no {} that vox wrote", output.name)
                  : fmt::format("exists already, and a {} file does not tell if vox wrote it",
                                lower_extension(target)))
      .at(target.string())
      .hint("it is kept: name another file, or allow this one to be replaced")
      .about("overwrite");
}

}  // namespace

void check_writable(const fs::path& target, OutputKind kind, Overwrite overwrite) {
  if (kind == OutputKind::Slices) {
    const OutputFolder folder(SliceNames(target).folder(), is_slice_of_vox, overwrite);
    return;
  }
  if (kind == OutputKind::Tiles) return check_tiles_folder(target, overwrite);
  if (kind == OutputKind::Chunks) return check_stream_folder(folder_of_chunks(target), overwrite);
  check_one_writable(target, kind, overwrite);
  if (kind == OutputKind::ObjMesh)
    check_one_writable(fs::path(target).replace_extension(".mtl"), OutputKind::ObjMaterials, overwrite);
  if (kind == OutputKind::GprMax)
    check_one_writable(gprmax_materials_path(target), OutputKind::GprMaxMaterials, overwrite);
  if (kind == OutputKind::HashDag) check_one_writable(hash_dag_colors_path(target), kind, overwrite);
  if (kind == OutputKind::VoxelOctree && !fs::exists(target))  // the header tells whose the other file is
    check_one_writable(voxel_octree_bin_path(target), kind, overwrite);
}

}  // namespace vox
