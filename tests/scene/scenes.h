// Small scenes for tests.
#pragma once

#include <cmath>
#include <random>

#include "libvox/scene/oklab.h"
#include "libvox/scene/palette.h"

namespace vox::test {

inline scene::Material white_material(uint32_t image = scene::kNone) {
  scene::Material material;
  material.base_color = {1, 1, 1, 1};
  material.image = image;
  return material;
}

inline scene::Material plain_material(scene::Rgb8 color) {
  Vec3d linear = scene::srgb_to_linear(color);
  scene::Material material;
  material.base_color = {static_cast<float>(linear.x), static_cast<float>(linear.y),
                         static_cast<float>(linear.z), 1};
  return material;
}

inline scene::Image image_of(uint32_t width, uint32_t height, std::vector<scene::Rgba8> pixels) {
  return {.name = "image", .width = width, .height = height, .pixels = std::move(pixels)};
}

inline scene::Image noise_image(uint32_t width, uint32_t height, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<scene::Rgba8> pixels(size_t{width} * height);
  auto byte = [&] { return static_cast<uint8_t>(random()); };
  for (scene::Rgba8& pixel : pixels) pixel = {byte(), byte(), byte(), byte()};
  return image_of(width, height, std::move(pixels));
}

// Adds a rectangle of width x height from `x` on, as two triangles, which the whole texture covers once.
inline void add_rectangle(scene::Scene& scene, double x, double width, double height, uint32_t material) {
  auto p = static_cast<uint32_t>(scene.positions.size()), t = static_cast<uint32_t>(scene.texcoords.size());
  for (Vec3d corner : {Vec3d{x, 0, 0}, {x + width, 0, 0}, {x + width, height, 0}, {x, height, 0}})
    scene.positions.push_back(corner);
  for (Vec2f uv : {Vec2f{0, 0}, {1, 0}, {1, 1}, {0, 1}}) scene.texcoords.push_back(uv);
  scene.triangles.push_back({{p, p + 1, p + 2}, {t, t + 1, t + 2}, material});
  scene.triangles.push_back({{p, p + 2, p + 3}, {t, t + 2, t + 3}, material});
}

inline scene::Scene textured_rectangle(scene::Image image) {
  scene::Scene scene;
  scene.materials = {white_material(0)};
  scene.images = {std::move(image)};
  add_rectangle(scene, 0, 1, 1, 0);
  return scene;
}

inline double oklab_distance(scene::Rgb8 a, scene::Rgb8 b) {
  Vec3d apart =
      scene::linear_to_oklab(scene::srgb_to_linear(a)) - scene::linear_to_oklab(scene::srgb_to_linear(b));
  return std::sqrt(dot(apart, apart));
}

}  // namespace vox::test
