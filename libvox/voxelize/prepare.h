// Prepares a scene for kernels, once: they read snapped triangles, and textures in one array.
#pragma once

#include <vector>

#include "libvox/device/pool.h"
#include "libvox/scene/palette.h"
#include "libvox/scene/scene.h"
#include "libvox/voxelize/grid.h"
#include "libvox/voxelize/triangle.h"

namespace vox::voxelize {

struct PreparedMaterials {
  std::vector<MaterialRef> materials;  // those of the scene, then as many twins without a texture
  std::vector<TextureLevelRef> levels;
  std::vector<uint32_t> nibbles, opaque;
  std::vector<uint32_t> color_lut;
};

PreparedMaterials prepare_materials(const scene::IndexedScene& indexed);

// Which attributes of triangles are read: what gives voxels their materials, or only what makes holes.
enum class Attributes { OfMaterials, OfHoles };

struct PrepareOptions {
  Attributes attributes = Attributes::OfMaterials;
  // Triangles left of the grid (lower x) are kept too: rays cross them before they enter it.
  bool solid = false;
};

// The parts of triangles that reach into the grid, cut off at the guard band, in the scene's order.
struct PreparedTriangles {
  device::Buffer<TriangleShape> shapes;
  device::Buffer<TriangleShading> shadings;  // one per shape, or none where only holes would read them
};

// Compiled for each device in prepare_*.
template <class Device>
PreparedTriangles prepare_triangles(Device& device, const scene::Scene& scene,
                                    const PreparedMaterials& materials, const Grid& grid,
                                    const PrepareOptions& options);

}  // namespace vox::voxelize
