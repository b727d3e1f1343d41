// The list of all types of files: those that vox reads or writes, and those of other programs that it only
// knows by name. The list decides which reader or writer handles a path, what --help and error messages name,
// and which files may be replaced.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vox {

// The role in which a file is used. One extension may have several roles: an .nrrd file can be read as a
// volume, and written as an export of a scene.
enum class FileRole {
  Mesh,
  Volume,
  Scene,      // an SVDAG, bricks, or both
  Voxels,     // another program's voxels, read as a scene
  Points,     // points that become voxels; a PLY file with faces is a mesh
  Export,     // a scene's voxels, written for another program
  Recording,  // edits recorded by HashDAG; other scripts are text
  Palette,
  Picture,
  Film,
  Report,
  Rows,  // rows of a report, as text
  Page,
  Materials,     // materials of an OBJ mesh
  MaterialList,  // the meaning of the materials' numbers
  Foreign,       // recognized, but not read
};

enum class FileFormat {
  Obj,
  Gltf,
  Ply,
  Stl,
  Off,
  Collada,
  OtherMesh,  // read by Assimp, like more formats that are not listed
  Mtl,
  Nrrd,
  Npy,
  MetaImage,
  Dat,
  Nifti,
  Raw,
  Npz,
  GprMax,
  Hdf5,
  MagicaVoxel,
  Binvox,
  Schem,
  Vl32,
  HashDag,
  SymVox,
  SymVoxMirrored,
  Las,
  PointText,
  Splat,
  Spz,
  VtkHdf,
  Nvdb,
  Vdb,
  Csv,
  Gpl,
  JascPal,
  Hex,
  Png,
  Mp4,
  Html,
  Json,
  PlainText,
  Foreign,
  VoxelOctree,
};

enum class FileUse { Read, Written, Both };

struct FileType {
  FileRole role;
  FileFormat format;
  FileUse use;
  std::string_view endings;  // extensions in lower case, separated by blanks
  std::string_view name;     // e.g. "glTF", "a DICOM image"
  // For foreign files, advice to the user. {} stands for the options that give the size and type of raw
  // values.
  std::string_view hint;
};

std::span<const FileType> file_types();

// Returns the type of a path in this role by its extension, ignoring case, or null if there is none.
const FileType* file_type(const std::filesystem::path& path, FileRole role);

// Returns the format of a path in this role, or Foreign if it has none.
inline FileFormat file_format(const std::filesystem::path& path, FileRole role) {
  const FileType* type = file_type(path, role);
  return type != nullptr ? type->format : FileFormat::Foreign;
}

inline bool is_one_of(FileFormat format, std::initializer_list<FileFormat> formats) {
  return std::find(formats.begin(), formats.end(), format) != formats.end();
}

// Returns a path's extension in lower case.
std::string lower_extension(const std::filesystem::path& path);

inline bool has_role(const std::filesystem::path& path, FileRole role) {
  return file_type(path, role) != nullptr;
}

enum class FileList { Commas, Or, And };  // the separator before the last item

// Return the types that are read or written in a role, for messages: their extensions, ".nrrd, .vox or
// .binvox", or their names, "OBJ, glTF, …".
std::string listed_extensions(FileRole role, FileUse use, FileList list);
std::string listed_names(FileRole role, FileUse use, FileList list);

// Returns a hint that vox-convert reads the file, which is no scene file; "" for files that it does not read.
std::string conversion_hint(const std::filesystem::path& path);

// Returns the name of the scene file for an input if the user gives none: "house.h5" in the current folder.
std::filesystem::path scene_file_name(const std::filesystem::path& input);

// Returns the name of a scene's picture if the user gives none: "house-view.png" beside the scene file.
std::filesystem::path picture_file_name(const std::filesystem::path& scene);

// Returns the name of one of `count` files: "house-07.png", with as many digits as the last number has.
std::filesystem::path numbered_file_name(const std::filesystem::path& file, uint32_t number, uint32_t count);

// The optional parts of this build of the formats, for --version.

struct OptionalPart {
  std::string_view key;   // for JSON, e.g. "webp"
  std::string_view name;  // e.g. "WebP images"
  bool built = false;
};

// Returns the optional libraries (cmake/dependencies.cmake), and for each if this build has it.
std::vector<OptionalPart> optional_parts();

std::string hdf5_version();  // version of the loaded library, e.g. "1.10.8"

}  // namespace vox
