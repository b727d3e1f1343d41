// Voxels of other programs. Seeds are what vox writes of a small scene.
#include <optional>

#include "formats/voxels/dag_files/hash_dag.h"
#include "formats/voxels/dag_files/symvox.h"
#include "formats/voxels/magica_vox/magica_vox.h"
#include "formats/voxels/minecraft/schem.h"
#include "formats/voxels/openvdb/vdb.h"
#include "formats/voxels/voxel_file.h"
#include "formats/voxels/voxel_formats.h"
#include "libvox/dag/frozen_dag.h"
#include "tests/fuzz/sample.h"
#include "tests/fuzz/targets.h"

namespace vox::fuzz {
namespace {

// Files may state so many voxels that only their headers are read here: the work on sound ones takes what it takes.
constexpr size_t kMostCubes = 8;

template <class Write>
std::string written(const std::string& name, const Write& write) {
  write(folder() / name);
  return taken(name);
}

using Open = VoxelFile (*)(const std::filesystem::path&);

bool read_voxel_file(const std::filesystem::path& path, Open open) {
  return accepts([&] {
    const VoxelFile file = open(path);
    if (file.cubes.size() > kMostCubes) return;
    dag::verify(scene_of_voxels(file, {}, path).scene.dag);
    dag::verify(scene_of_voxels(file, {.materials = false}, path).scene.dag);
  });
}

Target voxels(const char* name, Open open, std::vector<std::string> seeds) {
  return {name, std::move(seeds), [open, file = std::string("voxels.") + name](std::string_view bytes) {
            return read_voxel_file(put(file, bytes), open);
          }};
}

void nbt_name(std::string& to, char type, std::string_view name) {
  to += type;
  to += '\0';
  to += static_cast<char>(name.size());
  to += name;
}

std::string schem(char version) {
  std::string file;
  if (version == 3) nbt_name(file, 10, "");
  nbt_name(file, 10, "Schematic");
  nbt_name(file, 3, "Version");
  file += std::string("\0\0\0", 3) + version;
  for (const char* side : {"Width", "Height", "Length"}) {
    nbt_name(file, 2, side);
    file += std::string("\0\2", 2);
  }
  nbt_name(file, 11, "Offset");
  file += std::string("\0\0\0\3\0\0\0\1\xff\xff\xff\xff\0\0\0\5", 16);
  if (version == 3) nbt_name(file, 10, "Blocks");
  nbt_name(file, 10, "Palette");
  nbt_name(file, 3, "minecraft:air");
  file += std::string(4, '\0');
  nbt_name(file, 3, "minecraft:oak_stairs[facing=east]");
  file += std::string("\0\0\0\1", 4) + '\0';
  nbt_name(file, 7, version == 3 ? "Data" : "BlockData");
  file += std::string("\0\0\0\x08\0\1\0\1\1\1\0\1", 12);
  if (version == 3) file += std::string(2, '\0');
  return file + '\0';
}

std::string nvdb(NvdbGrid grid) {
  return written("seed.nvdb",
                 [&](const auto& path) { write_nvdb(sample_scene(), path, std::nullopt, grid); });
}

std::string vdb(const dag::VoxelScene& scene) {
  return written("seed.vdb", [&](const auto& path) { write_vdb(scene, path, std::nullopt); });
}

std::string binvox(BinvoxValues values) {
  return written("seed.binvox",
                 [&](const auto& path) { write_binvox(sample_scene(), path, std::nullopt, values); });
}

// A HashDAG scene has two files. In the input, four bytes with the length of the nodes' file come first.
std::string hash_dag() {
  const std::string nodes = written("seed.basic_dag.dag.bin", [&](const auto& path) {
    write_hash_dag(sample_scene(), path, std::nullopt);
  });
  return bytes_of(static_cast<uint32_t>(nodes.size())) + nodes +
         taken("seed.basic_dag.uncompressed_colors.bin");
}

bool read_hash_dag_files(std::string_view bytes) {
  if (bytes.size() < 4) return false;
  uint32_t length = 0;
  std::copy_n(bytes.data(), 4, reinterpret_cast<char*>(&length));
  bytes.remove_prefix(4);
  length = std::min(length, static_cast<uint32_t>(bytes.size()));
  put("voxels.basic_dag.uncompressed_colors.bin", bytes.substr(length));
  const std::filesystem::path path = put("voxels.basic_dag.dag.bin", bytes.substr(0, length));
  return accepts([&] { dag::verify(read_hash_dag(path, {}).scene.dag); });
}

Target symvox(const char* name, SymVoxKind kind) {
  const std::string file = std::string("voxels.") + name;
  return {name,
          {written(file, [&](const auto& path) { write_symvox(sample_scene(), path, std::nullopt, kind); })},
          [kind, file](std::string_view bytes) {
            const std::filesystem::path path = put(file, bytes);
            return accepts([&] { dag::verify(read_symvox(path, kind, {}).scene.dag); });
          }};
}

}  // namespace

std::vector<Target> voxel_targets() {
  return {voxels("vox", open_magica_vox,
                 {written("seed.vox",
                          [](const auto& path) { write_magica_vox(sample_scene(), path, std::nullopt); })}),
          voxels("binvox", open_binvox, {binvox(BinvoxValues::Filled), binvox(BinvoxValues::Materials)}),
          voxels("vl32", open_vl32, {sample_vl32()}),
          voxels("nvdb", open_nvdb,
                 {nvdb(NvdbGrid::Index), nvdb(NvdbGrid::OnIndex), nvdb(NvdbGrid::U8), nvdb(NvdbGrid::Rgba)}),
          voxels("vdb", open_vdb, {vdb(sample_scene()), vdb(colored_sample())}),
          {"schem",
           {schem(2), schem(3)},
           [](std::string_view bytes) {
             return read_voxel_file(put("voxels.schem", gzipped(bytes)), open_schem);
           }},
          {"hash_dag", {hash_dag()}, read_hash_dag_files},
          symvox("svdag", SymVoxKind::Plain),
          symvox("ussvdag", SymVoxKind::Mirrored)};
}

}  // namespace vox::fuzz
