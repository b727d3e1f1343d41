#include "formats/voxels/voxel_formats.h"

#include <fmt/format.h>
#include <tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "formats/file_types.h"
#include "formats/images/image.h"
#include "formats/io/output_file.h"
#include "formats/io/read_file.h"
#include "formats/volume/places.h"
#include "formats/voxels/export.h"
#include "formats/voxels/surfaces/surface.h"
#include "libvox/base/error.h"
#include "libvox/base/json.h"
#include "libvox/base/loops.h"
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
      : scene_(scene), region_(region), axis_(axis), by_material_(by_material) {
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
    for (uint32_t bit = 0; bit < places_.size(); ++bit) {
      const Int3 place = cube_place(bit);
      places_[bit] = {static_cast<uint8_t>(place[columns]), static_cast<uint8_t>(place[rows])};
    }
    PngRows image;
    clear(image);
    bits_log2_ = static_cast<uint32_t>(lowest_bit(image.bits));
    row_bytes_ = image.row_bytes();
    empty_ = encode_png(image);
  }

  uint32_t width() const { return width_; }
  uint32_t height() const { return height_; }
  uint32_t count() const { return static_cast<uint32_t>(region_.size()[axis_]); }
  uint32_t materials() const { return scene_.dag.materials ? scene_.palette.count : 1; }

  // Returns the pictures of a layer: one, or one for each material, which is white where it is.
  std::vector<std::string> pictures(uint32_t number) const {
    std::vector<Picture>& images = images_.local();
    images.resize(by_material_ ? materials() : 1);
    for (Picture& image : images) image.is_drawn = false;
    if (of_leaves_) {
      draw_colors(number, images);
    } else {
      draw(number, images);
    }
    std::vector<std::string> files;
    for (const Picture& image : images) files.push_back(image.is_drawn ? encode_png(image.rows) : empty_);
    return files;
  }

 private:
  // A thread's picture, whose rows are those of an earlier layer until something is drawn.
  struct Picture {
    PngRows rows;
    bool is_drawn = false;
  };

  VoxelBox layer(uint32_t number) const {
    VoxelBox box = region_;
    box.min[axis_] += static_cast<int32_t>(number);
    box.max[axis_] = box.min[axis_] + 1;
    return box;
  }

  void clear(PngRows& image) const {
    image.width = width_, image.height = height_;
    image.bits = of_leaves_ ? PngRows::kRgba : PngRows::bits_for(colors_.size());
    image.colors = colors_;
    image.bytes.assign(image.row_bytes() * height_, 0);
  }
  PngRows& started(Picture& image) const {
    if (!std::exchange(image.is_drawn, true)) clear(image.rows);
    return image.rows;
  }

  // Returns where the pixels of a voxel's row begin, and the voxel's place in the row.
  std::pair<uint8_t*, uint32_t> pixel(PngRows& image, const Int3& voxel) const {
    const auto [columns, rows] = axes_beside(axis_);
    const auto row = static_cast<size_t>(voxel[rows] - region_.min[rows]);
    return {image.bytes.data() + row * row_bytes_ + 1,
            static_cast<uint32_t>(voxel[columns] - region_.min[columns])};
  }

  PngRows& picture_of(std::vector<Picture>& images, uint32_t value) const {
    if (value > materials())
      throw Error(fmt::format("a voxel has material {}, which its palette does not have", value - 1))
          .hint("is the file damaged?");
    return started(images[by_material_ ? value - 1 : 0]);
  }
  uint32_t index_of(uint32_t value) const { return by_material_ ? 1 : value; }

  // Sets a pixel of a row that has been 0. This is called for every voxel of a surface, so it does not divide.
  void put_pixel(uint8_t* row, uint32_t column, uint32_t index) const {
    const uint32_t place = column & ((8u >> bits_log2_) - 1);
    uint8_t& byte = row[column >> (3 - bits_log2_)];
    byte = static_cast<uint8_t>(byte | index << (8 - ((place + 1) << bits_log2_)));
  }

  // Draws `count` voxels of this value side by side, where nothing has been drawn before.
  void put(std::vector<Picture>& images, const Int3& first, uint32_t count, uint32_t value) const {
    PngRows& image = picture_of(images, value);
    const uint32_t in_byte = 8u >> bits_log2_, index = index_of(value);
    const std::pair<uint8_t*, uint32_t> begin = pixel(image, first);
    uint8_t* const row = begin.first;
    uint32_t column = begin.second;
    const uint32_t end = column + count;
    for (; column < end && column % in_byte != 0; ++column) put_pixel(row, column, index);
    const uint32_t whole = (end - column) / in_byte;
    std::fill_n(row + column / in_byte, whole,
                static_cast<uint8_t>(index * (255 / ((1u << image.bits) - 1))));
    for (uint32_t last = column + whole * in_byte; last < end; ++last) put_pixel(row, last, index);
  }

  void draw(uint32_t number, std::vector<Picture>& images) const {
    const auto [columns, rows] = axes_beside(axis_);
    const auto put_leaf = [&, columns = columns, rows = rows](Int3 corner, uint64_t mask,
                                                              const uint32_t* leaf) {
      const int64_t column = corner[columns] - region_.min[columns], row = corner[rows] - region_.min[rows];
      dag::visit_bits(mask, [&](uint32_t bit) {
        const uint32_t value = dag::leaf_value(scene_.dag, leaf, bit);
        PngRows& image = picture_of(images, value);
        const auto [right, down] = places_[bit];
        put_pixel(image.bytes.data() + static_cast<size_t>(row + down) * row_bytes_ + 1,
                  static_cast<uint32_t>(column + right), index_of(value));
      });
    };
    const auto put_solid = [&, columns = columns, rows = rows](const VoxelBox& box, uint32_t material) {
      const auto count = static_cast<uint32_t>(box.size()[columns]);
      for (Int3 v = box.min; v[rows] < box.max[rows]; ++v[rows])
        put(images, v, count, dag::solid_value(material));
    };
    dag::for_each_leaf(scene_.dag, layer(number), put_leaf, put_solid);
  }

  void draw_colors(uint32_t number, std::vector<Picture>& images) const {
    dag::for_each_leaf(scene_.dag, layer(number), [&](Int3 corner, uint64_t mask, const uint32_t*) {
      PngRows& image = started(images[0]);
      const std::array<uint32_t, 64> colors = (*of_leaves_)(corner);
      for (; mask != 0; mask &= mask - 1) {
        const auto bit = static_cast<uint32_t>(lowest_bit(mask));
        const auto [row, column] = pixel(image, corner + cube_place(bit));
        const scene::Rgb8 color = scene::unpacked_color(colors[bit]);
        const std::array<uint8_t, 4> rgba = {color.r, color.g, color.b, 255};
        std::copy(rgba.begin(), rgba.end(), row + size_t{4} * column);
      }
    });
  }

  const dag::VoxelScene& scene_;
  const VoxelBox region_;
  const uint32_t axis_;
  const bool by_material_;
  uint32_t width_ = 0, height_ = 0, bits_log2_ = 0;  // of a pixel
  size_t row_bytes_ = 0;
  std::array<std::pair<uint8_t, uint8_t>, 64> places_;  // the column and the row of each voxel of a leaf
  std::vector<scene::Rgba8> colors_;                    // of pixels, unless these have colors of their own
  std::string empty_;                                   // a picture without voxels
  std::optional<dag::LeafColors> of_leaves_;
  mutable tbb::enumerable_thread_specific<std::vector<Picture>> images_;
};

fs::path material_folder(uint32_t material) {
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
    if (by_material) entry.set("folder", material_folder(material).string());
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
    parallel_for(begin, end, [&](uint32_t number) {
      throw_if_cancelled();
      const std::vector<std::string> pictures = slices.pictures(number);
      for (uint32_t i = 0; i < pictures.size(); ++i)
        folder.write((options.by_material ? material_folder(i) : fs::path()) / names.name(number),
                     pictures[i]);
    });
    progress.update(end, "");
  }
  folder.commit();
}

}  // namespace vox
