// One list of all types of files: those that vox reads or writes, and those of other programs that it only
// knows by name. The list decides which reader or writer a path is for, what --help and errors name, and
// which files may be replaced.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace vox {

// The role in which a file is used. One extension may have several roles: an .nrrd file is read as a volume
// and written as an export of a scene.
enum class FileRole {
  Mesh,
  Volume,
  Scene,      // an SVDAG, bricks, or both
  Voxels,     // voxels of another program, read as a scene
  Points,     // points, made voxels; a PLY file with faces is a mesh
  Export,     // voxels of a scene for another program
  Recording,  // edits that another program has recorded; all other scripts are text
  Palette,
  Picture,
  Film,
  Report,
  Rows,  // rows of a report, as text
  Page,
  Materials,  // materials of an OBJ mesh
  Foreign,    // known, but not read
};

enum class FileFormat {
  Obj,
  Gltf,
  Ply,
  Stl,
  Off,
  Collada,
  OtherMesh,  // Assimp reads it, and more formats that are not listed
  Mtl,
  Nrrd,
  MetaImage,
  Dat,
  Nifti,
  Raw,
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
  VtkHdf,
  Nvdb,
  Csv,
  Gpl,
  JascPal,
  Hex,
  Png,
  Mp4,
  Html,
  Foreign,
};

enum class FileUse { Read, Written, Both };

struct FileType {
  FileRole role;
  FileFormat format;
  FileUse use;
  std::string_view endings;  // extensions in small letters, with blanks between them
  std::string_view name;     // "glTF", "a DICOM image"
  // For foreign files, what to do; {} stands for the options that say size and type of raw values.
  std::string_view hint;
};

std::span<const FileType> file_types();

// The type of a path in this role, by its extension in small or capital letters; null where there is none.
const FileType* file_type(const std::filesystem::path& path, FileRole role);

// The extension of a path in small letters.
std::string lower_extension(const std::filesystem::path& path);

inline bool has_role(const std::filesystem::path& path, FileRole role) {
  return file_type(path, role) != nullptr;
}

enum class FileList { Commas, Or, And };  // what stands between the last two

// The types that are read or written in a role, for messages: the extensions, ".nrrd, .vox or .binvox", and
// the names, "OBJ, glTF, …".
std::string listed_extensions(FileRole role, FileUse use, FileList list);
std::string listed_names(FileRole role, FileUse use, FileList list);

}  // namespace vox
