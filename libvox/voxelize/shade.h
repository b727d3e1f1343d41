// The material of a voxel, given a triangle that covers it (docs/architecture.md, "Coverage and material").
// It is computed in double precision, with basic operations only, so that all devices round alike.
#pragma once

#include <cmath>
#include <cstdint>

#include "libvox/base/hd.h"
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

// Weights of corners 1 and 2 at the point of the triangle that is closest to `point` (Ericson, Real-Time
// Collision Detection, §5.1.5).
VOX_HD inline Vec2<double> closest_weights(const TriangleShape& triangle, Int3 point) {
  auto difference = [](Int3 a, Int3 b) {
    return Vec3d{static_cast<double>(a.x) - b.x, static_cast<double>(a.y) - b.y,
                 static_cast<double>(a.z) - b.z};
  };
  const Vec3d ab = difference(triangle.corner[1], triangle.corner[0]);
  const Vec3d ac = difference(triangle.corner[2], triangle.corner[0]);
  const Vec3d ap = difference(point, triangle.corner[0]);
  const double d1 = dot(ab, ap), d2 = dot(ac, ap);
  if (d1 <= 0 && d2 <= 0) return {0, 0};
  const Vec3d bp = difference(point, triangle.corner[1]);
  const double d3 = dot(ab, bp), d4 = dot(ac, bp);
  if (d3 >= 0 && d4 <= d3) return {1, 0};
  const double vc = d1 * d4 - d3 * d2;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) return {d1 / (d1 - d3), 0};
  const Vec3d cp = difference(point, triangle.corner[2]);
  const double d5 = dot(ab, cp), d6 = dot(ac, cp);
  if (d6 >= 0 && d5 <= d6) return {0, 1};
  const double vb = d5 * d2 - d1 * d6;
  if (vb <= 0 && d2 >= 0 && d6 <= 0) return {0, d2 / (d2 - d6)};
  const double va = d3 * d6 - d5 * d4;
  if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
    const double w = (d4 - d3) / ((d4 - d3) + (d5 - d6));
    return {1 - w, w};
  }
  const double sum = va + vb + vc;
  if (!(sum > 0)) return {0, 0};
  return {vb / sum, vc / sum};
}

// Texel column (or row) of a texture coordinate.
VOX_HD inline uint32_t wrapped_texel(double coordinate, uint32_t size, uint32_t wrap) {
  double share = coordinate;
  if (wrap == static_cast<uint32_t>(scene::Wrap::Repeat)) {
    share -= floor(share);
  } else if (wrap == static_cast<uint32_t>(scene::Wrap::Mirror)) {
    share = share - 2 * floor(share / 2);
    share = share > 1 ? 2 - share : share;
  }
  const double texel = floor(share * size);
  if (!(texel > 0)) return 0;
  return texel >= size ? size - 1 : static_cast<uint32_t>(texel);
}

// Index of the texel at the closest point, in MaterialsRef's arrays. The material is textured.
VOX_HD inline uint64_t texel_at(const MaterialRef& material, const MaterialsRef& materials,
                                const TriangleShading& shading, Vec2<double> weights) {
  auto mix = [&](double a, double b, double c) { return a + (b - a) * weights.x + (c - a) * weights.y; };
  const double u = mix(shading.texcoord[0].x, shading.texcoord[1].x, shading.texcoord[2].x);
  const double v = mix(shading.texcoord[0].y, shading.texcoord[1].y, shading.texcoord[2].y);
  const TextureLevelRef level = materials.levels[material.first_level + shading.level];
  const uint32_t column = wrapped_texel(u, level.width, material.wraps & 15);
  const uint32_t row = wrapped_texel(v, level.height, material.wraps >> 4);
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

// Palette index at the point of the triangle closest to `point`.
VOX_HD inline uint32_t material_at(const TrianglesRef& triangles, uint32_t triangle, Int3 point) {
  const TriangleShape& shape = triangles.shapes[triangle];
  const MaterialRef material = triangles.materials.materials[shape.material];
  if ((material.flags & (MaterialRef::kTextured | MaterialRef::kVertexColors)) == 0) return material.index;
  const Vec2<double> weights = closest_weights(shape, point);
  const TriangleShading& shading = triangles.shadings[triangle];
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
