// Light emitted by surfaces. A scene has only one colour for each place of its surface, so the emitted light
// is added to that colour:
//
//   shown colour = base colour + emissive factor · strength · emissive texture      (linear light, at most 1)
//
// So labels with a black base colour are readable, and a lamp of any strength is shown as bright as white at
// most.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "libvox/scene/scene.h"

namespace vox {

struct Emission {
  uint32_t material;            // index into Scene::materials
  std::array<double, 3> color;  // linear, 0 or more, not all 0
  // Index into Scene::images. The image multiplies the colour and uses the texture coordinates of the
  // material's own image.
  uint32_t image = scene::kNone;
};

// Adds each emission to the image of its material, or to its base colour if there is no image for either.
// Images that no material uses any more become empty (see drop_empty_images()).
void add_emission(scene::Scene& scene, const std::vector<Emission>& emissions);

}  // namespace vox
