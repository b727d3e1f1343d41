// Volumes by their headers, and voxels of other programs.
#include <cstring>
#include <optional>

#include "formats/scene/any_scene.h"
#include "formats/voxels/dag_files/dag_files.h"
#include "formats/voxels/magica_vox/magica_vox.h"
#include "formats/voxels/minecraft/schem.h"
#include "formats/voxels/openvdb/vdb.h"
#include "formats/voxels/voxel_file.h"
#include "formats/voxels/voxel_formats.h"
#include "libvox/dag/frozen_dag.h"
#include "tests/formats/voxels/openvdb/vdb_maker.h"
#include "tests/fuzz/targets.h"

namespace vox::fuzz {
namespace {

using testing_vdb::VdbMaker;

constexpr uint64_t kMostVolume = 1 << 20;  // larger volumes are opened, but not read

std::string values() {
  std::string bytes;
  for (int i = 0; i < 64; ++i) bytes += static_cast<char>(i * 7);
  return bytes;
}

std::string npy(const std::string& dictionary, size_t bytes) {
  std::string header = dictionary;
  header.resize(117, ' ');
  return "\x93NUMPY\x01" + std::string(1, '\0') + bytes_of(uint16_t{118}) + header + '\n' +
         std::string(bytes, '\7');
}

std::string nifti(bool one_file) {
  std::string file(352, '\0');
  const auto at = [&](size_t place, const std::string& bytes) { file.replace(place, bytes.size(), bytes); };
  at(0, bytes_of(int32_t{348}));
  at(40, bytes_of(int16_t{3}, int16_t{4}, int16_t{4}, int16_t{4}, int16_t{1}, int16_t{1}, int16_t{1},
                  int16_t{1}));
  at(70, bytes_of(int16_t{2}, int16_t{8}));
  for (size_t i = 0; i < 8; ++i) at(76 + 4 * i, bytes_of(1.0f));
  at(108, bytes_of(one_file ? 352.0f : 0.0f));
  at(344, one_file ? "n+1" : "ni1");
  return one_file ? file + values() : file.substr(0, 348);
}

std::string nifti_2() {
  std::string file(544, '\0');
  const auto at = [&](size_t place, const std::string& bytes) { file.replace(place, bytes.size(), bytes); };
  at(0, bytes_of(int32_t{540}) + std::string("n+2\0\r\n\x1a\n", 8));
  at(12, bytes_of(int16_t{2}, int16_t{8}, int64_t{3}, int64_t{4}, int64_t{4}, int64_t{4}, int64_t{1},
                  int64_t{1}, int64_t{1}, int64_t{1}));
  for (size_t i = 0; i < 8; ++i) at(104 + 8 * i, bytes_of(1.0));
  at(168, bytes_of(int64_t{544}));
  return file + values();
}

void read_values(const std::filesystem::path& file, std::optional<uint32_t> channel) {
  const StoredVolume stored = open_stored_volume(file, {}, channel);
  if (stored.info.bytes() > kMostVolume) return;
  std::vector<std::byte> bytes(stored.info.bytes());
  stored.read(stored.info.box(), bytes.data());
  const volume::Volume known = known_volume(stored);
  require(known.info.size == stored.info.size, "the size of a volume");
}

bool read_volume(const std::string& name, std::string_view bytes) {
  const std::filesystem::path file = put(name, bytes);
  const bool read = accepts([&] { read_values(file, {}); });
  return accepts([&] { read_values(file, 1); }) || read;
}

// Readers see what was changed behind the header of a file whose values are compressed only if they are compressed again.
std::string compressed_behind(std::string_view bytes, std::string_view header_end, std::string_view says_so) {
  const size_t end = bytes.find(header_end);
  if (end == bytes.npos || bytes.substr(0, end).find(says_so) == bytes.npos) return std::string(bytes);
  const size_t begin = end + header_end.size();
  return std::string(bytes.substr(0, begin)) + gzipped(bytes.substr(begin));
}

Target volume(const char* name, const std::string& ending, std::vector<std::string> seeds) {
  return {name, std::move(seeds), [file = "volume." + ending](std::string_view bytes) {
            for (const char* other : {"v.raw", "v0.raw"})
              put(other, values());  // for headers that name another file
            return read_volume(file, bytes);
          }};
}

}  // namespace

std::vector<Target> volume_targets() {
  const std::string nrrd = "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 4 4 4\n";
  const std::string mha = "ObjectType = Image\nNDims = 3\nDimSize = 4 4 4\nElementType = MET_UCHAR\n";
  return {
      {"nrrd",
       {nrrd +
            "encoding: raw\nspace: left-posterior-superior\nspace directions: (0,2,0) (1,0,0) (0,0,-1)\n"
            "space origin: (1,2,3)\n\n" +
            values(),
        nrrd + "encoding: gzip\nspacings: 1 2 3\n\n" + values(),
        "NRRD0001\ntype: float\ndimension: 4\nsizes: 2 2 1 2\nkinds: vector space space space\nencoding: "
        "ascii\n"
        "endian: big\n\n1 2 3 4 5 6 7 8\n"},
       [](std::string_view bytes) {
         return read_volume("volume.nrrd", compressed_behind(bytes, "\n\n", "gzip"));
       }},
      volume("nhdr", "nhdr",
             {nrrd + "encoding: raw\ndata file: v.raw\n", nrrd + "encoding: raw\ndata file: LIST\nv.raw\n",
              nrrd + "encoding: raw\nbyte skip: -1\n"
                     "line skip: 0\ndata file: v%d.raw 0 0 1\n\nv.raw\n"}),
      volume("mha", "mha",
             {mha +
              "ElementSpacing = 1 2 3\nOffset = 0 1 2\nTransformMatrix = 1 0 0 0 1 0 0 0 1\n"
              "ElementDataFile = LOCAL\n" +
              values()}),
      volume("mhd", "mhd", {mha + "HeaderSize = -1\nElementByteOrderMSB = True\nElementDataFile = v.raw\n"}),
      volume("npy", "npy",
             {npy("{'descr': '|u1', 'fortran_order': False, 'shape': (4, 4, 4), }", 64),
              npy("{'descr': '>f4', 'fortran_order': True, 'shape': (2, 2, 2, 2)}", 64)}),
      volume("nii", "nii", {nifti(true), nifti_2()}),
      {"nii_gz",
       {nifti(true)},
       [](std::string_view bytes) { return read_volume("volume.nii.gz", gzipped(bytes)); }},
      {"hdr",
       {nifti(false)},
       [](std::string_view bytes) {
         put("volume.img", values());
         return read_volume("volume.hdr", bytes);
       }},
      volume("vdb_volume", "vdb",
             {VdbMaker{.map = "AffineMap"}.file(),
              VdbMaker{.grid_class = "level set",
                       .halves = true,
                       .background = 4,
                       .packing = VdbMaker::Packing::Zip,
                       .active_mask = true,
                       .state = 3}
                  .file(),
              VdbMaker{.has_places = false,
                       .type = "int32",
                       .packing = VdbMaker::Packing::Blosc,
                       .active_mask = true,
                       .state = 5}
                  .file()}),
      volume("dat", "dat",
             {bytes_of(uint16_t{2}, uint16_t{2}, uint16_t{2}) + std::string(16, '\1'),
              "ObjectFileName: v.raw\nResolution: 4 4 4\nFormat: UCHAR\nSliceThickness: 1 1 2\n"}),
      // The name of a file says what its values are.
      {"raw_name", {"ct_4x4x4_uint8.raw", "a_4x4x2_int16.raw"}, [](std::string_view bytes) {
         const bool is_name = !bytes.empty() && bytes.size() < 100 &&
                              bytes.find_first_of(std::string_view("/\0", 2)) == bytes.npos &&
                              bytes[0] != '.';
         if (!is_name) return false;
         const std::filesystem::path file = put(std::string(bytes), values());
         const bool read = accepts([&] { read_values(file, {}); });
         std::filesystem::remove(file);
         return read;
       }}};
}

namespace {

// Voxels of other programs. Seeds are what vox writes of a small scene.

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
