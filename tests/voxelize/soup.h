// Handmade scenes: triangles in voxel coordinates, closed meshes, and voxels that are given one by one.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "libvox/dag/from_cubes.h"
#include "libvox/engine/engine.h"
#include "tests/common/random.h"

namespace vox {

// For meshes whose triangles do not all face outwards, such as cube(), and whose holes are not closed.
inline constexpr voxelize::InsideRule kParity = voxelize::InsideRule::Parity;

using Corners = std::array<Vec3d, 3>;

// Triangles with the materials that the voxelizer needs; material 0 exists from the start.
struct Soup {
  scene::Scene scene;
  scene::IndexedScene indexed;

  explicit Soup(uint8_t palette_index = 0) { add_material({.index = palette_index}); }

  uint32_t add_material(scene::IndexedMaterial material) {
    scene.materials.emplace_back().base_color = {1, 1, 1, 1};
    indexed.materials.push_back(material);
    return static_cast<uint32_t>(indexed.materials.size()) - 1;
  }

  void add(Corners corners, uint32_t material = 0) {
    auto first = static_cast<uint32_t>(scene.positions.size());
    scene.positions.insert(scene.positions.end(), corners.begin(), corners.end());
    scene.triangles.push_back(
        {{first, first + 1, first + 2}, {scene::kNone, scene::kNone, scene::kNone}, material});
  }

