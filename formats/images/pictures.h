// Writes pictures as PNG files that tell how they were made, or as a film.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "formats/io/output_file.h"
#include "libvox/base/process.h"
#include "libvox/scene/scene.h"

namespace vox {

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
