// The place of a triangle in its texture. A share is 2^-32 of an image's side: a coordinate from which wrap
// and texel follow without a division, for an image of any size.
//
// At given weights the error of the shares is at most six shares plus 2^-27 of the distance between the
// coordinates of the corners: 2^-12 of a texel if an image of 16K texels lies on a triangle once, an eighth
// of a texel if the image repeats a thousand times. At exact weights, shares are never too small; with the
// weights that weights.h computes, neither are those of nearly all triangles. So a point on the edge between
// two texels, which is frequent on walls along the axes, belongs to the upper texel, as it would without
// rounding. Coordinates beyond 2^27 sides of the image count as 2^27; floats of that size are 16 sides apart.
#pragma once

#include <cmath>
#include <cstdint>

#include "libvox/base/hd.h"
#include "libvox/voxelize/triangle.h"
#include "libvox/voxelize/weights.h"

namespace vox::voxelize {

// One coordinate of the three corners. It is computed once per triangle.
struct PlaceAlong {
  int64_t origin;
  int32_t b, c;
  uint8_t shift;

  VOX_HD PlaceAlong(float at_0, float at_1, float at_2) {
    constexpr double kWholeShare = 0x1p32;
    const double first = limited(at_0), to_1 = limited(at_1) - first, to_2 = limited(at_2) - first;
    const double farthest = larger(fabs(to_1), fabs(to_2)) * kWholeShare;  // at most 2^60
    int up = 0;
    while (farthest > 0x1p30 * static_cast<double>(int64_t{1} << up)) ++up;
    const double scale = kWholeShare / static_cast<double>(int64_t{1} << up);
    // Each weight is too small by up to 2^-29.
    const double least_error = 4, weights_error = 0x1p-28;
    origin = static_cast<int64_t>(floor(first * kWholeShare + least_error + farthest * weights_error));
    b = static_cast<int32_t>(floor(to_1 * scale + 0.5));
    c = static_cast<int32_t>(floor(to_2 * scale + 0.5));
    shift = static_cast<uint8_t>(kWeightBits - up);
  }

 private:
  VOX_HD static double limited(float coordinate) {
    constexpr float kFarthest = 0x1p27f;
    if (!(coordinate > -kFarthest)) return coordinate < 0 ? -kFarthest : 0;  // NaN counts as 0
    return coordinate < kFarthest ? coordinate : kFarthest;
  }
  VOX_HD static double larger(double a, double b) { return a > b ? a : b; }
};

VOX_HD inline TexturePlace place_of(const TriangleShading& shading) {
  const Vec2f *a = &shading.texcoord[0], *b = &shading.texcoord[1], *c = &shading.texcoord[2];
  const PlaceAlong u(a->x, b->x, c->x), v(a->y, b->y, c->y);
  return {{u.origin, v.origin},
          {u.b, v.b},
          {u.c, v.c},
          u.shift,
          v.shift,
          static_cast<uint16_t>(shading.level),
          {shading.color[0], shading.color[1], shading.color[2]}};
}

// Returns the shares at given weights.
VOX_HD inline Vec2<int64_t> shares_at(const TexturePlace& place, Weights weights) {
  auto along = [&](int64_t origin, int64_t b, int64_t c, int shift) {
    return origin + ((b * weights.x + c * weights.y) >> shift);
  };
  return {along(place.origin.x, place.b.x, place.c.x, place.shift_u),
          along(place.origin.y, place.b.y, place.c.y, place.shift_v)};
}

}  // namespace vox::voxelize
