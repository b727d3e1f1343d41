#include "formats/images/png_writer.h"

#include <fmt/format.h>
#include <stb_image_write.h>
#include <tbb/parallel_for.h>

#include <algorithm>

#include "libvox/base/error.h"

namespace vox {

std::string encode_png(const scene::Image& image) {
  bool opaque = std::ranges::all_of(image.pixels, [](scene::Rgba8 pixel) { return pixel.a == 255; });
  int channels = opaque ? 3 : 4;
  std::vector<uint8_t> bytes;
  bytes.reserve(image.pixels.size() * static_cast<size_t>(channels));
  for (scene::Rgba8 pixel : image.pixels) {
    bytes.insert(bytes.end(), {pixel.r, pixel.g, pixel.b});
    if (!opaque) bytes.push_back(pixel.a);
  }
  std::string png;
  auto append = [](void* out, void* data, int size) {
    static_cast<std::string*>(out)->append(static_cast<const char*>(data), static_cast<size_t>(size));
  };
  auto width = static_cast<int>(image.width), height = static_cast<int>(image.height);
  if (!stbi_write_png_to_func(append, &png, width, height, channels, bytes.data(), width * channels))
    throw Error(fmt::format("an image of {} x {} cannot be written as PNG", width, height)).at(image.name);
  return png;
}

std::vector<std::string> encode_png(const std::vector<scene::Image>& images) {
  std::vector<std::string> files(images.size());
  tbb::parallel_for(size_t{0}, images.size(), [&](size_t i) { files[i] = encode_png(images[i]); });
  return files;
}

}  // namespace vox
