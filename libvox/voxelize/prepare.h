// Prepares a scene for kernels, on the host, once: they read snapped triangles, and textures in one array.
#pragma once

#include <vector>

#include "libvox/scene/palette.h"
#include "libvox/scene/scene.h"
#include "libvox/voxelize/grid.h"
#include "libvox/voxelize/triangle.h"

namespace vox::voxelize {

struct PreparedScene {
  std::vector<TriangleShape> shapes;      // of triangles that reach into the grid, in the scene's order
  std::vector<TriangleShading> shadings;  // one per shape
  std::vector<MaterialRef> materials;
  std::vector<TextureLevelRef> levels;
  std::vector<uint32_t> nibbles, opaque;
  std::vector<uint32_t> color_lut;
};

// With `solid`, triangles left of the grid (lower x) are kept too: rays cross them before they enter it.
PreparedScene prepare(const scene::Scene& scene, const scene::IndexedScene& indexed, const Grid& grid,
                      bool solid);

}  // namespace vox::voxelize
