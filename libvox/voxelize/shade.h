// Computes a voxel's material from a triangle that covers it (docs/architecture.md, "Coverage and
// material"), in whole numbers.
#pragma once

#include <cstdint>
#include <utility>

#include "libvox/base/hd.h"
#include "libvox/device/atomics.h"
#include "libvox/device/pool.h"
#include "libvox/painting/frozen_atlas.h"
#include "libvox/scene/texture.h"
#include "libvox/voxelize/prepare.h"
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

// A scene's triangles with their materials in the device's memory.
template <class Device>
struct DeviceScene {
  device::Buffer<TriangleShape> shapes;
  device::Buffer<TrianglePlane> planes;
  device::Buffer<TriangleWeights> weights;
  device::Buffer<TexturePlace> places;
  device::Buffer<MaterialRef> materials;
  device::Buffer<TextureLevelRef> levels;
  device::Buffer<uint32_t> nibbles, opaque, color_lut, texel_colors, plain_colors;
  uint32_t holes = 0;  // 1 if a material has holes

  TrianglesRef ref() const {
    return {shapes.data(),
            planes.data(),
            weights.data(),
            places.data(),
            {materials.data(), levels.data(), nibbles.data(), opaque.data(), color_lut.data(),
             texel_colors.data(), plain_colors.data(), holes}};
  }
};

template <class Device>
DeviceScene<Device> upload_scene(Device& device, const PreparedMaterials& materials,
                                 PreparedTriangles triangles) {
  DeviceScene<Device> result;
  result.shapes = std::move(triangles.shapes);
  result.materials = device::uploaded(device, materials.materials);
  result.levels = device::uploaded(device, materials.levels);
  result.nibbles = device::uploaded(device, materials.nibbles);
  result.opaque = device::uploaded(device, materials.opaque);
  result.color_lut = device::uploaded(device, materials.color_lut);
  result.texel_colors = device::uploaded(device, materials.texel_colors);
  result.plain_colors = device::uploaded(device, materials.plain_colors);
  for (const MaterialRef& material : materials.materials)
    if ((material.flags & MaterialRef::kHasHoles) != 0) result.holes = 1;
  const uint64_t count = triangles.shadings.size();  // 0 if nothing reads shadings
  result.planes = device.template make<TrianglePlane>(count);
  result.weights = device.template make<TriangleWeights>(count);
  result.places = device.template make<TexturePlace>(count);
  device.for_each({"prepare shading", 224}, count,
                  PrepareShading{result.shapes.data(), triangles.shadings.data(), result.planes.data(),
                                 result.weights.data(), result.places.data()});
  return result;
}

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

VOX_HD inline uint32_t vertex_color(const TexturePlace& place, Weights weights) {
  const auto channel = [&](int64_t a, int64_t b, int64_t c) {
    const int64_t value = (a << kWeightBits) + (b - a) * weights.x + (c - a) * weights.y;
    return static_cast<uint32_t>((value + (int64_t{1} << (kWeightBits - 1))) >> kWeightBits);
  };
  const scene::Rgba8 *a = &place.color[0], *b = &place.color[1], *c = &place.color[2];
  return channel(a->r, b->r, c->r) | channel(a->g, b->g, c->g) << 8 | channel(a->b, b->b, c->b) << 16;
}

// Finds the material of a triangle, or a hole, at the voxels that it covers. It is read at the triangle's
// point that is closest to the voxel's center. Data that is the same for all voxels is looked up once.
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

  // Returns the palette entry at a voxel's center. Paint takes precedence over the texture.
  template <class Paint>
  VOX_HD uint32_t material(Paint& paint, Int3 point) const {
    constexpr uint32_t kPlaced = MaterialRef::kTextured | MaterialRef::kVertexColors | Paint::kFlag;
    if ((material_.flags & kPlaced) == 0 || (material_.flags & MaterialRef::kHolesAlone) != 0)
      return material_.index;
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

  // Returns the packed color at a voxel's center, with scene::MaterialMode::Colors.
  VOX_HD uint32_t color(Int3 point) const {
    if ((material_.flags & (MaterialRef::kTextured | MaterialRef::kVertexColors)) == 0 ||
        (material_.flags & MaterialRef::kHolesAlone) != 0)
      return materials_->plain_colors[shape_->material];
    const Weights weights = closest_weights(*weights_, *shape_, point);
    if ((material_.flags & MaterialRef::kTextured) == 0) return vertex_color(*place_, weights);
    return materials_->texel_colors[texel_at(weights)];
  }

  VOX_HD bool has_holes() const { return (material_.flags & MaterialRef::kHasHoles) != 0; }

  // True if the triangle has a hole at a voxel's center. The material must have holes.
  VOX_HD bool hole(Int3 point) const {
    const uint64_t texel = texel_at(closest_weights(*weights_, *shape_, point));
    return (materials_->opaque[texel >> 5] >> (texel & 31) & 1) == 0;
  }

 private:
  // Returns the index of a texel in MaterialsRef's arrays. The material must be textured.
  VOX_EVERY_STEP uint64_t texel_at(Weights weights) const {
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

// The paint on the surface (libvox/painting), as the code that chooses voxels' materials sees it. If
// nothing is painted, NoPaint makes a body without any code for paint.
struct NoPaint {
  static constexpr uint32_t kFlag = 0;  // the flag that marks painted materials
  VOX_HD void finish() const {}
};

// A body works on a copy of this struct, which counts its own queries, and calls finish() at the end.
struct AtlasPaint {
  static constexpr uint32_t kFlag = MaterialRef::kPainted;
  painting::AtlasRef atlas;
  uint64_t* queries;
  uint32_t asked = 0;

  // Returns the palette entry that is painted at a place of the texture, or a number that is no entry if
  // nothing is painted there.
  VOX_HD uint32_t entry(const MaterialRef& material, uint32_t layer, Vec2<int64_t> shares) {
    ++asked;
    return atlas.entry(layer, {scene::texel_of_share(shares.x, atlas.keys.size, wrap_u(material)),
                               scene::texel_of_share(shares.y, atlas.keys.size, wrap_v(material))});
  }
  VOX_HD void finish() const {
    if (asked > 0) device::atomic_add_together(queries, uint64_t{asked});
  }
};

// Sets the flag of the materials on which something is painted.
inline void mark_painted(std::vector<MaterialRef>& materials, const painting::FrozenAtlas& atlas) {
  for (size_t i = 0; i < atlas.painted.size(); ++i)
    if (atlas.painted[i] != 0)
      materials[i].flags = static_cast<uint16_t>(materials[i].flags | MaterialRef::kPainted);
}

template <class Device>
class AtlasOnDevice {
 public:
  AtlasOnDevice(Device& device, const painting::FrozenAtlas& atlas)
      : device_(device),
        cells_(device::uploaded(device, atlas.cells)),
        queries_(device.template make<uint64_t>(1)),
        atlas_(painting::ref(atlas, cells_.data())) {}

  // Returns the paint for one chunk, and resets the count of queries.
  AtlasPaint paint() {
    device_.fill(queries_.data(), 1, uint64_t{0});
    return {atlas_, queries_.data()};
  }
  uint64_t queries() const {
    uint64_t queries = 0;
    device_.download(&queries, queries_.data(), 1);
    return queries;
  }

 private:
  Device& device_;
  device::Buffer<uint64_t> cells_, queries_;
  painting::AtlasRef atlas_;
};

}  // namespace vox::voxelize
