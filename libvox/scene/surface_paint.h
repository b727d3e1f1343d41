// What has been painted on a surface, for those who look at its colours: palettes and shares are counted of the
// surface as painted.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "libvox/base/vec.h"
#include "libvox/scene/palette.h"

namespace vox::scene {

struct SurfacePaint {
  uint32_t size = 0;               // texels along each side of the square that is painted
  std::vector<uint8_t> materials;  // for each of Scene::materials 1 where something of it is painted
  // The colour at a texture coordinate of such a material; `below` where nothing is painted.
  std::function<Rgb8(uint32_t material, Vec2<double> uv, Rgb8 below)> color;

  bool covers(uint32_t material) const { return materials[material] != 0; }
};

}  // namespace vox::scene
