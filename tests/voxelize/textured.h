// Random textures and textured scenes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tests/common/random.h"
#include "tests/voxelize/soup.h"

namespace vox {

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

}  // namespace vox
