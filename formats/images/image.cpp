#include "formats/images/image.h"

#include <fmt/format.h>
#include <stb_image.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <climits>
#include <cstring>
#include <fstream>
#include <memory>
#include <new>

#include "formats/images/jpeg_check.h"
#include "formats/images/webp.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"

namespace vox {
namespace {

constexpr uint64_t kMaxPixels = uint64_t{1} << 28;

// The densest format is a 1-bit PNG: a byte holds 8 pixels, and deflate packs bytes up to 1032 : 1.
constexpr uint64_t kMaxPixelsPerByte = 8 * 1032;

ImageSize stb_size(std::span<const std::byte> file) {
  int width = 0, height = 0, channels = 0;
  if (!stbi_info_from_memory(reinterpret_cast<const stbi_uc*>(file.data()), static_cast<int>(file.size()),
                             &width, &height, &channels))
    throw Error("not a supported image").hint("supported: png, jpg, webp, tga, bmp and hdr");
  if (width <= 0 || height <= 0) throw Error(fmt::format("an image of {} x {} pixels", width, height));
  return {.width = static_cast<uint64_t>(width), .height = static_cast<uint64_t>(height)};
}

// Returns the size in the header. It is checked, because a few bytes of a header must not cause a large
// allocation.
ImageSize checked_size(std::span<const std::byte> file) {
  if (file.empty()) throw Error("the image file is empty");
  if (file.size() > INT_MAX) throw Error("the image file is larger than 2 GiB");
  bool webp = is_webp(file);
  ImageSize size = webp ? webp_size(file) : stb_size(file);
  auto [width, height] = size;
  if (size.width > kMaxImageSide || size.height > kMaxImageSide || size.width * size.height > kMaxPixels)
    throw Error(fmt::format("an image of {} x {} pixels is too large", width, height))
        .hint(fmt::format("at most {} pixels a side and {} pixels in all are supported", kMaxImageSide,
                          kMaxPixels));
  // A WebP of one colour holds only its size, which is at most 2^28 pixels.
  if (!webp && size.width * size.height > kMaxPixelsPerByte * file.size())
    throw Error(fmt::format("{} bytes cannot hold an image of {} x {} pixels", file.size(), width, height))
        .hint("is the file truncated?");
  return size;
}

// Feeds stb_image, and notes if it reads beyond the end of the file, where it would continue with zeros.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> file) : rest_(file) {}

  bool truncated() const { return truncated_; }

  static stbi_io_callbacks callbacks() {
    return {.read = [](void* self, char* data, int size) { return get(self).read(data, size); },
            .skip = [](void* self, int size) { get(self).skip(size); },
            .eof = [](void* self) { return static_cast<int>(get(self).rest_.empty()); }};
  }

 private:
  static Reader& get(void* self) { return *static_cast<Reader*>(self); }

  int read(char* data, int size) {
    // stb_image fills its own buffer 128 bytes at a time. There, fewer bytes are normal, but no bytes are
    // not.
    constexpr int kBufferSize = 128;
    int count = static_cast<int>(std::min(rest_.size(), static_cast<size_t>(size)));
    if (count == 0 || (count < size && size != kBufferSize)) truncated_ = true;
    std::memcpy(data, rest_.data(), static_cast<size_t>(count));
    rest_ = rest_.subspan(static_cast<size_t>(count));
    return count;
  }

  void skip(int size) {
    if (size <= 0) return;  // stb goes backwards only within its own buffer
    if (static_cast<size_t>(size) > rest_.size()) truncated_ = true;
    rest_ = rest_.subspan(std::min(rest_.size(), static_cast<size_t>(size)));
  }

  std::span<const std::byte> rest_;
  bool truncated_ = false;
};

std::vector<std::byte> read_bytes(const std::filesystem::path& path) {
  std::error_code failed;
  if (!std::filesystem::exists(path, failed)) throw Error("no such file");
  if (!std::filesystem::is_regular_file(path, failed)) throw Error("not a regular file");
  uint64_t size = std::filesystem::file_size(path, failed);
  if (failed) throw Error(failed.message());
  if (size > INT_MAX) throw Error("the image file is larger than 2 GiB");
  std::vector<std::byte> bytes(size);
  std::ifstream file(path, std::ios::binary);
  if (!file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size)))
    throw Error("cannot be read");
  return bytes;
}

