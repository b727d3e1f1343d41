#include "formats/mesh/gltf_emission.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "libvox/scene/material_colors.h"
#include "libvox/scene/oklab.h"

namespace vox {
namespace {

using ImageKey = std::tuple<uint32_t, uint32_t, std::array<float, 4>, std::array<double, 3>>;

// Gives the code of a channel's sum for each pair of codes of the base texel and the emissive texel.
using SumTable = std::vector<std::array<uint8_t, 256>>;

SumTable sum_table(double base, double emission) {
  SumTable table(256);
  for (size_t b = 0; b < 256; ++b)
    for (size_t e = 0; e < 256; ++e)
      table[b][e] = scene::linear_to_srgb(base * scene::srgb_to_linear(static_cast<uint8_t>(b)) +
                                          emission * scene::srgb_to_linear(static_cast<uint8_t>(e)));
  return table;
}

// Returns the texel of `image` at the place of texel (x, y) in a picture of width × height; white without an
// image.
scene::Rgba8 texel_at(const scene::Image* image, uint64_t x, uint64_t y, uint64_t width, uint64_t height) {
  if (!image) return {255, 255, 255, 255};
  uint64_t row = (2 * y + 1) * image->height / (2 * height),
           column = (2 * x + 1) * image->width / (2 * width);
  return image->pixels[row * image->width + column];
}

// Returns the sum of two images. It is as large as the larger one, and texel by texel if both are equally
// large. Alpha is the base's.
scene::Image sum_of(const scene::Image* base, Vec3d base_color, const scene::Image* emissive,
                    const std::array<double, 3>& color) {
  scene::Image sum;
  sum.width = std::max(base ? base->width : 1, emissive ? emissive->width : 1);
  sum.height = std::max(base ? base->height : 1, emissive ? emissive->height : 1);
  sum.name = base && emissive ? base->name + " with " + emissive->name : (base ? base : emissive)->name;
  sum.pixels.resize(size_t{sum.width} * sum.height);
  SumTable red = sum_table(base_color.x, color[0]), green = sum_table(base_color.y, color[1]),
           blue = sum_table(base_color.z, color[2]);
  tbb::parallel_for(uint64_t{0}, uint64_t{sum.height}, [&](uint64_t y) {
    for (uint64_t x = 0; x < sum.width; ++x) {
      scene::Rgba8 b = texel_at(base, x, y, sum.width, sum.height);
      scene::Rgba8 e = texel_at(emissive, x, y, sum.width, sum.height);
      sum.pixels[y * sum.width + x] = {red[b.r][e.r], green[b.g][e.g], blue[b.b][e.b], b.a};
    }
  });
  return sum;
}

void empty_unused_images(scene::Scene& scene) {
  std::vector<bool> used(scene.images.size());
  for (const scene::Material& material : scene.materials)
    if (material.image != scene::kNone) used[material.image] = true;
  for (size_t i = 0; i < used.size(); ++i)
    if (!used[i]) scene.images[i] = {};
}

}  // namespace

void add_emission(scene::Scene& scene, const std::vector<Emission>& emissions) {
  auto usable = [&](uint32_t image) { return image != scene::kNone && scene.images[image].width > 0; };
  std::map<ImageKey, uint32_t> sums;
  for (const Emission& emission : emissions) {
    scene::Material& material = scene.materials[emission.material];
    uint32_t base = usable(material.image) ? material.image : scene::kNone;
    uint32_t light = usable(emission.image) ? emission.image : scene::kNone;
    Vec3d color = scene::base_linear(material);
    // If the texture could not be read, it is unknown where the surface emits light.
    if (light == scene::kNone && emission.image != scene::kNone) continue;
    if (base == scene::kNone && light == scene::kNone) {
      auto sum = [](double a, double b) { return static_cast<float>(std::min(a + b, 1.0)); };
      material.base_color = {sum(color.x, emission.color[0]), sum(color.y, emission.color[1]),
                             sum(color.z, emission.color[2]), material.base_color[3]};
      continue;
    }
    auto [known, is_new] = sums.try_emplace({base, light, material.base_color, emission.color},
                                            static_cast<uint32_t>(scene.images.size()));
    if (is_new)
      scene.images.push_back(sum_of(base == scene::kNone ? nullptr : &scene.images[base], color,
                                    light == scene::kNone ? nullptr : &scene.images[light], emission.color));
    material.image = known->second;
    material.base_color = {1, 1, 1, material.base_color[3]};
  }
  if (!emissions.empty()) empty_unused_images(scene);
}

}  // namespace vox
