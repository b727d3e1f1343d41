// The shapes from which keys are taken: pictures and a surface. Their places become the keys. A shape has
//
//   Int3 size() const                           the grid's size
//   uint64_t candidates() const                 number of places to test: all, or all that are near the shape
//   VOX_HD Int3 place(uint64_t i) const         the i-th candidate
//   VOX_HD bool is_filled(Int3 place) const     true if the place is stored
//   VOX_HD uint32_t value(Int3 place) const     the place's value
#pragma once

#include <cstdint>

#include "libvox/base/bits.h"
#include "libvox/base/hd.h"
#include "libvox/base/morton.h"
#include "libvox/base/vec.h"

namespace vox::measure {

// A picture with mostly white pixels, of which only the others are stored (García et al. 2011, §4.2).

// Colors are 0xrrggbb.
inline constexpr uint32_t kWhite = 0xffffff;

// A generated picture with discs and strokes of all sizes, from single pixels to a few hundred across, as in
// the paper's test picture. A hash of each tile of each size decides if it holds a disc, a stroke or nothing.
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
  const uint32_t* colors = nullptr;  // colors of the pixels; generated if null
  uint32_t width = 0, height = 0;

  VOX_HD uint32_t color(uint32_t x, uint32_t y) const {
    return colors != nullptr ? colors[uint64_t{y} * width + x] : DiscsAndStrokes().color(x, y);
  }
};

// Hashes the coordinates. The result is not used as a key.
VOX_HD inline uint64_t mixed_place(const Int3& place) {
  return mix64((static_cast<uint64_t>(place.z) << 42) + (static_cast<uint64_t>(place.y) << 21) +
               static_cast<uint64_t>(place.x) + 1);
}

VOX_HD inline Int3 pixel_of(uint64_t i, uint32_t width) {
  return {static_cast<int32_t>(i % width), static_cast<int32_t>(i / width), 0};
}

// The pixels of a picture that are not white; their colors are the values.
struct PictureShape {
  SparsePicture picture;

  Int3 size() const { return {static_cast<int32_t>(picture.width), static_cast<int32_t>(picture.height), 1}; }
  uint64_t candidates() const { return uint64_t{picture.width} * picture.height; }
  VOX_HD Int3 place(uint64_t i) const { return pixel_of(i, picture.width); }
  VOX_HD bool is_filled(const Int3& place) const { return value(place) != kWhite; }
  VOX_HD uint32_t value(const Int3& place) const {
    return picture.color(static_cast<uint32_t>(place.x), static_cast<uint32_t>(place.y));
  }
};

// Pixels at random places, one in 64, as in the paper's tests of random keys of an 8192² picture.
struct PixelsShape {
  uint32_t side;

  Int3 size() const { return {static_cast<int32_t>(side), static_cast<int32_t>(side), 1}; }
  uint64_t candidates() const { return uint64_t{side} * side; }
  VOX_HD Int3 place(uint64_t i) const { return pixel_of(i, side); }
  VOX_HD bool is_filled(const Int3& place) const { return mixed_place(place) >> 58 == 0; }
  VOX_HD uint32_t value(const Int3& place) const { return static_cast<uint32_t>(mixed_place(place)); }
};

// The texels of an atlas that is partly painted: about 3 of 10 parts have strokes and blots, the others
// nothing. About one million of 4096² texels are painted.
struct PaintedShape {
  static constexpr uint32_t kParts = 8;  // parts along a side
  static constexpr double kFilledShare = 0.0625;

  uint32_t side;

  Int3 size() const { return {static_cast<int32_t>(side), static_cast<int32_t>(side), 1}; }
  uint64_t candidates() const { return uint64_t{side} * side; }
  VOX_HD Int3 place(uint64_t i) const { return pixel_of(i, side); }
  VOX_HD bool is_filled(const Int3& place) const {
    return is_painted(part(place.x), part(place.y)) && value(place) != kWhite;
  }
  VOX_HD uint32_t value(const Int3& place) const {
    return DiscsAndStrokes().color(static_cast<uint32_t>(place.x), static_cast<uint32_t>(place.y));
  }

 private:
  VOX_HD uint32_t part(int32_t at) const {
    return static_cast<uint32_t>(static_cast<uint64_t>(at) * kParts / side);
  }
  VOX_HD static bool is_painted(uint32_t x, uint32_t y) { return (3 * x + 7 * y) % 10 < 3; }
};

// A sphere with bumps in a grid of side³ voxels. Its operations give the same result on every
// device.
struct BumpySphere {
  static constexpr uint32_t kBlock = 4;                  // the side of the cubes that are tested for nearness
  static constexpr float kRadius = 0.7f, kBump = 0.08f;  // as shares of half the grid's side
  static constexpr float kSteepness = 3;
  static constexpr double kVoxelsOfSide2 = 2.2;  // approximate number of surface voxels / side²

  int32_t side;

