#include "formats/voxels/vtk/vtkhdf_file.h"

#include <fmt/format.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/info.h>
#include <tbb/parallel_pipeline.h>

#include <utility>

#include "formats/io/compression.h"
#include "formats/voxels/export.h"
#include "formats/voxels/surfaces/surface.h"
#include "libvox/base/error.h"
#include "libvox/base/progress.h"

namespace vox {
namespace {

constexpr int kCellDeflateLevel = 4;

constexpr const char* kVtkFormat = "vox-vtkhdf";

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

}  // namespace vox
