// Reads texture files: png, jpg, tga, bmp and hdr with stb_image, WebP with libwebp.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

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

// Protects stb_image 2.27, which writes beyond its tables if a JPEG defines more than 256 Huffman
// codes (CVE-2022-28042).

// Throws Error for a JPEG with such a table. All other errors are left to stb_image.
void check_jpeg_tables(std::span<const std::byte> file);

// While it lives, blocks that stb_image enlarges in this thread have at most so many bytes. The length of a PNG's chunk, and what
// it unpacks to, would otherwise be believed.
class StbBlockLimit {
 public:
  explicit StbBlockLimit(size_t bytes);
  ~StbBlockLimit();
  StbBlockLimit(const StbBlockLimit&) = delete;
  StbBlockLimit& operator=(const StbBlockLimit&) = delete;
};

}  // namespace vox