  // Returns the number of blocks along a side.
  VOX_HD uint64_t blocks() const { return (static_cast<uint32_t>(side) + kBlock - 1) / kBlock; }
  VOX_HD Int3 block(uint64_t i) const {
    const uint64_t n = blocks();
    return Int3{static_cast<int32_t>(i % n), static_cast<int32_t>(i / n % n),
                static_cast<int32_t>(i / n / n)} *
           static_cast<int32_t>(kBlock);
  }
  // Returns how far outside the surface a point is, in units of half the grid's side; negative inside. Over a
  // distance
  // of 1 the result changes by less than kSteepness: by 1 for the distance from the center, and by 8 · kBump
  // · √3 for the waves.
  VOX_HD float height(float x, float y, float z) const {
    const float scale = 2 / static_cast<float>(side);
    x = x * scale - 1;
    y = y * scale - 1;
    z = z * scale - 1;
    return square_root(x * x + y * y + z * z) - kRadius - kBump * (wave(x) + wave(y) + wave(z));
  }
  VOX_HD bool is_inside(const Int3& v) const {
    return height(static_cast<float>(v.x) + 0.5f, static_cast<float>(v.y) + 0.5f,
                  static_cast<float>(v.z) + 0.5f) < 0;
  }
  // A voxel belongs to the surface if it is inside and one of its six neighbors is not.
  VOX_HD bool is_surface(const Int3& v) const {
    if (!is_inside(v)) return false;
    for (uint32_t axis = 0; axis < 3; ++axis)
      for (const int32_t step : {-1, 1}) {
        Int3 other = v;
        other[axis] += step;
        if (!is_inside(other)) return true;
      }
    return false;
  }

 private:
  // A wave made of parabolas from 0 to 1 and back, two of them over a distance of 1.
  VOX_HD static float wave(float t) {
    t = t * 2 + 8;
    t -= static_cast<float>(static_cast<int32_t>(t));
    return 4 * t * (1 - t);
  }
};

// True if the block contains voxels of the surface.
struct IsNearSurface {
  BumpySphere sphere;
  VOX_HD bool operator()(uint64_t i) const {
    const Int3 begin = sphere.block(i);
    constexpr float kMiddle = BumpySphere::kBlock / 2.0f;
    // The distance from the block's center to a corner, plus one voxel.
    const float reach =
        BumpySphere::kSteepness * 2 * (kMiddle + 1) * 1.7321f / static_cast<float>(sphere.side);
    const float height =
        sphere.height(static_cast<float>(begin.x) + kMiddle, static_cast<float>(begin.y) + kMiddle,
                      static_cast<float>(begin.z) + kMiddle);
    if (height > reach || height < -reach) return false;
    for (uint32_t voxel = 0; voxel < 64; ++voxel)
      if (sphere.is_surface(begin + morton_decode(voxel))) return true;
    return false;
  }
};

// The voxels of the surface; candidates are the voxels of all blocks that contain surface.
struct SurfaceShape {
  BumpySphere sphere;
  const uint32_t* blocks;
  uint64_t block_count;

  Int3 size() const {
    const auto side = static_cast<int32_t>(sphere.blocks() * BumpySphere::kBlock);
    return {side, side, side};
  }
  uint64_t candidates() const { return block_count * 64; }
  VOX_HD Int3 place(uint64_t i) const { return sphere.block(blocks[i / 64]) + morton_decode(i % 64); }
  VOX_HD bool is_filled(const Int3& place) const { return sphere.is_surface(place); }
  VOX_HD uint32_t value(const Int3& place) const { return static_cast<uint32_t>(mixed_place(place)); }
};

// The voxels of a scene, as leaves of 4³ voxels: the ascending Morton codes of their places, and a mask for each.
struct SceneShape {
  int32_t side;
  const uint64_t* leaves;
  const uint64_t* masks;
  uint64_t leaf_count;

  Int3 size() const { return {side, side, side}; }
  uint64_t candidates() const { return leaf_count * 64; }
  VOX_HD Int3 place(uint64_t i) const { return morton_decode(leaves[i / 64] << 6 | i % 64); }
  VOX_HD bool is_filled(const Int3& place) const {
    const uint64_t code = morton_encode(static_cast<uint32_t>(place.x), static_cast<uint32_t>(place.y),
                                        static_cast<uint32_t>(place.z));
    uint64_t begin = 0, end = leaf_count;
    while (begin < end) {
      const uint64_t middle = (begin + end) / 2;
      if (leaves[middle] < code >> 6) {
        begin = middle + 1;
      } else {
        end = middle;
      }
    }
    return begin < leaf_count && leaves[begin] == code >> 6 && (masks[begin] >> (code & 63) & 1) != 0;
  }
  VOX_HD uint32_t value(const Int3& place) const { return static_cast<uint32_t>(mixed_place(place)); }
};

}  // namespace vox::measure
