// The paint on a surface. Palettes and shares are counted on the painted surface.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "libvox/base/vec.h"
#include "libvox/scene/palette.h"

namespace vox::scene {

struct SurfacePaint {
  uint32_t size = 0;               // texels along each side of the square that is painted
  std::vector<uint8_t> materials;  // for each of Scene::materials: 1 if some of it is painted
  // Returns the colour at a texture coordinate of such a material, or `below` if nothing is painted there.
  std::function<Rgb8(uint32_t material, Vec2<double> uv, Rgb8 below)> color;

  bool covers(uint32_t material) const { return materials[material] != 0; }
};

}  // namespace vox::scene
