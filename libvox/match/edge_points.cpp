#include "libvox/match/edge_points.h"

namespace vox::match {

// Computes luma as in ITU-R BT.601 from the colours as they are stored, with weights in 256ths.
GreyPicture grey_of(const scene::Image& image) {
  constexpr scene::Rgba8 kWhite = {255, 255, 255, 255};
  GreyPicture grey = {image.width, image.height};
  grey.values.reserve(image.pixels.size());
  for (const scene::Rgba8& pixel : image.pixels) {
    const auto [r, g, b, a] = pixel.a == 0 ? kWhite : pixel;
    grey.values.push_back(static_cast<uint8_t>((r * 77u + g * 150u + b * 29u) >> 8));
  }
  return grey;
}

EdgesRef edges_of(const GreyPicture& picture, const uint8_t* values, uint32_t step) {
  const int64_t gradient = 4 * int64_t{step};
  return {values, static_cast<int32_t>(picture.width), static_cast<int32_t>(picture.height),
          gradient * gradient};
}

}  // namespace vox::match
