// A picture with mostly white pixels, of which only the others are stored (García et al. 2011, §4.2).
#pragma once

#include <cstdint>

#include "libvox/base/hd.h"
#include "libvox/base/mix.h"

namespace vox::measure {

// Colours are 0xrrggbb.
inline constexpr uint32_t kWhite = 0xffffff;

// A generated picture: discs and strokes of all sizes, as in the paper's test picture, from single pixels to
// some hundred across. The hash of each tile of each size decides if it holds a disc, a stroke or nothing.
struct DiscsAndStrokes {
  static constexpr uint32_t kLeastTile = 4, kMostTile = 1024, kTileStep = 4;
  static constexpr double kFilledShare = 0.2;  // approximate share of the pixels

  uint32_t seed = 0;

  VOX_HD uint32_t color(uint32_t x, uint32_t y) const {
    for (uint32_t tile = kMostTile; tile >= kLeastTile; tile /= kTileStep) {
      const uint64_t hash = mix64(mix64((uint64_t{y / tile} << 32 | x / tile) + 1) + tile + seed);
      if (is_drawn(hash, tile, static_cast<int32_t>(x % tile), static_cast<int32_t>(y % tile)))
        return static_cast<uint32_t>(hash >> 40) & 0xfefefe;
    }
    return kWhite;
  }

 private:
  // True if the tile's disc or stroke covers this pixel.
  VOX_HD static bool is_drawn(uint64_t hash, uint32_t tile, int32_t x, int32_t y) {
    const uint32_t kind = hash % 32;
    if (kind < 5) return is_in_disc(hash >> 5, tile, x, y);
    if (kind < 10) return is_on_stroke(hash >> 5, tile, x, y);
    return false;
  }
  // The disc lies within the tile: its radius is an eighth to a half of the side.
  VOX_HD static bool is_in_disc(uint64_t hash, uint32_t tile, int32_t x, int32_t y) {
    const auto radius = static_cast<int32_t>(tile / 8 + 1 + part(hash, tile * 3 / 8));
    const uint32_t free = tile - static_cast<uint32_t>(2 * radius - 1);
    const int32_t dx = x - radius + 1 - static_cast<int32_t>(part(hash >> 12, free));
    const int32_t dy = y - radius + 1 - static_cast<int32_t>(part(hash >> 24, free));
    return dx * dx + dy * dy < radius * radius;
  }
  // The stroke goes from one point of the tile to another; it is a sixteenth of the side wide.
  VOX_HD static bool is_on_stroke(uint64_t hash, uint32_t tile, int32_t x, int32_t y) {
    const auto from_x = static_cast<int64_t>(part(hash, tile)),
               from_y = static_cast<int64_t>(part(hash >> 12, tile));
    const int64_t to_x = static_cast<int64_t>(part(hash >> 24, tile)) - from_x;
    const int64_t to_y = static_cast<int64_t>(part(hash >> 35, tile)) - from_y;
    const int64_t at_x = x - from_x, at_y = y - from_y;
    const int64_t length = to_x * to_x + to_y * to_y, along = at_x * to_x + at_y * to_y;
    if (along < 0 || along > length) return false;
    const int64_t beside = at_x * to_y - at_y * to_x, width = tile / 32 + 1;
    return beside * beside <= width * width * length / 4;
  }
  // Returns a number below `count` from the lowest 24 bits of the hash.
  VOX_HD static uint32_t part(uint64_t hash, uint32_t count) {
    return static_cast<uint32_t>((hash & 0xffffff) * count >> 24);
  }
};

// A view of a picture, for kernels.
struct SparsePicture {
  const uint32_t* colors = nullptr;  // colours of the pixels; generated if null
  uint32_t width = 0, height = 0;

  VOX_HD uint32_t color(uint32_t x, uint32_t y) const {
    return colors != nullptr ? colors[uint64_t{y} * width + x] : DiscsAndStrokes().color(x, y);
  }
};

}  // namespace vox::measure
