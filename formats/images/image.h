// Reads texture files: png, jpg, tga, bmp and hdr with stb_image, WebP with libwebp.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libvox/base/json.h"
#include "libvox/dag/voxel_scene.h"
#include "libvox/scene/palette.h"
#include "libvox/scene/scene.h"

namespace vox {

inline constexpr uint32_t kMaxImageSide = 32768;  // larger images are refused before they are decoded

scene::Image read_image(const std::filesystem::path& path);                           // throws Error
scene::Image decode_image(std::span<const std::byte> file, const std::string& name);  // throws Error

// Collects the images of a scene, each file once, and decodes them in parallel.
class ImageLoader {
 public:
  // Returns the index of the image in the list that load() returns.
  uint32_t add_file(const std::filesystem::path& path);
  uint32_t add_embedded(std::span<const std::byte> file, std::string name);  // encoded bytes, copied
  uint32_t add_pixels(scene::Image image);                                   // already decoded

  // A file that is missing or is no image becomes an empty image (width 0), with a warning that names it. Call
  // drop_empty_images() afterwards. Throws UnreadableFile (formats/io/read_file.h).
  std::vector<scene::Image> load();

 private:
  struct Source {
    std::string name;
    std::filesystem::path path;
    std::vector<std::byte> file;
    scene::Image image;
  };
  std::vector<Source> sources_;
  std::map<std::filesystem::path, uint32_t> files_;  // canonical path → index of its source
};

// Removes empty images. Materials with an empty image keep their base color.
void drop_empty_images(scene::Scene& scene);

// These functions read WebP images, in builds with libwebp.

bool can_read_webp();
bool is_webp(std::span<const std::byte> file);  // looks at the first bytes

struct WebpSize {
  uint64_t width, height;
};
WebpSize webp_size(std::span<const std::byte> file);  // throws Error

// Returns the image, without a name. Throws Error.
scene::Image decode_webp(std::span<const std::byte> file);

// Throws Error for a JPEG that defines more than 256 Huffman codes in a table: stb_image 2.27 would write beyond its
// own tables (CVE-2022-28042). All other errors are left to stb_image.
void check_jpeg_tables(std::span<const std::byte> file);

// While a StbBlockLimit lives, blocks of memory that stb_image enlarges in this thread have at most so many bytes.
// Otherwise it would believe any length that a PNG states for a chunk or for the data in it.
class StbBlockLimit {
 public:
  explicit StbBlockLimit(size_t bytes);
  ~StbBlockLimit();
  StbBlockLimit(const StbBlockLimit&) = delete;
  StbBlockLimit& operator=(const StbBlockLimit&) = delete;
};

// Reads and writes palettes: GIMP (.gpl), JASC (.pal), lines of rrggbb (.hex), lists of materials (.json), or an image
// of at most 16 colors.

// The extension selects the format. Any file that is not .gpl, .pal, .hex or .json is read as an image. Its colors
// are taken in the order in which they first appear, without those of invisible pixels. Entries without a
// name are called "#rrggbb". Throws an Error that names the file and the line, for example if there is no
// entry or more than 16.
scene::Palette read_palette(const std::filesystem::path& path);

// True if write_palette() supports the extension.
bool is_palette_path(const std::filesystem::path& path);
// The supported extensions, for messages: ".gpl, .pal, .hex or .png".
std::string palette_extensions();

// Writes .gpl, .pal, .hex or .png (one pixel for each entry). Only .gpl keeps names.
void write_palette(const std::filesystem::path& path, const scene::Palette& palette);

// True if a .gpl file with this content was written by write_palette(). A .png file has the mark of all pictures; the
// other formats have no place for a mark.
bool is_gpl_of_vox(std::string_view file);

// Writes the meaning of the numbers of a scene's materials as JSON, for programs that use only numbers: for each
// number its name, its color, its share of the surface and the names in the mesh that it stands for. The scene must
// have a palette.
void write_material_list(const std::filesystem::path& path, const dag::VoxelScene& scene);
// Sets the array `materials` of this JSON.
void set_materials(Json& facts, const dag::VoxelScene& scene);
bool is_material_list_of_vox(std::string_view file);

// Reads the names and colors of such a list, for example of a printer's materials. A color is "#rrggbb", or CIELAB
// (D50, 2°) as instruments measure it, which is moved into sRGB. Everything else is optional.
scene::Palette read_material_list(const std::filesystem::path& path);

}  // namespace vox