  void add(Corners corners, std::array<Vec2f, 3> uv, uint32_t material) {
    add(corners, material);
    auto first = static_cast<uint32_t>(scene.texcoords.size());
    scene.texcoords.insert(scene.texcoords.end(), uv.begin(), uv.end());
    scene.triangles.back().texcoord = {first, first + 1, first + 2};
  }
};

// The triangles of several soups, with material 0.
inline Soup all_of(const std::vector<Soup>& soups) {
  Soup all;
  for (const Soup& soup : soups)
    for (const auto& [corners, texcoord, material] : soup.scene.triangles)
      all.add({soup.scene.positions[corners[0]], soup.scene.positions[corners[1]],
               soup.scene.positions[corners[2]]});
  return all;
}

// The same triangles, facing the other way.
inline Soup turned(Soup soup) {
  for (scene::Triangle& triangle : soup.scene.triangles)
    std::swap(triangle.position[0], triangle.position[1]);
  return soup;
}

// Voxel (i, j, k) is the world's unit cube at (i, j, k).
inline voxelize::Grid unit_grid(uint32_t resolution) {
  return {.resolution = resolution, .origin = {0, 0, 0}, .voxel_size = 1};
}

inline voxelize::BuildResult build_soup(Engine& engine, const Soup& soup, uint32_t resolution,
                                        const voxelize::BuildOptions& options = {}) {
  return engine.build(soup.scene, soup.indexed, unit_grid(resolution), options);
}

// A sphere of 2 · rings² triangles, each vertex pushed along its ray by up to `bumps` of the radius.
inline Soup bumpy_sphere(Vec3d center, double radius, uint32_t rings, double bumps, uint64_t seed) {
  constexpr double kPi = 3.14159265358979323846;
  Random random(seed);
  uint32_t segments = 2 * rings;
  std::vector<Vec3d> points;
  for (uint32_t ring = 0; ring <= rings; ++ring)
    for (uint32_t segment = 0; segment < segments; ++segment) {
      bool pole = ring == 0 || ring == rings;
      if (pole && segment > 0) {
        points.push_back(points.back());
        continue;
      }
      double polar = kPi * ring / rings, around = 2 * kPi * segment / segments;
      double r = radius * (1 + random.uniform(-bumps, bumps));
      points.push_back(
          center +
          Vec3d{std::sin(polar) * std::cos(around), std::cos(polar), std::sin(polar) * std::sin(around)} * r);
    }
  Soup soup;
  auto point = [&](uint32_t ring, uint32_t segment) { return points[ring * segments + segment % segments]; };
  for (uint32_t ring = 0; ring < rings; ++ring)
    for (uint32_t s = 0; s < segments; ++s) {
      if (ring > 0) soup.add({point(ring, s), point(ring, s + 1), point(ring + 1, s)});
      if (ring + 1 < rings) soup.add({point(ring, s + 1), point(ring + 1, s + 1), point(ring + 1, s)});
    }
  return soup;
}

inline Soup tetrahedron(Vec3d a, Vec3d b, Vec3d c, Vec3d d) {
  Soup soup;
  soup.add({a, b, c});
  soup.add({a, c, d});
  soup.add({a, d, b});
  soup.add({b, d, c});
  return soup;
}

// The box [low, high]³.
inline Soup cube(double low, double high) {
  Soup soup;
  auto corner = [&](int bits) {
    return Vec3d{bits & 1 ? high : low, bits & 2 ? high : low, bits & 4 ? high : low};
  };
  for (auto [a, b, c, d] : {std::array{0, 1, 3, 2}, std::array{4, 5, 7, 6}, std::array{0, 1, 5, 4},
                            std::array{2, 3, 7, 6}, std::array{0, 2, 6, 4}, std::array{1, 3, 7, 5}}) {
    soup.add({corner(a), corner(b), corner(c)});
    soup.add({corner(a), corner(c), corner(d)});
  }
  return soup;
}

// Triangles in every layer of voxels of a grid's first chunk cell, and one triangle outside it.
inline Soup filled_chunk_cell() {
  Soup filled;
  for (int z = 0; z < 256; ++z) {
    filled.add({{{0, 0, z + 0.5}, {256, 0, z + 0.5}, {0, 256, z + 0.5}}});
    filled.add({{{256, 0, z + 0.5}, {256, 256, z + 0.5}, {0, 256, z + 0.5}}});
  }
  filled.add({{{300, 300, 300}, {310, 300, 300}, {300, 310, 300}}});
  return filled;
}

// Random textures and textured scenes.

inline void set_nibble(std::vector<uint32_t>& nibbles, uint64_t texel, uint32_t value) {
  nibbles[texel / 8] &= ~(15u << texel % 8 * 4);
  nibbles[texel / 8] |= value << texel % 8 * 4;
}

// A texture with all mip levels, in which every texel is palette entry 0.
inline scene::IndexedTexture blank_texture(uint32_t width, uint32_t height) {
  scene::IndexedTexture texture;
  uint64_t texels = 0;
  for (;; width = std::max(width / 2, 1u), height = std::max(height / 2, 1u)) {
    texture.levels.push_back({width, height, texels});
    texels += uint64_t{width} * height;
    if (width == 1 && height == 1) break;
  }
  texture.nibbles.assign((texels + 7) / 8, 0);
  return texture;
}

inline uint64_t texel_count(const scene::IndexedTexture& texture) {
  const scene::IndexedTexture::Level& last = texture.levels.back();
  return last.first_texel + uint64_t{last.width} * last.height;
}

// A texture whose mip levels are unrelated, so that a wrong level is noticed.
inline scene::IndexedTexture random_texture(Random& random, uint32_t width, uint32_t height) {
  scene::IndexedTexture texture = blank_texture(width, height);
  for (uint64_t texel = 0; texel < texel_count(texture); ++texel)
    set_nibble(texture.nibbles, texel, random.below(16));
  return texture;
}

inline void punch_random_holes(Random& random, scene::IndexedTexture& texture) {
  texture.opaque.assign((texel_count(texture) + 31) / 32, 0);
  for (uint64_t texel = 0; texel < texel_count(texture); ++texel)
    if (random.below(3) > 0) texture.opaque[texel / 32] |= 1u << texel % 32;
}

// A soup with a material for every pair of wrap modes and for textures of odd sizes, three of them with
// holes.
inline Soup textured_soup(Random& random) {
  Soup soup(6);
  for (auto [width, height] : {std::pair{1u, 1u}, {8u, 8u}, {13u, 7u}, {64u, 16u}, {3u, 100u}, {32u, 32u}}) {
    soup.indexed.textures.push_back(random_texture(random, width, height));
    if (soup.indexed.textures.size() % 2 == 0) punch_random_holes(random, soup.indexed.textures.back());
  }
  uint32_t texture = 0;
  for (scene::Wrap u : {scene::Wrap::Repeat, scene::Wrap::Clamp, scene::Wrap::Mirror})
    for (scene::Wrap v : {scene::Wrap::Repeat, scene::Wrap::Clamp, scene::Wrap::Mirror})
      soup.add_material({.texture = texture++ % 6, .index = 9, .wrap_u = u, .wrap_v = v});
  return soup;
}

inline std::array<Vec2f, 3> random_uv(Random& random) {
  double scale = std::exp2(random.uniform(-5, 5));
  double u = random.uniform(-2, 2), v = random.uniform(-2, 2);
  std::array<Vec2f, 3> uv;
  for (Vec2f& corner : uv)
    corner = {static_cast<float>(u + random.uniform(-scale, scale)),
              static_cast<float>(v + random.uniform(-scale, scale))};
  return uv;
}

// A bumpy sphere with a different random piece of a texture on each triangle.
inline Soup textured_sphere(uint32_t resolution, uint32_t rings, uint64_t seed) {
  Random random(seed);
  Soup soup = textured_soup(random);
  double middle = resolution * 0.5;
  Soup shape = bumpy_sphere({middle, middle, middle}, middle * 0.8, rings, 0.15, seed);
  for (const scene::Triangle& triangle : shape.scene.triangles) {
    auto corner = [&](size_t i) { return shape.scene.positions[triangle.position[i]]; };
    soup.add({corner(0), corner(1), corner(2)}, random_uv(random), 1 + random.below(9));
  }
  return soup;
}

// Scenes that are given voxel by voxel, and their voxels.

// The voxels of a scene, x fastest.
inline std::vector<int> dense_of(const dag::FrozenDag& dag) {
  std::vector<int> voxels;
  for (uint32_t z = 0; z < dag.resolution; ++z)
    for (uint32_t y = 0; y < dag.resolution; ++y)
      for (uint32_t x = 0; x < dag.resolution; ++x) voxels.push_back(dag::voxel_at(dag, x, y, z));
  return voxels;
}

// A scene in which a voxel is filled with this probability, or by a function of its place.
template <class Fills>
dag::FrozenDag scene_where(uint32_t side, bool materials, const Fills& fills) {
  const auto cubes = static_cast<uint32_t>((side + 63) / 64);
  dag::CubeSource source;
  source.resolution = side, source.materials = materials;
  for (uint64_t key = 0; key < (uint64_t{1} << 3 * (cubes < 2 ? 0 : cubes < 3 ? 1 : 2)); ++key) {
    const Int3 corner = dag::cube_corner(key);
    if (std::max({corner.x, corner.y, corner.z}) < static_cast<int32_t>(side)) source.cubes.push_back(key);
  }
  source.read = [&](size_t i, dag::VoxelCube& cube) {
    const Int3 corner = dag::cube_corner(source.cubes[i]);
    Int3 p;
    for (p.z = 0; p.z < 64; ++p.z)
      for (p.y = 0; p.y < 64; ++p.y)
        for (p.x = 0; p.x < 64; ++p.x) {
          const Int3 at = corner + p;
          if (std::max({at.x, at.y, at.z}) < static_cast<int32_t>(side) && fills(at))
            cube.put(p, static_cast<uint32_t>(at.x + at.y) % 5);
        }
  };
  return dag::dag_of_cubes(source).dag;
}

}  // namespace vox
