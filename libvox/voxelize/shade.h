// The material of a voxel, given a triangle that covers it (docs/architecture.md, "Coverage and material").
// It is computed in double precision, with basic operations only, so that all devices round alike.
#pragma once

#include <cmath>
#include <cstdint>

#include "libvox/base/closest_weights.h"
#include "libvox/base/hd.h"
#include "libvox/scene/wrapped_texel.h"
#include "libvox/voxelize/coverage.h"
#include "libvox/voxelize/triangle.h"

namespace vox::voxelize {

VOX_HD inline uint64_t greatest_common_divisor(uint64_t a, uint64_t b) {
  while (b != 0) {
    const uint64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

VOX_HD inline TrianglePlane plane_of(const TriangleShape& triangle) {
  Vec3<int64_t> n = normal_of(triangle);
  auto size = [](int64_t v) { return static_cast<uint64_t>(absolute(v)); };
  const auto divisor =
      static_cast<int64_t>(greatest_common_divisor(greatest_common_divisor(size(n.x), size(n.y)), size(n.z)));
  if (divisor == 0) return {n, 0, 0};
  n = {n.x / divisor, n.y / divisor, n.z / divisor};
  const Vec3d d = {static_cast<double>(n.x), static_cast<double>(n.y), static_cast<double>(n.z)};
  return {n, 1 / sqrt(dot(d, d)), extent_of(triangle) <= kNarrowExtent ? uint64_t{1} : 0};
}

// Distance of a point from the plane, in units. The product is exact before it is rounded. Triangles without
// area are farther than everything else.
VOX_HD inline double plane_distance(const TrianglePlane& plane, const TriangleShape& triangle, Int3 point) {
  constexpr double kFar = 1e300;
  if (plane.scale == 0) return kFar;
  const Vec3<int64_t> p = wide_difference(point, triangle.corner[0]);
  if (plane.narrow != 0) return static_cast<double>(absolute(dot(plane.normal, p))) * plane.scale;
  __int128 product = static_cast<__int128>(plane.normal.x) * p.x +
                     static_cast<__int128>(plane.normal.y) * p.y +
                     static_cast<__int128>(plane.normal.z) * p.z;
  if (product < 0) product = -product;
  const double high = static_cast<double>(static_cast<uint64_t>(product >> 64)) * 0x1p64;
  return (high + static_cast<double>(static_cast<uint64_t>(product))) * plane.scale;
}

// Weights of corners 1 and 2 at the point of the triangle that is closest to `point`.
VOX_HD inline Vec2<double> closest_weights(const TriangleShape& triangle, Int3 point) {
  const auto wide = [](Int3 p) {
    return Vec3d{static_cast<double>(p.x), static_cast<double>(p.y), static_cast<double>(p.z)};
  };
  return vox::closest_weights(wide(triangle.corner[0]), wide(triangle.corner[1]), wide(triangle.corner[2]),
                              wide(point));
}

VOX_HD inline Vec2<double> texcoord_at(const TriangleShading& shading, Vec2<double> weights) {
  auto mix = [&](double a, double b, double c) { return a + (b - a) * weights.x + (c - a) * weights.y; };
  return {mix(shading.texcoord[0].x, shading.texcoord[1].x, shading.texcoord[2].x),
          mix(shading.texcoord[0].y, shading.texcoord[1].y, shading.texcoord[2].y)};
}

VOX_HD inline scene::Wrap wrap_u(const MaterialRef& material) {
  return static_cast<scene::Wrap>(material.wraps & 15);
}
VOX_HD inline scene::Wrap wrap_v(const MaterialRef& material) {
  return static_cast<scene::Wrap>(material.wraps >> 4);
}

// Index of the texel at the closest point, in MaterialsRef's arrays. The material is textured.
VOX_HD inline uint64_t texel_at(const MaterialRef& material, const MaterialsRef& materials,
                                const TriangleShading& shading, Vec2<double> weights) {
  const Vec2<double> uv = texcoord_at(shading, weights);
  const TextureLevelRef level = materials.levels[material.first_level + shading.level];
  const uint32_t column = scene::wrapped_texel(uv.x, level.width, wrap_u(material));
  const uint32_t row = scene::wrapped_texel(uv.y, level.height, wrap_v(material));
  return level.first_texel + static_cast<uint64_t>(row) * level.width + column;
}

VOX_HD inline uint32_t vertex_color_index(const MaterialsRef& materials, const TriangleShading& shading,
                                          Vec2<double> weights) {
  auto five_bits = [&](int a, int b, int c) {
    const double value = a + (b - a) * weights.x + (c - a) * weights.y;
    return static_cast<uint32_t>(value < 0 ? 0 : value > 255 ? 255 : value) >> 3;
  };
  const scene::Rgba8 *a = &shading.color[0], *b = &shading.color[1], *c = &shading.color[2];
  const uint32_t entry =
      five_bits(a->r, b->r, c->r) << 10 | five_bits(a->g, b->g, c->g) << 5 | five_bits(a->b, b->b, c->b);
  return materials.color_lut[entry >> 3] >> (entry & 7) * 4 & 15;
}

// Palette index at the point of the triangle closest to `point`. What is painted there (painted.h) comes before
// the texture.
template <class Paint>
VOX_HD uint32_t material_at(const TrianglesRef& triangles, Paint& paint, uint32_t triangle, Int3 point) {
  const TriangleShape& shape = triangles.shapes[triangle];
  const MaterialRef material = triangles.materials.materials[shape.material];
  constexpr uint32_t kPlaced = MaterialRef::kTextured | MaterialRef::kVertexColors | Paint::kFlag;
  if ((material.flags & kPlaced) == 0) return material.index;
  const Vec2<double> weights = closest_weights(shape, point);
  const TriangleShading& shading = triangles.shadings[triangle];
  if constexpr (Paint::kFlag != 0) {
    if ((material.flags & Paint::kFlag) != 0)
      if (const uint32_t entry = paint.entry(material, shape.material, texcoord_at(shading, weights));
          entry < scene::kPaletteSize)
        return entry;
    if ((material.flags & ~Paint::kFlag & kPlaced) == 0) return material.index;
  }
  if ((material.flags & MaterialRef::kTextured) == 0)
    return vertex_color_index(triangles.materials, shading, weights);
  const uint64_t texel = texel_at(material, triangles.materials, shading, weights);
  return triangles.materials.nibbles[texel >> 3] >> (texel & 7) * 4 & 15;
}

// Whether the triangle is a hole at the point closest to `point`.
VOX_HD inline bool hole_at(const TrianglesRef& triangles, uint32_t triangle, Int3 point) {
  const TriangleShape& shape = triangles.shapes[triangle];
  const MaterialRef material = triangles.materials.materials[shape.material];
  const uint64_t texel =
      texel_at(material, triangles.materials, triangles.shadings[triangle], closest_weights(shape, point));
  return (triangles.materials.opaque[texel >> 5] >> (texel & 31) & 1) == 0;
}

}  // namespace vox::voxelize
