// Reads texture files: png, jpg, tga, bmp and hdr with stb_image, WebP with libwebp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/io/output_file.h"
#include "libvox/base/json.h"
#include "libvox/base/process.h"
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

// Writes pictures as PNG files that tell how they were made, or as a film.

// A tEXt chunk of a PNG file. Keys have 1 to 79 characters ("Software", "Command"). Keys and values are Latin-1
// without
// zeros.
struct PngText {
  std::string key, value;
};

// A text "Software" that begins with "vox" is the mark of our files.
inline constexpr const char *kSoftwareKey = "Software", *kSoftware = "vox";
// True if a PNG file with this content has the mark.
bool is_png_of_vox(std::string_view file);

// Inserts the texts before the end of a PNG file's bytes.
std::string with_texts(std::string png, const std::vector<PngText>& texts);

// Returns the bytes of an image with the texts before its end. Throws Error.
std::string encode_png(const scene::Image& image, const std::vector<PngText>& texts);

// Replaces the file at `path` when everything is written. Throws an Error that names the file.
void write_png(const scene::Image& image, const std::vector<PngText>& texts,
               const std::filesystem::path& path);

// Encodes images as PNG with stb_image_write: as RGB if every pixel is opaque, otherwise as RGBA.

std::string encode_png(const scene::Image& image);
std::vector<std::string> encode_png(const std::vector<scene::Image>& images);  // in parallel

// The pixels of a PNG file before compression: with a palette, or with red, green, blue and alpha.
struct PngRows {
  static constexpr uint32_t kRgba = 32;  // bits of a pixel without a palette

  uint32_t width, height;
  uint32_t bits;                     // bits of a pixel: bits_for(colors.size()), or kRgba
  std::vector<scene::Rgba8> colors;  // the palette
  // Row by row: a byte that is 0, for no filter, and then the pixels, the first in the highest bits.
  std::vector<uint8_t> bytes;

  size_t row_bytes() const { return 1 + (size_t{width} * bits + 7) / 8; }
  static uint32_t bits_for(size_t colors) { return colors <= 2 ? 1 : colors <= 4 ? 2 : colors <= 16 ? 4 : 8; }
};

// Returns the bytes of a file, with the mark of vox.
std::string encode_png(const PngRows& image);

// Films are MP4 files that browsers play. ffmpeg, a program that must be installed, encodes them.

bool can_write_films();  // true if ffmpeg is installed

struct FilmOptions {
  uint32_t width, height;  // pixels, both even: colors are stored for blocks of 2 × 2 pixels
  double fps;              // pictures a second
  std::string comment;     // how the film was made
};

// True if a film with this content was written by FilmFile.
bool is_film_of_vox(std::string_view file);

// A film that appears at its path when close() is called. If anything fails before, it does not appear.
class FilmFile {
 public:
  // Throws Error if ffmpeg cannot be started, or if nothing can be written at the path.
  FilmFile(const std::filesystem::path& path, const FilmOptions& options);

  // Adds a picture of the film's size. Throws an Error with ffmpeg's message if ffmpeg has failed.
  void add(const scene::Image& image);
  void close();

 private:
  [[noreturn]] void fail(const ProgramResult& result) const;

  // A file in memory into which ffmpeg writes. If it cannot write all of a film to a disk, it still ends with exit
  // code 0.
  class Memory {
   public:
    Memory();
    ~Memory();
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    std::filesystem::path path() const;  // the path at which other programs can open it
    void copy_to(OutputFile& file) const;

   private:
    int descriptor_ = -1;
  };

  OutputFile file_;
  std::string name_;
  Memory memory_;
  FedProgram ffmpeg_;
};

}  // namespace vox
