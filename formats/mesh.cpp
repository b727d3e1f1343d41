#include "formats/mesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <assimp/Importer.hpp>
#include <cctype>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <string>

#include "formats/plausible.h"
#include "libvox/base/error.h"
#include "libvox/voxelize/grid.h"

namespace vox {
namespace {

namespace fs = std::filesystem;

using Reader = Scene (*)(const fs::path&, const MeshOptions&);

constexpr const char* kFormats =
    "OBJ, glTF, GLB, PLY, STL, FBX, COLLADA (dae), 3DS, OFF and others that Assimp knows are read";

const std::map<std::string, Reader> kOwnReaders = {
    {".obj", read_obj}, {".off", read_off}, {".ply", read_ply}, {".stl", read_stl}};

void check_file(const fs::path& path) {
  std::error_code failed;
  if (!fs::exists(path, failed)) throw Error(failed ? failed.message() : "no such file");
  if (fs::is_directory(path, failed)) throw Error("is a directory");
  if (!fs::is_regular_file(path, failed)) throw Error("is not a regular file");
  if (fs::file_size(path, failed) == 0) throw Error("the file is empty");
}

// Assimp says nothing that helps about a GLB that was cut off.
void check_glb(const fs::path& path) {
  std::array<unsigned char, 12> header = {};  // "glTF", version, length, little-endian
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(header.data()), header.size());
  if (!file || std::memcmp(header.data(), "glTF", 4) != 0) return;
  uint64_t length = 0;
  for (size_t i = 0; i < 4; ++i) length |= uint64_t{header[8 + i]} << (8 * i);
  uint64_t size = fs::file_size(path);
  if (length > size)
    throw Error(fmt::format("the header says {} bytes, but the file has {}", length, size))
        .hint("is the file truncated?");
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
  if (start.starts_with("glTF")) return read_assimp;
  throw Error("not a mesh file that can be read").hint(kFormats);
}

}  // namespace

Scene read_mesh(const fs::path& path, const MeshOptions& options) {
  Reader reader = nullptr;
  try {
    check_file(path);
    check_glb(path);
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
