// Triangles and materials as kernels read them.
//
// Coordinates are integers in units of 1/512 voxel. Vertices are odd (snapped to (k + ½)/256 voxel), voxel
// faces are multiples of 512, and voxel centers are odd multiples of 256. So no vertex ever lies on a face or
// above a center.
#pragma once

#include <cmath>
#include <cstdint>

#include "libvox/base/hd.h"
#include "libvox/base/vec.h"
#include "libvox/scene/palette.h"

namespace vox::voxelize {

inline constexpr int kLog2UnitsPerVoxel = 9;
inline constexpr int32_t kUnitsPerVoxel = 1 << kLog2UnitsPerVoxel;
// Triangles are clipped at this distance from the grid's origin, so that products of two differences fit in
// 64 bits.
inline constexpr double kGuardVoxels = 1 << 20;

// Returns the odd coordinate, in 1/512 voxel, to which a coordinate in voxels snaps. Coordinates that are at
// most 1/256 voxel outside of the grid of `resolution` voxels snap inward.
VOX_HD inline int32_t snap(double voxels, uint32_t resolution) {
  double k = floor(voxels * 256);
  const double last = 256.0 * resolution - 1;
  if (k == -1) k = 0;
  if (k > last && voxels <= resolution + 1 / 256.0) k = last;
  return 2 * static_cast<int32_t>(k) + 1;
}

struct TriangleShape {
  Int3 corner[3];     // 36 B
  uint32_t material;  // 4 B
};
static_assert(sizeof(TriangleShape) == 40);

struct TriangleShading {
  Vec2f texcoord[3];      // 24 B
  uint32_t level;         // 4 B, the mip level whose texels are nearest in size to a voxel
  scene::Rgba8 color[3];  // 12 B, vertex colors
};
static_assert(sizeof(TriangleShading) == 40);

// The plane through a snapped triangle. Its normal is divided by the greatest common divisor of its
// components, so that coplanar triangles have equal planes (apart from the sign) and ties between them are
// exact. See weights.h.
struct TrianglePlane {
  Vec3<int64_t> normal;  // 24 B
  float scale;           // 4 B, 1 / |normal|; 0 if the snapped triangle has no area
  uint32_t narrow;       // 4 B, 1 if products for points near the plane fit in 64 bits
};
static_assert(sizeof(TrianglePlane) == 32);

// The coefficients of the weights of corners 1 and 2 at the closest point. See weights.h.
struct TriangleWeights {
  Vec3<int64_t> b, c;        // 48 B, what one unit along each axis adds to each weight, in 2^-bits
  uint32_t reciprocals[3];   // 12 B, of the squared lengths of the edges 0–1, 0–2 and 1–2
  uint8_t length_shifts[3];  // 3 B, how far each length was shifted up to compute its reciprocal
  uint8_t bits : 6;  // 1 B with the next; 0: the triangle is treated as its longest edge, since it is so low
  uint8_t longest : 2;
};
static_assert(sizeof(TriangleWeights) == 64);

// The place of a triangle in its texture, at the mip level that it reads, and its vertex colors. A share is
// 2^-32 of the image's side, the unit of texture coordinates. See weights.h.
struct TexturePlace {
  Vec2<int64_t> origin;   // 16 B, the shares of corner 0
  Vec2<int32_t> b, c;     // 16 B, the distance of corners 1 and 2 from corner 0, in 2^(30 - shift) shares
  uint8_t shift_u;        // 1 B
  uint8_t shift_v;        // 1 B
  uint16_t level;         // 2 B
  scene::Rgba8 color[3];  // 12 B
};
static_assert(sizeof(TexturePlace) == 48);

struct TextureLevelRef {
  uint32_t width, height;  // 8 B
  uint64_t first_texel;    // 8 B, index into MaterialsRef::nibbles (4 bits) and ::opaque (1 bit)
};
static_assert(sizeof(TextureLevelRef) == 16);

struct MaterialRef {
  static constexpr uint32_t kTextured = 1, kHasHoles = 2, kVertexColors = 4, kPainted = 8, kInvisible = 16,
                            kHolesAlone = 32;
  uint32_t first_level;  // 4 B, index into MaterialsRef::levels
  uint32_t level_count;  // 4 B
  uint16_t flags;        // 2 B
  uint8_t index;         // 1 B, the palette entry if there is no texture
  uint8_t wraps;         // 1 B, u in bits 0–3, v in bits 4–7 (enum Wrap)
};
static_assert(sizeof(MaterialRef) == 12);

struct MaterialsRef {
  const MaterialRef* materials = nullptr;
  const TextureLevelRef* levels = nullptr;
  const uint32_t* nibbles = nullptr;
  const uint32_t* opaque = nullptr;
  const uint32_t* color_lut = nullptr;
  // With scene::MaterialMode::Colors, the colors of texels and of materials without a texture.
  const uint32_t* texel_colors = nullptr;
  const uint32_t* plain_colors = nullptr;
  uint32_t holes = 0;  // 1 if a material has holes
};

struct TrianglesRef {
  const TriangleShape* shapes = nullptr;
  // Planes, weights and places are set only if voxels get materials or triangles have holes.
  const TrianglePlane* planes = nullptr;
  const TriangleWeights* weights = nullptr;
  const TexturePlace* places = nullptr;
  MaterialsRef materials = {};
};

}  // namespace vox::voxelize
