#include "formats/images/image.h"

#include <fmt/format.h>
#include <stb_image.h>

#include <algorithm>
#include <climits>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <optional>

#include "formats/io/read_file.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/loops.h"

#ifdef VOX_HAS_WEBP
#include <webp/decode.h>
#endif

namespace vox {
namespace {

constexpr uint64_t kMaxPixels = uint64_t{1} << 28;

// The densest format is a 1-bit PNG: a byte holds 8 pixels, and deflate packs bytes up to 1032 : 1. The others are at most as dense
// as a JPEG that has one bit for each block of 8 x 8 pixels.
constexpr uint64_t kMaxPixelsPerByteOfPng = 8 * 1032, kMaxPixelsPerByte = 8 * 64;

bool is_png(std::span<const std::byte> file) {
  return file.size() >= 4 && std::memcmp(file.data(), "\x89PNG", 4) == 0;
}

WebpSize stb_size(std::span<const std::byte> file) {
  int width = 0, height = 0, channels = 0;
  if (!stbi_info_from_memory(reinterpret_cast<const stbi_uc*>(file.data()), static_cast<int>(file.size()),
                             &width, &height, &channels))
    throw Error("not a supported image").hint("supported: png, jpg, webp, tga, bmp and hdr");
  if (width <= 0 || height <= 0) throw Error(fmt::format("an image of {} x {} pixels", width, height));
  return {.width = static_cast<uint64_t>(width), .height = static_cast<uint64_t>(height)};
}

// Returns the size in the header. It is checked, because a few bytes of a header must not cause a large
// allocation.
WebpSize checked_size(std::span<const std::byte> file) {
  if (file.empty()) throw Error("the image file is empty");
  if (file.size() > INT_MAX) throw Error("the image file is larger than 2 GiB");
  bool webp = is_webp(file);
  WebpSize size = webp ? webp_size(file) : stb_size(file);
  auto [width, height] = size;
  if (size.width > kMaxImageSide || size.height > kMaxImageSide || size.width * size.height > kMaxPixels)
    throw Error(fmt::format("an image of {} x {} pixels is too large", width, height))
        .hint(fmt::format("at most {} pixels a side and {} pixels in all are supported", kMaxImageSide,
                          kMaxPixels));
  // A WebP of one color holds only its size, which is at most 2^28 pixels.
  const uint64_t density = is_png(file) ? kMaxPixelsPerByteOfPng : kMaxPixelsPerByte;
  if (!webp && size.width * size.height > density * file.size())
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
  if (std::filesystem::file_size(path, failed) == 0) throw Error("the image file is empty");
  const ReadFile file(path);
  if (file.size() > INT_MAX) throw Error("the image file is larger than 2 GiB");
  std::vector<std::byte> bytes(file.size());
  file.read(0, bytes);
  return bytes;
}

scene::Image decode(std::span<const std::byte> file) {
  check_jpeg_tables(file);
  WebpSize expected = checked_size(file);
  if (is_webp(file)) return decode_webp(file);
  // stb_image doubles blocks of compressed bytes, and of unpacked rows with up to 8 bytes a pixel.
  const StbBlockLimit limit(2 * (8 * expected.width * expected.height + expected.height + file.size()) +
                            65536);
  Reader reader(file);
  stbi_io_callbacks callbacks = Reader::callbacks();
  int width = 0, height = 0, channels = 0;
  std::unique_ptr<stbi_uc, decltype(&stbi_image_free)> pixels(
      stbi_load_from_callbacks(&callbacks, &reader, &width, &height, &channels, STBI_rgb_alpha),
      stbi_image_free);
  if (reader.truncated()) throw Error("the image is truncated");
  if (!pixels)
    throw Error(fmt::format("the image cannot be decoded: {}", stbi_failure_reason())).hint("is it damaged?");
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
} catch (const UnreadableFile&) {
  throw;
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
  parallel_for(size_t{0}, sources_.size(), [&](size_t i) {
    Source& source = sources_[i];
    try {
      if (!source.image.pixels.empty())
        images[i] = std::move(source.image);
      else if (!source.path.empty())
        images[i] = read_image(source.path);
      else
        images[i] = decode_image(source.file, source.name);
    } catch (const UnreadableFile&) {
      throw;
    } catch (const Error& error) {
      images[i].name = source.name;
      problems[i] = error.what();
    }
    source = {};
  });
  sources_.clear();
  files_.clear();
  for (const std::string& problem : problems)  // in the images' order, whichever thread found a problem first
    if (!problem.empty()) log_warning("{}; the material's color is used instead", problem);
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

bool is_webp(std::span<const std::byte> file) {
  return file.size() >= 12 && std::memcmp(file.data(), "RIFF", 4) == 0 &&
         std::memcmp(file.data() + 8, "WEBP", 4) == 0;
}

#ifdef VOX_HAS_WEBP

bool can_read_webp() {
  return true;
}

WebpSize webp_size(std::span<const std::byte> file) {
  int width = 0, height = 0;
  if (!WebPGetInfo(reinterpret_cast<const uint8_t*>(file.data()), file.size(), &width, &height))
    throw Error("not a supported WebP image").hint("is the file damaged?");
  return {.width = static_cast<uint64_t>(width), .height = static_cast<uint64_t>(height)};
}

// libwebp allocates the pixels, because it does not touch them before it has decoded so far: a few bytes may claim a gigabyte.
scene::Image decode_webp(std::span<const std::byte> file) {
  int width = 0, height = 0;
  const std::unique_ptr<uint8_t, decltype(&WebPFree)> pixels(
      WebPDecodeRGBA(reinterpret_cast<const uint8_t*>(file.data()), file.size(), &width, &height), WebPFree);
  if (!pixels) throw Error("the WebP image cannot be decoded").hint("is the file truncated?");
  scene::Image image = {
      .name = {},
      .width = static_cast<uint32_t>(width),
      .height = static_cast<uint32_t>(height),
      .pixels = std::vector<scene::Rgba8>(static_cast<size_t>(width) * static_cast<size_t>(height))};
  std::memcpy(image.pixels.data(), pixels.get(), image.pixels.size() * sizeof(scene::Rgba8));
  return image;
}

#else

bool can_read_webp() {
  return false;
}

WebpSize webp_size(std::span<const std::byte>) {
  throw Error("a WebP image, but this build was made without libwebp").hint("convert it to PNG or JPEG");
}

scene::Image decode_webp(std::span<const std::byte> file) {
  webp_size(file);
  return {};
}

#endif

namespace {

// The markers of ITU-T T.81, table B.1.
constexpr uint8_t kHuffmanTables = 0xc4, kFirstRestart = 0xd0, kLastRestart = 0xd7, kStart = 0xd8,
                  kEnd = 0xd9;

uint8_t at(std::span<const std::byte> bytes, size_t i) {
  return std::to_integer<uint8_t>(bytes[i]);
}

// Moves the start of `file` behind the next marker. Escaped and restart markers are part of a scan's data.
std::optional<uint8_t> next_marker(std::span<const std::byte>& file) {
  for (size_t i = 0; i + 1 < file.size(); ++i) {
    uint8_t code = at(file, i + 1);
    bool data = code == 0 || code == 0xff || (code >= kFirstRestart && code <= kLastRestart);
    if (at(file, i) != 0xff || data) continue;
    file = file.subspan(i + 2);
    return code;
  }
  return std::nullopt;
}

// Checks consecutive tables: class and slot, 16 counts of codes by length, the codes' values. stb_image
// starts another table as long as any of the segment's `length` bytes are left, and reads zeros behind the
// file's end.
void check_tables(std::span<const std::byte> file, size_t length) {
  for (size_t table = 0; table < length;) {
    size_t codes = 0;
    for (size_t i = table + 1; i <= table + 16 && i < file.size(); ++i) codes += at(file, i);
    if (codes > 256)
      throw Error("the JPEG has a Huffman table of more than 256 codes").hint("is it damaged?");
    table += 17 + codes;
  }
}

}  // namespace

void check_jpeg_tables(std::span<const std::byte> file) {
  size_t start = 0;  // of the first marker's code, which follows one byte or more of 255
  while (start < file.size() && at(file, start) == 0xff) ++start;
  if (start == 0 || start == file.size() || at(file, start) != kStart) return;
  file = file.subspan(start + 1);
  while (auto marker = next_marker(file)) {
    if (*marker == kEnd) return;
    if (file.size() < 2) return;
    size_t length = size_t{at(file, 0)} << 8 | at(file, 1);  // it counts its own bytes
    length = std::max<size_t>(length, 2);
    if (*marker == kHuffmanTables) check_tables(file.subspan(2), length - 2);
    file = file.subspan(std::min(file.size(), length));
  }
}

}  // namespace vox
