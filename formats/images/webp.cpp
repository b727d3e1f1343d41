#include "formats/images/webp.h"

#include <cstdint>
#include <cstring>

#include "libvox/base/error.h"

#ifdef VOX_HAS_WEBP
#include <webp/decode.h>
#endif

namespace vox {

bool is_webp(std::span<const std::byte> file) {
  return file.size() >= 12 && std::memcmp(file.data(), "RIFF", 4) == 0 &&
         std::memcmp(file.data() + 8, "WEBP", 4) == 0;
}

#ifdef VOX_HAS_WEBP

bool can_read_webp() {
  return true;
}

ImageSize webp_size(std::span<const std::byte> file) {
  int width = 0, height = 0;
  if (!WebPGetInfo(reinterpret_cast<const uint8_t*>(file.data()), file.size(), &width, &height))
    throw Error("not a supported WebP image").hint("is the file damaged?");
  return {.width = static_cast<uint64_t>(width), .height = static_cast<uint64_t>(height)};
}

scene::Image decode_webp(std::span<const std::byte> file) {
  ImageSize size = webp_size(file);
  scene::Image image = {.name = {},
                        .width = static_cast<uint32_t>(size.width),
                        .height = static_cast<uint32_t>(size.height),
                        .pixels = std::vector<scene::Rgba8>(size.width * size.height)};
  size_t bytes = image.pixels.size() * sizeof(scene::Rgba8);
  if (!WebPDecodeRGBAInto(reinterpret_cast<const uint8_t*>(file.data()), file.size(),
                          reinterpret_cast<uint8_t*>(image.pixels.data()), bytes,
                          static_cast<int>(image.width * sizeof(scene::Rgba8))))
    throw Error("the WebP image cannot be decoded").hint("is the file truncated?");
  return image;
}

#else

bool can_read_webp() {
  return false;
}

ImageSize webp_size(std::span<const std::byte>) {
  throw Error("a WebP image, but this build was made without libwebp").hint("convert it to PNG or JPEG");
}

Image decode_webp(std::span<const std::byte> file) {
  webp_size(file);
  return {};
}

#endif

}  // namespace vox
