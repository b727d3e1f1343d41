#include "formats/voxels/slices/slices.h"

#include <fmt/format.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "formats/file_types.h"
#include "formats/images/pictures.h"
#include "formats/io/output_folder.h"
#include "formats/io/read_file.h"
#include "formats/volume/places.h"
#include "formats/voxels/export.h"
#include "formats/voxels/surfaces/surface.h"
#include "libvox/base/error.h"
#include "libvox/base/json.h"
#include "libvox/base/progress.h"
#include "libvox/dag/colors.h"
#include "libvox/dag/walk.h"

namespace vox {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kManifest = "slices.json", kFormat = "vox slices 1", kMaterialFolder = "material-";

}  // namespace

SliceNames::SliceNames(const fs::path& pattern) : folder_(pattern.parent_path()) {
  const std::string name = pattern.filename().string();
  const size_t begin = name.find('%'), end = name.find_first_not_of("0123456789", begin + 1);
  const bool is_number = begin != std::string::npos && end != std::string::npos && name[end] == 'd' &&
                         end - begin < 4 && name.find('%', end) == std::string::npos;
  if (!is_number || folder_.empty())
    throw UsageError(
        fmt::format("-o '{}' names no pictures of layers: expected a folder, and a place for their "
                    "numbers, as in slices/%05d.png (vox-render makes views)",
                    pattern.string()));
  before_ = name.substr(0, begin);
  behind_ = name.substr(end + 1);
  digits_ = end > begin + 1 ? static_cast<uint32_t>(std::stoul(name.substr(begin + 1, end - begin - 1))) : 1;
}

std::string SliceNames::name(uint32_t number) const {
  return fmt::format("{}{:0{}}{}", before_, number, digits_, behind_);
}

bool is_slices_path(const fs::path& path) {
  return file_format(path, FileRole::Export) == FileFormat::Png;
}

// Other pictures of vox may lie in the folder. Layers have the name of the first one, which the manifest states, with
// other numbers.
bool is_slice_of_vox(const fs::path& folder, const fs::path& relative) {
  constexpr std::string_view kFirst = "\"first\": \"";
  const auto without_digits = [](std::string text) {
    std::erase_if(text, [](char c) { return c >= '0' && c <= '9'; });
    return text;
  };
  try {
    const MappedFile manifest(folder / kManifest);
    const std::string_view facts = manifest.text();
    if (facts.substr(0, 100).find(kFormat) == facts.npos) return false;
    if (relative == kManifest) return true;
    const std::string parent = without_digits(relative.parent_path().string());
    const size_t first = facts.find(kFirst), name = first + kFirst.size();
    return first != facts.npos && (parent.empty() || parent == kMaterialFolder) &&
           without_digits(relative.filename().string()) ==
               without_digits(std::string(facts.substr(name, facts.find('"', name) - name))) &&
           is_png_of_vox(MappedFile(folder / relative).text());
  } catch (const Error&) {
    return false;
  }
}

namespace {

// Returns the axes of a picture's columns and rows.
std::array<uint32_t, 2> axes_beside(uint32_t axis) {
  return {axis == 0 ? 1u : 0u, axis == 2 ? 1u : 2u};
}

class Slices {
 public:
  Slices(const dag::VoxelScene& scene, const VoxelBox& region, uint32_t axis, bool by_material)
      : scene_(scene), region_(region), axis_(axis) {
    const auto [columns, rows] = axes_beside(axis);
    width_ = static_cast<uint32_t>(region.size()[columns]);
    height_ = static_cast<uint32_t>(region.size()[rows]);
    colors_ = {{0, 0, 0, 0}};
    for (uint32_t value = 1; value <= materials(); ++value) {
      const scene::Rgb8 color = surface_color(scene, static_cast<uint8_t>(value));
      colors_.push_back({color.r, color.g, color.b, 255});
    }
    if (by_material) colors_ = {{0, 0, 0, 255}, {255, 255, 255, 255}};
    if (scene.colors && !by_material) {
      of_leaves_.emplace(scene);
      colors_ = {};
    }
    empty_ = encode_png(blank());
  }

