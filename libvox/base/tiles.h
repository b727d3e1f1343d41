// The order in which a renderer goes through the pixels of an image: tiles of 8 x 4, row by row. The 32
// pixels of a tile, whose rays go much the same way, are the lanes of one group.
#pragma once

#include <cstdint>

#include "libvox/base/vec.h"

namespace vox {

struct Tiles {
  uint32_t width, height;  // of the image

  VOX_HD uint64_t across() const { return (uint64_t{width} + 7) / 8; }
  VOX_HD uint64_t count() const { return across() * ((uint64_t{height} + 3) / 4) * 32; }

  // The pixels of the tiles that hold a row, by their numbers: from the first to before the end.
  VOX_HD uint64_t begin_of_row(uint32_t row) const { return across() * (row / 4) * 32; }
  VOX_HD uint64_t end_of_row(uint32_t row) const { return begin_of_row(row) + across() * 32; }

  // The i-th pixel. The last tiles of rows and columns reach beyond the image, so that it may lie outside.
  VOX_HD Vec2<uint32_t> pixel(uint64_t i) const {
    const uint64_t tile = i / 32;
    return {static_cast<uint32_t>(tile % across() * 8 + i % 8),
            static_cast<uint32_t>(tile / across() * 4 + i / 8 % 4)};
  }
  VOX_HD bool holds(Vec2<uint32_t> pixel) const { return pixel.x < width && pixel.y < height; }
  VOX_HD uint64_t index(Vec2<uint32_t> pixel) const { return uint64_t{pixel.y} * width + pixel.x; }
};

}  // namespace vox
