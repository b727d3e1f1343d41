// The material of a voxel, given a triangle that covers it (docs/architecture.md, "Coverage and material"), in whole
// numbers.
#pragma once

#include <cstdint>

#include "libvox/base/hd.h"
#include "libvox/scene/wrapped_texel.h"
#include "libvox/voxelize/texture_place.h"
#include "libvox/voxelize/triangle.h"
#include "libvox/voxelize/weights.h"

namespace vox::voxelize {

// What materials and holes need of each triangle. The only body of this room that computes in double precision.
struct PrepareShading {
  const TriangleShape* shapes;
  const TriangleShading* shadings;
  TrianglePlane* planes;
  TriangleWeights* weights;
  TexturePlace* places;
  VOX_HD void operator()(uint64_t i) const {
    planes[i] = plane_of(shapes[i]);
    weights[i] = weights_of(shapes[i]);
    places[i] = place_of(shadings[i]);
  }
};

VOX_HD inline scene::Wrap wrap_u(const MaterialRef& material) {
  return static_cast<scene::Wrap>(material.wraps & 15);
}
VOX_HD inline scene::Wrap wrap_v(const MaterialRef& material) {
  return static_cast<scene::Wrap>(material.wraps >> 4);
}

// Index of a texel in MaterialsRef's arrays. The material is textured.
VOX_HD inline uint64_t texel_at(const MaterialRef& material, const MaterialsRef& materials,
                                const TexturePlace& place, Weights weights) {
  const Vec2<int64_t> shares = shares_at(place, weights);
  const TextureLevelRef level = materials.levels[material.first_level + place.level];
  const uint32_t column = scene::texel_of_share(shares.x, level.width, wrap_u(material));
  const uint32_t row = scene::texel_of_share(shares.y, level.height, wrap_v(material));
  return level.first_texel + static_cast<uint64_t>(row) * level.width + column;
}

VOX_HD inline uint32_t vertex_color_index(const MaterialsRef& materials, const TexturePlace& place,
                                          Weights weights) {
  auto five_bits = [&](int64_t a, int64_t b, int64_t c) {
    const int64_t value = (a << kWeightBits) + (b - a) * weights.x + (c - a) * weights.y;
    return static_cast<uint32_t>(value >> kWeightBits) >> 3;
  };
  const scene::Rgba8 *a = &place.color[0], *b = &place.color[1], *c = &place.color[2];
  const uint32_t entry =
      five_bits(a->r, b->r, c->r) << 10 | five_bits(a->g, b->g, c->g) << 5 | five_bits(a->b, b->b, c->b);
  return materials.color_lut[entry >> 3] >> (entry & 7) * 4 & 15;
}

// Palette index at the point of the triangle that is closest to the centre of a voxel that it covers. What is painted
// there (painted.h) comes before the texture.
template <class Paint>
VOX_HD uint32_t material_at(const TrianglesRef& triangles, Paint& paint, uint32_t triangle, Int3 point) {
  const TriangleShape& shape = triangles.shapes[triangle];
  const MaterialRef material = triangles.materials.materials[shape.material];
  constexpr uint32_t kPlaced = MaterialRef::kTextured | MaterialRef::kVertexColors | Paint::kFlag;
  if ((material.flags & kPlaced) == 0) return material.index;
  const Weights weights = closest_weights(triangles.weights[triangle], shape, point);
  const TexturePlace& place = triangles.places[triangle];
  if constexpr (Paint::kFlag != 0) {
    if ((material.flags & Paint::kFlag) != 0)
      if (const uint32_t entry = paint.entry(material, shape.material, shares_at(place, weights));
          entry < scene::kPaletteSize)
        return entry;
    if ((material.flags & ~Paint::kFlag & kPlaced) == 0) return material.index;
  }
  if ((material.flags & MaterialRef::kTextured) == 0)
    return vertex_color_index(triangles.materials, place, weights);
  const uint64_t texel = texel_at(material, triangles.materials, place, weights);
  return triangles.materials.nibbles[texel >> 3] >> (texel & 7) * 4 & 15;
}

// Whether the triangle, whose material has holes, is one at that point.
VOX_HD inline bool hole_at(const TrianglesRef& triangles, uint32_t triangle, Int3 point) {
  const TriangleShape& shape = triangles.shapes[triangle];
  const MaterialRef material = triangles.materials.materials[shape.material];
  const uint64_t texel = texel_at(material, triangles.materials, triangles.places[triangle],
                                  closest_weights(triangles.weights[triangle], shape, point));
  return (triangles.materials.opaque[texel >> 5] >> (texel & 31) & 1) == 0;
}

}  // namespace vox::voxelize
