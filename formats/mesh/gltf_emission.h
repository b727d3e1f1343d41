// Light that surfaces give off themselves. A scene knows one colour for each place of its surface, so that
// the light is added to that colour:
//
//   shown colour = base colour + emissive factor · strength · emissive texture      (linear light, at most 1)
//
// So labels with a black base colour can be read, and a lamp of any strength is as bright as white.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "libvox/scene/scene.h"

namespace vox {

struct Emission {
  uint32_t material;            // into Scene::materials
  std::array<double, 3> color;  // linear, 0 or more, not all 0
  // Into Scene::images, multiplies the colour; its coordinates are those of the material's own image.
  uint32_t image = scene::kNone;
};

// Adds each emission to the image of its material, or to its base colour where neither has an image. Images
// that no material has any more become empty (see drop_empty_images()).
void add_emission(scene::Scene& scene, const std::vector<Emission>& emissions);

}  // namespace vox
