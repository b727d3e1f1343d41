// HDF5 files of dense cells: the code that both kinds of VTKHDF share, and geometry for gprMax.
#include "formats/voxels/vtk/vtkhdf_file.h"

#include <fmt/format.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/info.h>
#include <tbb/parallel_pipeline.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/io/compression.h"
#include "formats/io/h5.h"
#include "formats/io/output_file.h"
#include "formats/volume/places.h"
#include "formats/voxels/export.h"
#include "formats/voxels/surfaces/surface.h"
#include "formats/voxels/voxel_formats.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/progress.h"
#include "libvox/base/units.h"
#include "libvox/dag/colors.h"
#include "libvox/dag/node.h"
#include "libvox/dag/walk.h"

namespace vox {
namespace {

constexpr int kCellDeflateLevel = 4;

constexpr const char* kVtkFormat = "vox-vtkhdf";

constexpr const char* kGprMaxFormat = "vox-gprmax";
constexpr std::string_view kGprMaxText = "## made by vox: materials of the geometry beside this file";
constexpr std::string_view kApart = " #:{}|";  // what a name cannot contain
constexpr int32_t kGprMaxChunkSide = 64;
constexpr size_t kMostGprMaxMaterials = 1 << 15;  // numbers are int16

// Names are words without the marks of commands, and each is used once.
std::vector<std::string> words_of_names(const dag::VoxelScene& scene) {
  std::vector<std::string> names;
  if (scene.dag.materials)
    names.assign(scene.palette.names.begin(), scene.palette.names.begin() + scene.palette.count);
  else if (scene.colors)
    for (const scene::NamedColor& named : scene.named_colors) names.push_back(named.name);
  else
    names = {"filled"};
  std::vector<std::string> words;
  std::set<std::string> known;
  for (size_t number = 0; number < names.size(); ++number) {
    std::string word = names[number];
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
  CellChunks(const dag::VoxelScene& scene, const VoxelBox& region)
      : dag_(scene.dag), region_(region), numbers_(scene.named_colors) {
    if (scene.colors) colors_.emplace(scene);
    const Int3 size = region.size();
    side_ = {std::min(size.x, kGprMaxChunkSide), std::min(size.y, kGprMaxChunkSide),
             std::min(size.z, kGprMaxChunkSide)};
    corners_ = corners_of_chunks(dag_, region, side_);
  }

  const Int3& side() const { return side_; }
  size_t count() const { return corners_.size(); }

  DatasetChunk read(size_t number) const {
    const Int3 corner = corners_[number], first = corner - region_.min;
    const VoxelBox box = intersection({corner, corner + side_}, region_);
    if (!dag::has_filled(dag_, box)) return {};
    // int16 values, z fastest; -1 where nothing is.
    std::vector<uint8_t> cells(2 * VoxelBox{{0, 0, 0}, side_}.voxels(), 0xff);
    dag::for_each_leaf(dag_, box, [&](Int3 corner_of_leaf, uint64_t mask, const uint32_t* leaf) {
      std::array<uint32_t, 64> colors = {};
      if (colors_) colors = (*colors_)(corner_of_leaf);
      dag::visit_bits(mask, [&](uint32_t bit) {
        const Int3 v = corner_of_leaf + cube_place(bit) - corner;
        const uint64_t place = index_in({side_.z, side_.y, side_.x}, {v.z, v.y, v.x});
        const uint32_t number = colors_ ? numbers_.known(colors[bit]) : dag::leaf_material(leaf, bit);
        cells[2 * place] = static_cast<uint8_t>(number);
        cells[2 * place + 1] = static_cast<uint8_t>(number >> 8);
      });
    });
    return {dims_of(first), std::move(cells)};
  }

 private:
  const dag::FrozenDag& dag_;
  const VoxelBox region_;
  const dag::MaterialNumbers numbers_;
  std::optional<dag::LeafColors> colors_;
  Int3 side_ = {};
  std::vector<Int3> corners_;
};

}  // namespace

bool is_vtkhdf_of_vox(const std::filesystem::path& path) {
  return h5::is_file_of_format(path, kVtkFormat);
}

void check_vtk_cells(uint64_t cells, const dag::VoxelScene& scene, const std::filesystem::path& path) {
  if (cells <= kMostVtkCells) return;
  const uint32_t resolution = scene.dag.resolution;
  throw Error(
      fmt::format("would hold {} cells, more than the {} of 2048 x 2048 x 2048", cells, kMostVtkCells))
      .at(path.string())
      .hint(coarser_hint(coarser_resolution(resolution, resolution / 2)))
      .about("resolution");
}

VtkFile::VtkFile(const std::filesystem::path& path, const std::string& type)
    : file_(path), vtk_(h5::create_group(file_.root(), "VTKHDF")) {
  h5::write_text(file_.root(), "format", kVtkFormat);
  h5::write_attribute<int64_t>(vtk_, "Version", std::array<int64_t, 2>{1, 0});
  write_vtk_text(vtk_, "Type", type);
}

void VtkFile::write_materials(const dag::VoxelScene& scene) {
  const uint32_t values = scene.dag.materials ? 1 + scene.palette.count : 2;
  std::vector<std::string> names = {"empty"};
  std::vector<uint8_t> colors = {0, 0, 0};
  for (uint32_t value = 1; value < values; ++value) {
    names.push_back(surface_name(scene, static_cast<uint8_t>(value)));
    const scene::Rgb8 color = surface_color(scene, static_cast<uint8_t>(value));
    colors.insert(colors.end(), {color.r, color.g, color.b});
  }
  const h5::Object materials = h5::create_group(file_.root(), "materials");
  h5::write_texts(materials, "names", names);
  h5::write_table<uint8_t>(materials, "colors", colors, {values, 3});
}

void VtkFile::commit() {
  vtk_ = {};
  file_.commit();
}

void write_vtk_text(const h5::Object& object, const std::string& name, const std::string& text) {
  const h5::Handle type(H5Tcopy(H5T_C_S1), H5Tclose), space(H5Screate(H5S_SCALAR), H5Sclose);
  H5Tset_size(type, text.size());
  H5Tset_strpad(type, H5T_STR_NULLPAD);
  h5::write_attribute_raw(object, name, type, space, text.data());
}

void write_vtk_boxes(const h5::Object& level, std::span<const std::array<int32_t, 6>> boxes) {
  const h5::Object dataset =
      h5::create_dataset(level, "AMRBox", H5T_STD_I32LE, {boxes.size(), 6}, h5::dataset_properties());
  h5::check(H5Dwrite(dataset.id, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, boxes.data()),
            dataset.where(), "cannot be written");
}

VtkCells::VtkCells(const h5::Object& parent, VtkArray array, std::vector<hsize_t> dims,
                   std::vector<hsize_t> chunk)
    : is_color_(array == VtkArray::Color) {
  if (is_color_)
    for (std::vector<hsize_t>* sizes : {&dims, &chunk}) sizes->push_back(3);
  const uint8_t empty = 0;
  dataset_ = create_chunks(parent, is_color_ ? "color" : "material", H5T_STD_U8LE, H5T_STD_U8LE, &empty, dims,
                           chunk);
}

h5::Object create_chunks(const h5::Object& parent, const std::string& name, hid_t type, hid_t fill_type,
                         const void* fill, const std::vector<hsize_t>& dims,
                         const std::vector<hsize_t>& chunk) {
  const h5::Handle properties = h5::dataset_properties();
  H5Pset_chunk(properties, static_cast<int>(chunk.size()), chunk.data());
  H5Pset_deflate(properties, kCellDeflateLevel);
  H5Pset_fill_value(properties, fill_type, fill);
  return h5::create_dataset(parent, name, type, dims, properties);
}

void VtkCells::write(size_t count, const std::function<DatasetChunk(size_t)>& make) const {
  write_deflated_chunks(dataset_, count, [&](size_t i) {
    DatasetChunk chunk = make(i);
    if (is_color_) chunk.first.push_back(0);
    return chunk;
  });
}

void write_deflated_chunks(const h5::Object& dataset, size_t count,
                           const std::function<DatasetChunk(size_t)>& make) {
  struct Deflated {
    std::vector<hsize_t> first;
    Bytes bytes;
  };
  // The chunks in the pipeline are consecutive, so each has a slot of its own.
  std::vector<Deflated> slots(4 * static_cast<size_t>(tbb::info::default_concurrency()));
  tbb::enumerable_thread_specific<Deflater> deflaters([] { return Deflater(kCellDeflateLevel); });
  size_t next = 0;
  const auto number = [&](tbb::flow_control& control) {
    throw_if_cancelled();
    if (next == count) control.stop();
    return next++;
  };
  const auto deflate = [&](size_t i) {
    DatasetChunk chunk = make(i);
    Deflated& slot = slots[i % slots.size()];
    slot.first = std::move(chunk.first);
    slot.bytes = chunk.values.empty() ? Bytes() : deflaters.local().deflated(chunk.values);
    return i;
  };
  const auto write = [&](size_t i) {
    const Deflated& slot = slots[i % slots.size()];
    if (slot.bytes.empty()) return;
    const h5::Quiet quiet;
    h5::check(
        H5Dwrite_chunk(dataset.id, H5P_DEFAULT, 0, slot.first.data(), slot.bytes.size(), slot.bytes.data()),
        dataset.where(), "cannot be written");
  };
  tbb::parallel_pipeline(slots.size(),
                         tbb::make_filter<void, size_t>(tbb::filter_mode::serial_in_order, number) &
                             tbb::make_filter<size_t, size_t>(tbb::filter_mode::parallel, deflate) &
                             tbb::make_filter<size_t, void>(tbb::filter_mode::serial_in_order, write));
}

std::filesystem::path gprmax_materials_path(const std::filesystem::path& path) {
  std::filesystem::path text = path;
  return text.replace_filename(path.stem().stem().string() + "-materials.txt");
}

void write_gprmax(const dag::VoxelScene& scene, const std::filesystem::path& path,
                  const std::optional<VoxelBox>& clip) {
  if (scene.named_colors.size() > kMostGprMaxMaterials)
    throw Error(fmt::format("the scene has {} materials, and the file would hold at most {}",
                            scene.named_colors.size(), kMostGprMaxMaterials))
        .at(path.string());
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
    const CellChunks chunks(scene, region);
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