  uint32_t width() const { return width_; }
  uint32_t height() const { return height_; }
  uint32_t count() const { return static_cast<uint32_t>(region_.size()[axis_]); }
  uint32_t materials() const { return scene_.dag.materials ? scene_.palette.count : 1; }

  // Returns the bytes of picture `number`.
  std::string picture(uint32_t number) const {
    return of_leaves_ ? drawn_in_colors(number) : drawn(number, [](uint32_t value) { return value; });
  }

  // Returns a picture of each material: white where it is.
  std::vector<std::string> pictures_by_material(uint32_t number) const {
    std::vector<std::string> pictures;
    for (uint32_t material = 1; material <= materials(); ++material)
      pictures.push_back(drawn(number, [&](uint32_t value) { return value == material ? 1u : 0u; }));
    return pictures;
  }

 private:
  VoxelBox layer(uint32_t number) const {
    VoxelBox box = region_;
    box.min[axis_] += static_cast<int32_t>(number);
    box.max[axis_] = box.min[axis_] + 1;
    return box;
  }

  // Returns this thread's picture, empty. It lasts until the next one.
  PngRows& blank() const {
    PngRows& image = images_.local();
    image.width = width_, image.height = height_;
    image.bits = of_leaves_ ? PngRows::kRgba : PngRows::bits_for(colors_.size());
    image.colors = colors_;
    image.bytes.assign(image.row_bytes() * height_, 0);
    return image;
  }

  // Returns where the pixels of a voxel's row begin, and the voxel's place in the row.
  std::pair<uint8_t*, uint32_t> pixel(PngRows& image, const Int3& voxel) const {
    const auto [columns, rows] = axes_beside(axis_);
    const auto row = static_cast<size_t>(voxel[rows] - region_.min[rows]);
    return {image.bytes.data() + row * image.row_bytes() + 1,
            static_cast<uint32_t>(voxel[columns] - region_.min[columns])};
  }

  // Returns the picture of a layer; index_of() turns values of voxels into those of pixels.
  template <class IndexOf>
  std::string drawn(uint32_t number, IndexOf index_of) const {
    PngRows* image = nullptr;  // none as long as it is empty
    const auto put = [&](const Int3& voxel, uint32_t value) {
      const uint32_t index = index_of(value);
      if (index == 0) return;
      if (image == nullptr) image = &blank();
      const auto [row, column] = pixel(*image, voxel);
      const uint32_t bit = column * image->bits;
      row[bit / 8] = static_cast<uint8_t>(row[bit / 8] | index << (8 - image->bits - bit % 8));
    };
    const auto put_leaf = [&](Int3 corner, uint64_t mask, const uint32_t* leaf) {
      for (; mask != 0; mask &= mask - 1) {
        const auto bit = static_cast<uint32_t>(lowest_bit(mask));
        put(corner + cube_place(bit), dag::leaf_value(scene_.dag, leaf, bit));
      }
    };
    const auto put_solid = [&](const VoxelBox& box, uint32_t material) {
      const uint32_t value = dag::solid_value(material);
      if (index_of(value) == 0) return;
      for_each_place_in(box, [&](const Int3& voxel) { put(voxel, value); });
    };
    dag::for_each_leaf(scene_.dag, layer(number), put_leaf, put_solid);
    return image == nullptr ? empty_ : encode_png(*image);
  }

  std::string drawn_in_colors(uint32_t number) const {
    if (!dag::has_filled(scene_.dag, layer(number))) return empty_;
    PngRows& image = blank();
    dag::for_each_leaf(scene_.dag, layer(number), [&](Int3 corner, uint64_t mask, const uint32_t*) {
      const std::array<uint32_t, 64> colors = (*of_leaves_)(corner);
      for (; mask != 0; mask &= mask - 1) {
        const auto bit = static_cast<uint32_t>(lowest_bit(mask));
        const auto [row, column] = pixel(image, corner + cube_place(bit));
        const scene::Rgb8 color = scene::unpacked_color(colors[bit]);
        const std::array<uint8_t, 4> rgba = {color.r, color.g, color.b, 255};
        std::copy(rgba.begin(), rgba.end(), row + size_t{4} * column);
      }
    });
    return encode_png(image);
  }

