// Morton codes: the bits of the coordinates interleaved, x lowest. In space, 21 bits for each of the three
// axes fill 63 bits. In a plane, 32 bits for each of the two axes fill 64.
#pragma once

#include <cstdint>

#include "libvox/base/hd.h"
#include "libvox/base/vec.h"

namespace vox {

// The bits that belong to one axis in a code of kAxes axes. On the way to a code, an axis's bits stand in groups of
// `group` bits. With three axes:
//
//   32  fedcba    2  fe....dc....ba    1  f..e..d..c..b..a
template <uint32_t kAxes>
VOX_HD constexpr uint64_t axis_bits(uint32_t group) {
  uint64_t bits = 0;
  for (uint32_t i = 0; i < 64 / kAxes; ++i) bits |= uint64_t{1} << (i / group * group * kAxes + i % group);
  return bits;
}
template <uint32_t kAxes, uint32_t kGroup>
constexpr uint64_t kAxisBits = axis_bits<kAxes>(kGroup);

// ....cba -> ..c..b..a
template <uint32_t kAxes>
VOX_HD uint64_t spread_bits(uint64_t v) {
  constexpr uint32_t kOthers = kAxes - 1;
  v &= kAxisBits<kAxes, 32>;
  v = (v | v << 16 * kOthers) & kAxisBits<kAxes, 16>;
  v = (v | v << 8 * kOthers) & kAxisBits<kAxes, 8>;
  v = (v | v << 4 * kOthers) & kAxisBits<kAxes, 4>;
  v = (v | v << 2 * kOthers) & kAxisBits<kAxes, 2>;
  v = (v | v << kOthers) & kAxisBits<kAxes, 1>;
  return v;
}

// ..c..b..a -> ....cba
template <uint32_t kAxes>
VOX_HD uint32_t gather_bits(uint64_t v) {
  constexpr uint32_t kOthers = kAxes - 1;
  v &= kAxisBits<kAxes, 1>;
  v = (v | v >> kOthers) & kAxisBits<kAxes, 2>;
  v = (v | v >> 2 * kOthers) & kAxisBits<kAxes, 4>;
  v = (v | v >> 4 * kOthers) & kAxisBits<kAxes, 8>;
  v = (v | v >> 8 * kOthers) & kAxisBits<kAxes, 16>;
  v = (v | v >> 16 * kOthers) & kAxisBits<kAxes, 32>;
  return static_cast<uint32_t>(v);
}

VOX_HD inline uint64_t morton_encode(uint32_t x, uint32_t y, uint32_t z) {
  return spread_bits<3>(x) | spread_bits<3>(y) << 1 | spread_bits<3>(z) << 2;
}
VOX_HD inline uint64_t morton_encode(Vec2<uint32_t> place) {
  return spread_bits<2>(place.x) | spread_bits<2>(place.y) << 1;
}

VOX_HD inline Int3 morton_decode(uint64_t code) {
  return {static_cast<int32_t>(gather_bits<3>(code)), static_cast<int32_t>(gather_bits<3>(code >> 1)),
          static_cast<int32_t>(gather_bits<3>(code >> 2))};
}
VOX_HD inline Vec2<uint32_t> morton_decode_in_plane(uint64_t code) {
  return {gather_bits<2>(code), gather_bits<2>(code >> 1)};
}

// The order of the eight parts of a cube of 2³ and of the voxels of a cube of 4³: Morton order, x lowest. This order is
// defined here alone. The codes above order whole grids in the same way.
//
//   2³   octant z y x: child masks and child pointers of nodes, and each byte of a mask of 4³
//   4³   bit z1 y1 x1 z0 y0 x0: masks of leaves and of lattices; bit 8 · o + p is part p of octant o
//
// An axis is 0, 1 or 2 for x, y or z.

// --- a cube of 2³ ---

// The octant at these coordinates, each 0 or 1.
VOX_HD constexpr uint32_t octant_of(uint32_t x, uint32_t y, uint32_t z) {
  return x | y << 1 | z << 2;
}

// The octant that holds the voxel, within the cube of side 2^(log2 + 1) around the voxel.
template <class T>
VOX_HD constexpr uint32_t octant_at(const Vec3<T>& voxel, uint32_t log2) {
  return octant_of(static_cast<uint32_t>(voxel.x >> log2 & 1), static_cast<uint32_t>(voxel.y >> log2 & 1),
                   static_cast<uint32_t>(voxel.z >> log2 & 1));
}

// The coordinates of an octant, each 0 or 1.
VOX_HD constexpr Int3 octant_place(uint32_t octant) {
  return {static_cast<int32_t>(octant & 1), static_cast<int32_t>(octant >> 1 & 1),
          static_cast<int32_t>(octant >> 2)};
}

// The lowest corner of an octant whose side is `side`.
VOX_HD constexpr Int3 octant_corner(uint32_t octant, int32_t side) {
  return {octant & 1 ? side : 0, octant & 2 ? side : 0, octant & 4 ? side : 0};
}

// A mask of the octants whose coordinate on this axis is 0.
VOX_HD constexpr uint32_t lower_octants(uint32_t axis) {
  return axis == 0 ? 0x55 : axis == 1 ? 0x33 : 0x0f;
}

// --- a cube of 4³ ---

// The bit of a voxel, given the two lowest bits of each coordinate.
VOX_HD constexpr uint32_t cube_bit(uint32_t x, uint32_t y, uint32_t z) {
  return (x & 1) | (y & 1) << 1 | (z & 1) << 2 | (x & 2) << 2 | (y & 2) << 3 | (z & 2) << 4;
}
VOX_HD constexpr uint32_t cube_bit(const Int3& voxel) {
  return cube_bit(static_cast<uint32_t>(voxel.x), static_cast<uint32_t>(voxel.y),
                  static_cast<uint32_t>(voxel.z));
}

// The coordinates of the voxel with this bit, 0 to 3 each.
VOX_HD constexpr Int3 cube_place(uint32_t bit) {
  return {static_cast<int32_t>((bit & 1) | (bit >> 2 & 2)),
          static_cast<int32_t>((bit >> 1 & 1) | (bit >> 3 & 2)),
          static_cast<int32_t>((bit >> 2 & 1) | (bit >> 4 & 2))};
}

// A mask of the voxels whose coordinate on this axis is even.
VOX_HD constexpr uint64_t even_voxels(uint32_t axis) {
  return axis == 0 ? 0x5555555555555555ull : axis == 1 ? 0x3333333333333333ull : 0x0f0f0f0f0f0f0f0full;
}
// A mask of the voxels whose coordinate on this axis is below 2.
VOX_HD constexpr uint64_t lower_voxels(uint32_t axis) {
  return axis == 0 ? 0x00ff00ff00ff00ffull : axis == 1 ? 0x0000ffff0000ffffull : 0x00000000ffffffffull;
}
// A mask of the voxels whose coordinate on this axis has the two lowest bits of `at`.
VOX_HD constexpr uint64_t plane_voxels(uint32_t axis, uint32_t at) {
  return ((at & 1) != 0 ? ~even_voxels(axis) : even_voxels(axis)) &
         ((at & 2) != 0 ? ~lower_voxels(axis) : lower_voxels(axis));
}

// The order in which a renderer visits the pixels of an image: tiles of 8 x 4, row by row. The 32 pixels of a
// tile, whose rays take nearly the same way, are the lanes of one group.
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
