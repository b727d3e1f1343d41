#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "formats/io/compression.h"
#include "formats/io/h5_new_file.h"
#include "formats/io/output_file.h"
#include "formats/volume/places.h"
#include "formats/voxels/arrays/arrays.h"
#include "formats/voxels/export.h"
#include "formats/voxels/vtk/vtkhdf_file.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/units.h"
#include "libvox/dag/walk.h"

namespace vox {
namespace {

constexpr const char* kGprMaxFormat = "vox-gprmax";
constexpr std::string_view kGprMaxText = "## made by vox: materials of the geometry beside this file";
constexpr std::string_view kApart = " #:{}|";  // what a name cannot contain
constexpr int32_t kGprMaxChunkSide = 64;

// Names are words without the marks of commands, and each is used once.
std::vector<std::string> words_of_names(const dag::VoxelScene& scene) {
  if (!scene.dag.materials) return {"filled"};
  std::vector<std::string> words;
  std::set<std::string> known;
  for (uint32_t number = 0; number < scene.palette.count; ++number) {
    std::string word = scene.palette.names[number];
    for (char& c : word)
      if (kApart.find(c) != kApart.npos || std::iscntrl(static_cast<unsigned char>(c)) != 0) c = '_';
    if (word.empty() || !known.insert(word).second) {
      word += fmt::format("_{}", number);
      while (!known.insert(word).second) word += '_';
    }
    words.push_back(std::move(word));
  }
  return words;
}

std::string materials_text(const dag::VoxelScene& scene) {
  std::string text(kGprMaxText);
  text +=
      "\n## Line n, from 0 on, is material n of the dataset `data`. The values are those of free space:\n"
      "## relative permittivity, conductivity (S/m), relative permeability, magnetic loss (Ohm/m), name\n";
  for (const std::string& word : words_of_names(scene)) text += fmt::format("#material: 1 0 1 0 {}\n", word);
  return text;
}

std::vector<hsize_t> dims_of(const Int3& v) {
  const auto [x, y, z] = vec_of<hsize_t>(v);
  return {x, y, z};
}

// The chunks of a region with voxels, whose arrays are indexed by x, y, z.
class CellChunks {
 public:
  CellChunks(const dag::FrozenDag& dag, const VoxelBox& region) : dag_(dag), region_(region) {
    const Int3 size = region.size();
    side_ = {std::min(size.x, kGprMaxChunkSide), std::min(size.y, kGprMaxChunkSide),
             std::min(size.z, kGprMaxChunkSide)};
    corners_ = corners_of_chunks(dag, region, side_);
  }

  const Int3& side() const { return side_; }
  size_t count() const { return corners_.size(); }

  DatasetChunk read(size_t number) const {
    const Int3 corner = corners_[number], first = corner - region_.min;
    const VoxelBox box = intersection({corner, corner + side_}, region_);
    if (!dag::has_filled(dag_, box)) return {};
    std::vector<uint8_t> values(box.voxels());
    dag::write_dense(dag_, box, values.data());
    return {dims_of(first), cells(values, box.size())};
  }

 private:
  // Returns the bytes of int16 values, z fastest, of values of dag::write_dense().
  std::vector<uint8_t> cells(const std::vector<uint8_t>& values, const Int3& size) const {
    std::vector<uint8_t> bytes(2 * VoxelBox{{0, 0, 0}, side_}.voxels(), 0xff);
    const uint8_t* from = values.data();
    for_each_place_in({{0, 0, 0}, size}, [&](const Int3& v) {
      if (const uint8_t value = *from++; value != 0) {
        const uint64_t place = index_in({side_.z, side_.y, side_.x}, {v.z, v.y, v.x});
        bytes[2 * place] = static_cast<uint8_t>(value - 1);
        bytes[2 * place + 1] = 0;
      }
    });
    return bytes;
  }

  const dag::FrozenDag& dag_;
  const VoxelBox region_;
  Int3 side_ = {};
  std::vector<Int3> corners_;
};

}  // namespace

std::filesystem::path gprmax_materials_path(const std::filesystem::path& path) {
  std::filesystem::path text = path;
  return text.replace_filename(path.stem().stem().string() + "-materials.txt");
}

void write_gprmax(const dag::VoxelScene& scene, const std::filesystem::path& path,
                  const std::optional<VoxelBox>& clip) {
  const VoxelBox region = export_region(scene, clip, path);
  h5::NewFile file(path, Writers::One);
  AtomicFile text(gprmax_materials_path(path), Writers::One);
  h5::write_text(file.root(), "format", kGprMaxFormat);
  h5::write_attribute<double>(
      file.root(), "dx_dy_dz",
      std::array<double, 3>{scene.voxel_size[0], scene.voxel_size[1], scene.voxel_size[2]});
  const Vec3d corner = world_corner(scene, region.min);
  h5::write_attribute<double>(file.root(), "origin", std::array{corner.x, corner.y, corner.z});
  {
    const CellChunks chunks(scene.dag, region);
    const int16_t nothing = -1;
    const h5::Object data = create_chunks(file.root(), "data", H5T_STD_I16LE, H5T_NATIVE_INT16, &nothing,
                                          dims_of(region.size()), dims_of(chunks.side()));
    write_deflated_chunks(data, chunks.count(), [&](size_t i) { return chunks.read(i); });
  }
  write_at(text.descriptor(), 0, materials_text(scene), text.target());
  file.commit_behind(text);
  if (scene.unit != scene::LengthUnit::Meter)
    log_warning("{}: gprMax takes the voxel size, {}, for meters", path.string(),
                format_sides(scene.voxel_size));
  log_info("{}: {} with the materials' names, whose electric values are those of free space: fill them in",
           path.string(), gprmax_materials_path(path).filename().string());
}

bool is_gprmax_of_vox(const std::filesystem::path& path) {
  return h5::is_file_of_format(path, kGprMaxFormat);
}

bool is_gprmax_text_of_vox(std::string_view file) {
  return file.starts_with(kGprMaxText);
}

}  // namespace vox
