// Prepares a scene for kernels, once: kernels read snapped triangles, and all textures in one array.
#pragma once

#include <vector>

#include "libvox/device/pool.h"
#include "libvox/scene/palette.h"
#include "libvox/scene/scene.h"
#include "libvox/voxelize/grid.h"
#include "libvox/voxelize/triangle.h"

namespace vox::voxelize {

struct PreparedMaterials {
  std::vector<MaterialRef> materials;  // the scene's materials, then as many twins without a texture
  std::vector<TextureLevelRef> levels;
  std::vector<uint32_t> nibbles, opaque;
  std::vector<uint32_t> color_lut;
};

PreparedMaterials prepare_materials(const scene::IndexedScene& indexed);

// The attributes of triangles that are read: all that give voxels their materials, or only those that make
// holes.
enum class Attributes { OfMaterials, OfHoles };

struct PrepareOptions {
  Attributes attributes = Attributes::OfMaterials;
  // Also keep triangles left of the grid (at lower x), because rays cross them before they enter the grid.
  bool solid = false;
};

// The parts of triangles that reach into the grid, clipped at the guard band, in the scene's order.
struct PreparedTriangles {
  device::Buffer<TriangleShape> shapes;
  device::Buffer<TriangleShading> shadings;  // one for each shape; empty if neither materials nor holes need
                                             // them
};

// prepare_*.{cpp,cu} compile this function for each device.
template <class Device>
PreparedTriangles prepare_triangles(Device& device, const scene::Scene& scene,
                                    const PreparedMaterials& materials, const Grid& grid,
                                    const PrepareOptions& options);

}  // namespace vox::voxelize