  const dag::VoxelScene& scene_;
  const VoxelBox region_;
  const uint32_t axis_;
  uint32_t width_ = 0, height_ = 0;
  std::vector<scene::Rgba8> colors_;  // of pixels, unless these have colors of their own
  std::string empty_;                 // a picture without voxels
  std::optional<dag::LeafColors> of_leaves_;
  mutable tbb::enumerable_thread_specific<PngRows> images_;
};

std::string material_folder(uint32_t material) {
  return fmt::format("{}{:02}", kMaterialFolder, material);
}

std::string manifest_text(const dag::VoxelScene& scene, const VoxelBox& region, uint32_t axis,
                          const Slices& slices, const SliceNames& names, bool by_material) {
  constexpr std::string_view kAxes = "xyz";
  const auto [columns, rows] = axes_beside(axis);
  Json facts;
  facts.set("format", kFormat)
      .set("layers", slices.count())
      .set("width", slices.width())
      .set("height", slices.height())
      .set("layers_along", kAxes.substr(axis, 1))
      .set("columns_along", kAxes.substr(columns, 1))
      .set("rows_along", kAxes.substr(rows, 1))
      .set("unit", scene::unit_name(scene.unit));
  if (scene.voxel_size.is_cube()) {
    facts.set("voxel_size", scene.voxel_size.x);
  } else {
    Json& sides = facts.array("voxel_size");
    for (uint32_t side = 0; side < 3; ++side) sides.append(scene.voxel_size[side]);
  }
  const Vec3d first = world_corner(scene, region.min);
  Json& origin = facts.array("origin");
  for (const double coordinate : {first.x, first.y, first.z}) origin.append(coordinate);
  facts.set("first", names.name(0));
  facts.set("pixels", scene.colors  ? "rgba"
                      : by_material ? "1 where the material is"
                                    : "material + 1, 0 is empty");
  if (scene.colors) return facts.text() + "\n";
  Json& materials = facts.array("materials");
  for (uint32_t material = 0; material < slices.materials(); ++material) {
    const auto value = static_cast<uint8_t>(material + 1);
    Json& entry = materials.append();
    entry.set("number", material)
        .set("name", surface_name(scene, value))
        .set("color", scene::hex_name(surface_color(scene, value)));
    if (by_material) entry.set("folder", material_folder(material));
  }
  return facts.text() + "\n";
}

}  // namespace

void write_slices(const dag::VoxelScene& scene, const fs::path& pattern, const std::optional<VoxelBox>& clip,
                  const LayerOptions& options) {
  const SliceNames names(pattern);
  const VoxelBox region = export_region(scene, clip, pattern);
  const uint32_t axis = options.axis.value_or(static_cast<uint32_t>(scene.up));
  const Slices slices(scene, region, axis, options.by_material);
  OutputFolder folder(names.folder(), is_slice_of_vox, options.overwrite);
  folder.write(kManifest, manifest_text(scene, region, axis, slices, names, options.by_material));
  Progress progress("writing layers", slices.count());
  constexpr uint32_t kAtOnce = 256;
  for (uint32_t begin = 0; begin < slices.count(); begin += kAtOnce) {
    const uint32_t end = std::min(begin + kAtOnce, slices.count());
    tbb::parallel_for(begin, end, [&](uint32_t number) {
      throw_if_cancelled();
      if (!options.by_material) return folder.write(names.name(number), slices.picture(number));
      const std::vector<std::string> pictures = slices.pictures_by_material(number);
      for (uint32_t material = 0; material < pictures.size(); ++material)
        folder.write(fs::path(material_folder(material)) / names.name(number), pictures[material]);
    });
    progress.update(end, "");
  }
  folder.commit();
}

}  // namespace vox