scene::Image decode(std::span<const std::byte> file) {
  check_jpeg_tables(file);
  ImageSize expected = checked_size(file);
  if (is_webp(file)) return decode_webp(file);
  Reader reader(file);
  stbi_io_callbacks callbacks = Reader::callbacks();
  int width = 0, height = 0, channels = 0;
  std::unique_ptr<stbi_uc, decltype(&stbi_image_free)> pixels(
      stbi_load_from_callbacks(&callbacks, &reader, &width, &height, &channels, STBI_rgb_alpha),
      stbi_image_free);
  if (reader.truncated()) throw Error("the image is truncated");
  if (!pixels) throw Error(fmt::format("the image cannot be decoded: {}", stbi_failure_reason()));
  scene::Image image;
  image.width = static_cast<uint32_t>(width);
  image.height = static_cast<uint32_t>(height);
  if (image.width != expected.width || image.height != expected.height)
    throw Error("the image's header is inconsistent");
  image.pixels.resize(size_t{image.width} * image.height);
  std::memcpy(image.pixels.data(), pixels.get(), image.pixels.size() * sizeof(scene::Rgba8));
  return image;
}

}  // namespace

scene::Image decode_image(std::span<const std::byte> file, const std::string& name) try {
  scene::Image image = decode(file);
  image.name = name;
  return image;
} catch (Error& error) {
  throw error.at(name);
} catch (const std::bad_alloc&) {
  throw Error("out of memory while decoding the image").at(name);
}

scene::Image read_image(const std::filesystem::path& path) try {
  return decode_image(read_bytes(path), path.string());
} catch (Error& error) {
  throw error.at(path.string());
}

uint32_t ImageLoader::add_file(const std::filesystem::path& path) {
  std::error_code failed;
  std::filesystem::path key = std::filesystem::weakly_canonical(path, failed);
  auto [known, is_new] = files_.try_emplace(failed ? path : key, static_cast<uint32_t>(sources_.size()));
  if (is_new) sources_.push_back({.name = path.string(), .path = path, .file = {}, .image = {}});
  return known->second;
}

uint32_t ImageLoader::add_embedded(std::span<const std::byte> file, std::string name) {
  sources_.push_back({.name = std::move(name), .path = {}, .file = {file.begin(), file.end()}, .image = {}});
  return static_cast<uint32_t>(sources_.size() - 1);
}

uint32_t ImageLoader::add_pixels(scene::Image image) {
  std::string name = image.name;
  sources_.push_back({.name = std::move(name), .path = {}, .file = {}, .image = std::move(image)});
  return static_cast<uint32_t>(sources_.size() - 1);
}

std::vector<scene::Image> ImageLoader::load() {
  std::vector<scene::Image> images(sources_.size());
  std::vector<std::string> problems(sources_.size());
  tbb::parallel_for(size_t{0}, sources_.size(), [&](size_t i) {
    Source& source = sources_[i];
    try {
      if (!source.image.pixels.empty())
        images[i] = std::move(source.image);
      else if (!source.path.empty())
        images[i] = read_image(source.path);
      else
        images[i] = decode_image(source.file, source.name);
    } catch (const Error& error) {
      images[i].name = source.name;
      problems[i] = error.what();
    }
    source = {};
  });
  sources_.clear();
  files_.clear();
  for (const std::string& problem : problems)  // in the images' order, whichever thread found a problem first
    if (!problem.empty()) log_warning("{}; the material's colour is used instead", problem);
  return images;
}

void drop_empty_images(scene::Scene& scene) {
  std::vector<uint32_t> new_index(scene.images.size(), scene::kNone);
  uint32_t kept = 0;
  for (size_t i = 0; i < scene.images.size(); ++i)
    if (scene.images[i].width > 0) new_index[i] = kept++;
  std::erase_if(scene.images, [](const scene::Image& image) { return image.width == 0; });
  for (scene::Material& material : scene.materials)
    if (material.image != scene::kNone) material.image = new_index[material.image];
}

}  // namespace vox
