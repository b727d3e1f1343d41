#include "libvox/measure/edge_points.h"

#include "libvox/measure/keys_bench.h"

namespace vox::measure {

// Computes luma as in ITU-R BT.601 from the colours as they are stored, with weights in 256ths.
GreyPicture grey_of(const scene::Image& image) {
  GreyPicture grey = {image.width, image.height};
  grey.values.reserve(image.pixels.size());
  for (const scene::Rgba8& pixel : image.pixels) {
    const uint32_t color = rgb_of(pixel);
    grey.values.push_back(
        static_cast<uint8_t>(((color >> 16) * 77 + (color >> 8 & 0xff) * 150 + (color & 0xff) * 29) >> 8));
  }
  return grey;
}

EdgesRef edges_of(const GreyPicture& picture, const uint8_t* values, uint32_t step) {
  const int64_t gradient = 4 * int64_t{step};
  return {values, static_cast<int32_t>(picture.width), static_cast<int32_t>(picture.height),
          gradient * gradient};
}

}  // namespace vox::measure
