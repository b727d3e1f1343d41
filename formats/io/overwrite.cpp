#include "formats/io/overwrite.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string>
#include <string_view>

#include "formats/file_types.h"
#include "formats/images/pictures.h"
#include "formats/io/h5.h"
#include "formats/results/files.h"
#include "formats/voxels/dag_files/hash_dag.h"
#include "libvox/base/error.h"
#include "libvox/base/files.h"

namespace vox {
namespace {

namespace fs = std::filesystem;

// Reads up to `count` bytes from offset `at`.
std::string bytes_at(std::ifstream& file, uint64_t at, size_t count) {
  std::string bytes(count, '\0');
  file.clear();
  file.seekg(static_cast<std::streamoff>(at));
  file.read(bytes.data(), static_cast<std::streamsize>(count));
  bytes.resize(static_cast<size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  return bytes;
}

uint64_t number(std::string_view bytes, bool big_endian) {
  uint64_t value = 0;
  for (size_t i = 0; i < bytes.size(); ++i)
    value |= uint64_t{static_cast<uint8_t>(bytes[big_endian ? bytes.size() - 1 - i : i])} << (8 * i);
  return value;
}

constexpr int kMostChunks = 1 << 20;  // limit on the chunks of a file that are searched

bool has_format(const fs::path& path, const std::string& format) {
  const h5::Quiet quiet;
  try {
    return h5::read_text(h5::open_file(path), "format") == format;
  } catch (const Error&) {
    return false;  // not HDF5, or written by another program
  }
}

// True if a text chunk names vox as the software (formats/images/pictures.h).
bool is_our_png(std::ifstream& file) {
  constexpr std::string_view kOurs("Software\0vox", 12);
  if (bytes_at(file, 0, 8) != "\x89PNG\r\n\x1a\n") return false;
  uint64_t at = 8;
  for (int i = 0; i < kMostChunks; ++i) {
    const std::string head = bytes_at(file, at, 8 + kOurs.size());
    if (head.size() < 8 + kOurs.size()) return false;
    if (std::string_view(head).substr(4) == "tEXt" + std::string(kOurs)) return true;
    at += 12 + number(std::string_view(head).substr(0, 4), true);
  }
  return false;
}

// True if the description of an MP4 file, its box "moov", contains our comment
// (formats/images/pictures.cpp).
bool is_our_film(std::ifstream& file) {
  constexpr uint64_t kMostDescription = 16 << 20;
  uint64_t at = 0;
  for (int i = 0; i < kMostChunks; ++i) {
    const std::string head = bytes_at(file, at, 8);
    if (head.size() < 8) return false;
    const uint64_t size = number(std::string_view(head).substr(0, 4), true);
    if (head.substr(4) == "moov")
      return bytes_at(file, at, std::min(size, kMostDescription)).find(kFilmMark) != std::string::npos;
    if (size < 8) return false;  // a box of more than 4 GiB; our films have the description before it
    at += size;
  }
  return false;
}

// True if the root of the scene graph, which follows the models, has the name that we give it
// (formats/voxels/magica_vox/magica_vox.cpp).
bool is_our_magica_vox(std::ifstream& file) {
  constexpr std::string_view kOurs("\0\0\0\0\1\0\0\0\5\0\0\0_name\3\0\0\0vox", 24);
  if (bytes_at(file, 0, 4) != "VOX ") return false;
  uint64_t at = 20;
  for (int i = 0; i < kMostChunks; ++i) {
    const std::string head = bytes_at(file, at, 12 + kOurs.size());
    if (head.size() < 12 + kOurs.size()) return false;
    if (head.starts_with("nTRN")) return std::string_view(head).substr(12) == kOurs;
    at += 12 + number(std::string_view(head).substr(4, 4), false);
  }
  return false;
}

// True if the last array beside the tree is our description of the scene
// (formats/voxels/nanovdb/nvdb_writer.cpp).
bool is_our_nvdb(std::ifstream& file, std::string_view head) {
  if (head.size() < 192 || !head.starts_with("NanoVDB")) return false;
  const uint64_t grid = 192 + number(head.substr(152, 4), false);  // after two headers and the name
  const std::string arrays = bytes_at(file, grid + 640, 12);
  if (arrays.size() < 12) return false;
  const std::string_view place = std::string_view(arrays).substr(0, 8),
                         count = std::string_view(arrays).substr(8);
  const uint64_t last = grid + number(place, false) + (number(count, false) - 1) * 288;
  return bytes_at(file, last + 32, 10) == std::string_view("vox scene\0", 10);
}

bool is_ours(const fs::path& path, OutputKind kind) {
  std::ifstream file(path, std::ios::binary);
  const std::string head = bytes_at(file, 0, 4096);
  const auto has = [&](std::string_view text) { return head.find(text) != std::string::npos; };
  switch (kind) {
    case OutputKind::Scene:
      return has_format(path, "vox-scene");
    case OutputKind::Report:
      return has_format(path, "vox-report");
    case OutputKind::Rows:
      return is_csv_of_vox(head);
    case OutputKind::Page:
      return has("<meta name=\"generator\" content=\"vox\">");
    case OutputKind::Picture:
      return is_our_png(file);
    case OutputKind::Film:
      return is_our_film(file);
    case OutputKind::Palette:
      return head.starts_with("GIMP Palette\nName: vox\n") || is_our_png(file);
    case OutputKind::Nrrd:
      return head.starts_with("NRRD") && has("\n# written by vox\n");
    case OutputKind::MagicaVoxel:
      return is_our_magica_vox(file);
    case OutputKind::Binvox:
    case OutputKind::HashDag:
    case OutputKind::SymVox:
    case OutputKind::Vl32:
      return false;
    case OutputKind::Nvdb:
      return is_our_nvdb(file, head);
    case OutputKind::ObjMesh:
    case OutputKind::ObjMaterials:
      return head.starts_with('#') && head.substr(0, head.find('\n')).ends_with("made by vox");
    case OutputKind::GlbMesh:
      return head.starts_with("glTF") && has("\"generator\": \"vox\"");
    case OutputKind::PlyMesh:
      return head.starts_with("ply\n") && has("\ncomment made by vox\n");
    case OutputKind::VtkHdf:
      return has_format(path, "vox-vtkhdf");
  }
  return false;
}

std::string_view name_of(OutputKind kind) {
  switch (kind) {
    case OutputKind::Scene:
      return "scene file";
    case OutputKind::Report:
      return "report";
    case OutputKind::Rows:
      return "table";
    case OutputKind::Page:
      return "page";
    case OutputKind::Picture:
      return "picture";
    case OutputKind::Film:
      return "film";
    case OutputKind::Palette:
      return "palette";
    case OutputKind::Nrrd:
      return "NRRD file";
    case OutputKind::MagicaVoxel:
      return ".vox file";
    case OutputKind::Binvox:
      return ".binvox file";
    case OutputKind::HashDag:
      return "file of HashDAG";
    case OutputKind::SymVox:
      return "file of SymVox";
    case OutputKind::Vl32:
      return ".vl32 file";
    case OutputKind::Nvdb:
      return ".nvdb file";
    case OutputKind::ObjMesh:
      return "OBJ file";
    case OutputKind::ObjMaterials:
      return "MTL file";
    case OutputKind::GlbMesh:
      return "GLB file";
    case OutputKind::PlyMesh:
      return "PLY file";
    case OutputKind::VtkHdf:
      return "VTKHDF file";
  }
  return "";
}

bool says_who_wrote_it(const fs::path& target, OutputKind kind) {
  if (kind == OutputKind::Binvox || kind == OutputKind::HashDag || kind == OutputKind::SymVox ||
      kind == OutputKind::Vl32)
    return false;
  if (kind != OutputKind::Palette) return true;
  const FileType* type = file_type(target, FileRole::Palette);
  return type != nullptr && (type->format == FileFormat::Gpl || type->format == FileFormat::Png);
}

}  // namespace

OutputKind kind_of_output(const fs::path& path) {
  const FileType* type = file_type(path, FileRole::Export);
  if (type == nullptr) return OutputKind::Scene;
  switch (type->format) {
    case FileFormat::Nrrd:
      return OutputKind::Nrrd;
    case FileFormat::MagicaVoxel:
      return OutputKind::MagicaVoxel;
    case FileFormat::Obj:
      return OutputKind::ObjMesh;
    case FileFormat::Gltf:
      return OutputKind::GlbMesh;
    case FileFormat::Ply:
      return OutputKind::PlyMesh;
    case FileFormat::VtkHdf:
      return OutputKind::VtkHdf;
    case FileFormat::Nvdb:
      return OutputKind::Nvdb;
    case FileFormat::HashDag:
      return OutputKind::HashDag;
    case FileFormat::SymVox:
    case FileFormat::SymVoxMirrored:
      return OutputKind::SymVox;
    case FileFormat::Vl32:
      return OutputKind::Vl32;
    default:
      return OutputKind::Binvox;
  }
}

OutputKind kind_of_mesh(const fs::path& path) {
  if (has_role(path, FileRole::Materials)) return OutputKind::ObjMaterials;
  if (has_role(path, FileRole::Picture)) return OutputKind::Picture;
  const FileType* type = file_type(path, FileRole::Mesh);
  return type && type->format == FileFormat::Gltf ? OutputKind::GlbMesh : OutputKind::ObjMesh;
}

namespace {

void check_one_writable(const fs::path& target, OutputKind kind, Overwrite overwrite) {
  const AtomicFile file(target);
  std::error_code absent;
  const uintmax_t size = fs::file_size(target, absent);
  if (absent || size == 0 || overwrite == Overwrite::AllFiles || is_ours(target, kind)) return;
  throw Error(says_who_wrote_it(target, kind)
                  ? fmt::format("exists already, and is no {} that vox wrote", name_of(kind))
                  : fmt::format("exists already, and a {} file does not tell if vox wrote it",
                                lower_extension(target)))
      .at(target.string())
      .hint("it is kept unless overwriting it is allowed")
      .about("overwrite");
}

}  // namespace

void check_writable(const fs::path& target, OutputKind kind, Overwrite overwrite) {
  check_one_writable(target, kind, overwrite);
  if (kind == OutputKind::ObjMesh)
    check_one_writable(fs::path(target).replace_extension(".mtl"), OutputKind::ObjMaterials, overwrite);
  if (kind == OutputKind::HashDag) check_one_writable(hash_dag_colors_path(target), kind, overwrite);
}

}  // namespace vox
