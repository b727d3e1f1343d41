// The order in which a renderer visits the pixels of an image: tiles of 8 x 4, row by row. The 32 pixels of a
// tile, whose rays take nearly the same way, are the lanes of one group.
#pragma once

#include <cstdint>

#include "libvox/base/vec.h"

namespace vox {

struct Tiles {
  uint32_t width, height;  // in pixels, of the image

  VOX_HD uint64_t across() const { return (uint64_t{width} + 7) / 8; }
  VOX_HD uint64_t count() const { return across() * ((uint64_t{height} + 3) / 4) * 32; }

  // These functions return the range of pixel numbers in the tiles that contain an image row.
  VOX_HD uint64_t begin_of_row(uint32_t row) const { return across() * (row / 4) * 32; }
  VOX_HD uint64_t end_of_row(uint32_t row) const { return begin_of_row(row) + across() * 32; }

  // Returns the i-th pixel. The last tile of a row or a column may reach beyond the image, so the pixel may
  // lie outside it.
  VOX_HD Vec2<uint32_t> pixel(uint64_t i) const {
    const uint64_t tile = i / 32;
    return {static_cast<uint32_t>(tile % across() * 8 + i % 8),
            static_cast<uint32_t>(tile / across() * 4 + i / 8 % 4)};
  }
  VOX_HD bool holds(Vec2<uint32_t> pixel) const { return pixel.x < width && pixel.y < height; }
  VOX_HD uint64_t index(Vec2<uint32_t> pixel) const { return uint64_t{pixel.y} * width + pixel.x; }
};

}  // namespace vox
