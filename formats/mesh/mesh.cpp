#include "formats/mesh/mesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <assimp/Importer.hpp>
#include <cctype>
#include <fstream>
#include <map>
#include <string>

#include "formats/io/foreign_file.h"
#include "formats/mesh/plausible.h"
#include "libvox/base/error.h"
#include "libvox/voxelize/grid.h"

namespace vox {
namespace {

namespace fs = std::filesystem;

using Reader = Scene (*)(const fs::path&, const MeshOptions&);

constexpr const char* kFormats =
    "OBJ, glTF, GLB, PLY, STL, FBX, COLLADA (dae), 3DS, OFF and others that Assimp knows are read";

const std::map<std::string, Reader> kOwnReaders = {
    {".obj", read_obj}, {".gltf", read_gltf}, {".glb", read_gltf}, {".vrm", read_gltf},
    {".off", read_off}, {".ply", read_ply},   {".stl", read_stl}};

void check_file(const fs::path& path) {
  std::error_code failed;
  if (!fs::exists(path, failed)) throw Error(failed ? failed.message() : "no such file");
  if (fs::is_directory(path, failed)) throw Error("is a directory");
  if (!fs::is_regular_file(path, failed)) throw Error("is not a regular file");
  if (fs::file_size(path, failed) == 0) throw Error("the file is empty");
}

Reader reader_by_extension(const fs::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (auto own = kOwnReaders.find(extension); own != kOwnReaders.end()) return own->second;
  if (extension.size() > 1 && Assimp::Importer().IsExtensionSupported(extension)) return read_assimp;
  return nullptr;
}

// For files without a name that tells.
Reader reader_by_content(const fs::path& path) {
  std::string start(16, '\0');
  std::ifstream(path, std::ios::binary).read(start.data(), static_cast<std::streamsize>(start.size()));
  if (start.starts_with("\x89HDF")) throw Error("this is an HDF5 file, such as a scene file, not a mesh");
  if (start.starts_with("ply\n") || start.starts_with("ply\r")) return read_ply;
  if (start.starts_with("solid ")) return read_stl;
  if (start.starts_with("OFF") || start.starts_with("COFF") || start.starts_with("NOFF")) return read_off;
  if (start.starts_with("glTF")) return read_gltf;
  throw Error("not a mesh file that can be read").hint(kFormats);
}

}  // namespace

bool is_mesh_path(const fs::path& path) {
  return reader_by_extension(path) != nullptr;
}

Scene read_mesh(const fs::path& path, const MeshOptions& options) {
  Reader reader = nullptr;
  refuse_foreign(path);
  try {
    check_file(path);
    reader = reader_by_extension(path);
    if (!reader) reader = reader_by_content(path);
  } catch (Error& error) {
    throw error.at(path.string());
  }
  Scene scene = reader(path, options);
  warn_of_implausible(scene, path);
  turn_up(scene, options.up.value_or(UpAxis::Y));
  return scene;
}

}  // namespace vox
