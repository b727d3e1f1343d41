// The material of a voxel, given a triangle that covers it (docs/architecture.md, "Coverage and material").
// It is computed in whole numbers.
#pragma once

#include <cstdint>

#include "libvox/base/hd.h"
#include "libvox/scene/wrapped_texel.h"
#include "libvox/voxelize/texture_place.h"
#include "libvox/voxelize/triangle.h"
#include "libvox/voxelize/weights.h"

namespace vox::voxelize {

// Computes the data of each triangle that materials and holes need. It uses double precision, which is
// allowed only in code that runs at most once per triangle.
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

// The material of a triangle, or its hole, at the voxels that it covers. It is read at the triangle's point
// that is closest to the voxel's centre. Data that is the same for all voxels is looked up once.
class ShadedTriangle {
 public:
  ShadedTriangle() = default;
  VOX_HD ShadedTriangle(const TrianglesRef& triangles, uint32_t triangle)
      : materials_(&triangles.materials),
        shape_(&triangles.shapes[triangle]),
        weights_(&triangles.weights[triangle]),
        place_(&triangles.places[triangle]),
        material_(triangles.materials.materials[shape_->material]) {
    if ((material_.flags & MaterialRef::kTextured) != 0)
      level_ = triangles.materials.levels[material_.first_level + place_->level];
  }

  // Returns the palette entry at a voxel's centre. Paint (painted.h) takes precedence over the texture.
  template <class Paint>
  VOX_HD uint32_t material(Paint& paint, Int3 point) const {
    constexpr uint32_t kPlaced = MaterialRef::kTextured | MaterialRef::kVertexColors | Paint::kFlag;
    if ((material_.flags & kPlaced) == 0) return material_.index;
    const Weights weights = closest_weights(*weights_, *shape_, point);
    if constexpr (Paint::kFlag != 0) {
      if ((material_.flags & Paint::kFlag) != 0)
        if (const uint32_t entry = paint.entry(material_, shape_->material, shares_at(*place_, weights));
            entry < scene::kPaletteSize)
          return entry;
      if ((material_.flags & ~Paint::kFlag & kPlaced) == 0) return material_.index;
    }
    if ((material_.flags & MaterialRef::kTextured) == 0)
      return vertex_color_index(*materials_, *place_, weights);
    const uint64_t texel = texel_at(weights);
    return materials_->nibbles[texel >> 3] >> (texel & 7) * 4 & 15;
  }

  VOX_HD bool has_holes() const { return (material_.flags & MaterialRef::kHasHoles) != 0; }

  // True if the triangle has a hole at a voxel's centre. The material must have holes.
  VOX_HD bool hole(Int3 point) const {
    const uint64_t texel = texel_at(closest_weights(*weights_, *shape_, point));
    return (materials_->opaque[texel >> 5] >> (texel & 31) & 1) == 0;
  }

 private:
  // Returns the index of a texel in MaterialsRef's arrays. The material must be textured.
  VOX_HD uint64_t texel_at(Weights weights) const {
    const Vec2<int64_t> shares = shares_at(*place_, weights);
    const uint32_t column = scene::texel_of_share(shares.x, level_.width, wrap_u(material_));
    const uint32_t row = scene::texel_of_share(shares.y, level_.height, wrap_v(material_));
    return level_.first_texel + static_cast<uint64_t>(row) * level_.width + column;
  }

  const MaterialsRef* materials_ = nullptr;
  const TriangleShape* shape_ = nullptr;
  const TriangleWeights* weights_ = nullptr;
  const TexturePlace* place_ = nullptr;
  MaterialRef material_ = {};
  TextureLevelRef level_ = {};  // set only if the material is textured
};

}  // namespace vox::voxelize
