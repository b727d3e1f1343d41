// Finds snapped triangles that lie exactly on others. --solid counts the crossings of one of them only.
//
// Two that face the same way are one surface that occurs twice. Two that face opposite ways cancel each other. That is
// right where two closed bodies touch, and where a plate becomes flat by snapping. But if the whole scene is a closed
// surface of such pairs, it was made to be seen from both sides, and each pair counts as one triangle.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "libvox/base/bits.h"
#include "libvox/base/geometry.h"
#include "libvox/base/hd.h"
#include "libvox/device/pool.h"
#include "libvox/device/runs.h"
#include "libvox/scene/palette.h"
#include "libvox/scene/scene.h"
#include "libvox/voxelize/coverage.h"
#include "libvox/voxelize/grid.h"
#include "libvox/voxelize/triangle.h"

namespace vox::voxelize {

// A set of triangles, a bit for each.
struct SkippedTriangles {
  const uint32_t* bits = nullptr;  // nullptr: none
  VOX_HD bool has(uint64_t triangle) const {
    return bits != nullptr && (bits[triangle / 32] >> (triangle % 32) & 1) != 0;
  }
};

VOX_HD inline bool has_area(const TriangleShape& triangle) {
  const Vec3<int64_t> normal = normal_of(triangle);
  return (normal.x | normal.y | normal.z) != 0;
}

// Computes a key that is the same for all triangles with the same corners, in any order.
struct CornerKeys {
  const TriangleShape* shapes;
  uint64_t* keys;
  uint32_t* numbers;
  VOX_HD void operator()(uint64_t i) const {
    numbers[i] = static_cast<uint32_t>(i);
    uint64_t sum = has_area(shapes[i]) ? 0 : mix64(i + 1);  // a key of its own
    for (const Int3& corner : shapes[i].corner) {
      const uint64_t yz = uint64_t{static_cast<uint32_t>(corner.y)} << 32 | static_cast<uint32_t>(corner.z);
      sum += mix64(mix64(static_cast<uint32_t>(corner.x) + 1) + yz);
    }
    keys[i] = sum;
  }
};

struct HasTwin {
  const uint64_t* keys;
  uint64_t count;
  VOX_HD bool operator()(uint64_t i) const {
    return (i > 0 && keys[i - 1] == keys[i]) || (i + 1 < count && keys[i + 1] == keys[i]);
  }
};

struct CountArea {
  const TriangleShape* shapes;
  VOX_HD uint32_t operator()(uint64_t i) const { return has_area(shapes[i]) ? 1 : 0; }
};

// Returns the duplicates among triangles that have these numbers. `with_area` is the number of triangles in the whole
// scene that have an area.
std::vector<uint32_t> duplicates_among(std::span<const uint32_t> numbers,
                                       std::span<const TriangleShape> shapes, uint64_t with_area);

// Returns the numbers of all duplicates in a scene.
template <class Device>
std::vector<uint32_t> find_duplicates(Device& device, const TriangleShape* shapes, uint64_t count) {
  auto keys = device.template make<uint64_t>(count);
  auto numbers = device.template make<uint32_t>(count);
  device.for_each({"keys of corners", 52}, count, CornerKeys{shapes, keys.data(), numbers.data()});
  device.sort_pairs("sort keys of corners", keys, numbers, count, 64);
  auto chosen = device.template make<uint32_t>(count);
  const uint64_t twins = device.select("select twins", count, HasTwin{keys.data(), count}, chosen.data());
  if (twins == 0) return {};
  auto twin_numbers = device.template make<uint32_t>(twins);
  device.for_each("numbers of twins", twins,
                  device::TakeChosen<uint32_t>{numbers.data(), chosen.data(), twin_numbers.data()});
  auto twin_shapes = device.template make<TriangleShape>(twins);
  device.for_each("shapes of twins", twins,
                  device::TakeChosen<TriangleShape>{shapes, twin_numbers.data(), twin_shapes.data()});
  std::vector<uint32_t> known_numbers(twins);
  std::vector<TriangleShape> known_shapes(twins);
  device.download(known_numbers.data(), twin_numbers.data(), twins);
  device.download(known_shapes.data(), twin_shapes.data(), twins);
  return duplicates_among(known_numbers, known_shapes,
                          device.sum("count triangles with area", count, CountArea{shapes}));
}

// Prepares a scene for kernels, once. Kernels read snapped triangles, and all textures from one array.

struct PreparedMaterials {
  std::vector<MaterialRef> materials;  // the scene's materials, then each one's twin without a texture
  std::vector<TextureLevelRef> levels;
  std::vector<uint32_t> nibbles, opaque;
  std::vector<uint32_t> color_lut;
  // With scene::MaterialMode::Colors, the colors of texels and of the materials without a texture.
  std::vector<uint32_t> texel_colors, plain_colors;
};

PreparedMaterials prepare_materials(const scene::IndexedScene& indexed);

// Makes a table of the different colors of texels and materials, in ascending order, replaces colors by their numbers
// in it, and returns it. Does nothing and returns an empty table if there are too many, or if vertices have colors.
std::vector<uint32_t> table_colors(PreparedMaterials& materials);

// The attributes of triangles that are read: all that materials need, or only those that holes
// need.
enum class Attributes { OfMaterials, OfHoles };

struct PrepareOptions {
  Attributes attributes = Attributes::OfMaterials;
  // Also keep triangles left of the grid (at lower x), because rays cross them before they enter the grid.
  bool solid = false;
};

// The triangles that reach into the grid, in the scene's order, cut where they reach beyond the guard band.
struct PreparedTriangles {
  device::Buffer<TriangleShape> shapes;
  device::Buffer<TriangleShading> shadings;  // one for each shape; empty if neither materials nor holes need
                                             // them
};

template <class Device>
PreparedTriangles prepare_triangles(Device& device, const scene::Scene& scene,
                                    const PreparedMaterials& materials, const Grid& grid,
                                    const PrepareOptions& options);

// GridRef and MeshRef compute where the corners of triangles lie in the grid, and which mip level of its
// texture a triangle reads. They use double precision, once per triangle, and only operations that IEEE 754
// rounds in one way.

// A grid as kernels read it.
struct GridRef {
  Vec3d origin;         // 24 B
  Vec3d first_voxel;    // 24 B, the origin in voxels if the grid is snapped
  Vec3d voxel_size;     // 24 B, the sides of a voxel
  uint32_t resolution;  // 4 B
  uint32_t snapped;     // 4 B, 1 if the grid is snapped

  // Returns a position in voxels. In a snapped grid, the vertex is first moved to the lattice of the world
  // that all snapped grids share, and then its distance from the origin is taken, which is exact. So the
  // vertex has the same place in every window of the world.
  VOX_HD Vec3d in_voxels(Vec3d p) const {
    if (snapped != 0)
      return Vec3d{on_lattice(p.x / voxel_size.x), on_lattice(p.y / voxel_size.y),
                   on_lattice(p.z / voxel_size.z)} -
             first_voxel;
    return quotient(p - origin, voxel_size);
  }

  VOX_HD Int3 snap(Vec3d voxels) const { return {snap(voxels.x), snap(voxels.y), snap(voxels.z)}; }

 private:
  VOX_HD static double on_lattice(double voxels) { return (floor(voxels * 256) + 0.5) / 256; }
  // A snapped grid pulls no vertex inward: a vertex on its far face is in the first voxel of the next grid.
  VOX_HD int32_t snap(double voxels) const {
    return snapped != 0 ? 2 * static_cast<int32_t>(floor(voxels * 256)) + 1
                        : vox::voxelize::snap(voxels, resolution);
  }
};

inline GridRef grid_ref(const Grid& grid) {
  GridRef ref = {};
  ref.origin = grid.origin;
  ref.first_voxel = grid.first_voxel.value_or(Vec3d{0, 0, 0});
  ref.voxel_size = grid.voxel_size.sides();
  ref.resolution = grid.resolution;
  ref.snapped = grid.first_voxel ? 1 : 0;
  return ref;
}

using TriangleCorners = std::array<Vec3d, 3>;  // in voxels

// A mesh in the file's coordinates, with its materials, in the memory of the host or of a device.
struct MeshRef {
  const Vec3d* positions;
  const scene::Rgba8* colors;  // nullptr if vertices have no colors
  const Vec2f* texcoords;
  const scene::Triangle* triangles;
  const MaterialRef* materials;  // the scene's materials, then each one's twin without a texture
  const TextureLevelRef* levels;
  GridRef grid;
  uint32_t material_count;  // the number of the scene's materials, without the twins
  // 1: keep triangles that lie left of the grid (at lower x), because rays cross them before they enter the
  // grid.
  uint32_t solid;

  VOX_HD TriangleCorners corners(const scene::Triangle& triangle) const {
    return {grid.in_voxels(positions[triangle.position[0]]), grid.in_voxels(positions[triangle.position[1]]),
            grid.in_voxels(positions[triangle.position[2]])};
  }
  VOX_HD bool textured(const scene::Triangle& triangle) const {
    return (materials[triangle.material].flags & MaterialRef::kTextured) != 0 &&
           triangle.texcoord[0] != scene::kNone;
  }
  VOX_HD bool visible(const scene::Triangle& triangle) const {
    return (materials[triangle.material].flags & MaterialRef::kInvisible) == 0 || textured(triangle);
  }
  // A triangle without texture coordinates uses its material's twin without a texture.
  VOX_HD uint32_t shown_material(const scene::Triangle& triangle) const {
    return triangle.texcoord[0] == scene::kNone ? triangle.material + material_count : triangle.material;
  }
  VOX_HD Vec2f texcoord(const scene::Triangle& triangle, uint32_t corner) const {
    return triangle.texcoord[corner] != scene::kNone ? texcoords[triangle.texcoord[corner]] : Vec2f{0, 0};
  }
  VOX_HD scene::Rgba8 color(const scene::Triangle& triangle, uint32_t corner) const {
    return colors ? colors[triangle.position[corner]] : scene::Rgba8{255, 255, 255, 255};
  }

  // True if the triangle reaches into the grid or, with `solid`, lies left of it.
  VOX_HD bool reaches_grid(const TriangleCorners& corners) const {
    for (uint32_t axis = 0; axis < 3; ++axis) {
      double low = corners[0][axis], high = low;
      for (uint32_t i = 1; i < 3; ++i) {
        low = corners[i][axis] < low ? corners[i][axis] : low;
        high = high < corners[i][axis] ? corners[i][axis] : high;
      }
      if ((high < -1 && (solid == 0 || axis != 0)) || low > grid.resolution + 1.0) return false;
    }
    return true;
  }

  // Returns the mip level whose texels are nearest in size to a voxel. A texel of level L has 4^L times the
  // area of a texel of level 0.
  VOX_HD uint32_t level(const scene::Triangle& triangle, const TriangleCorners& corners) const {
    if (!textured(triangle)) return 0;
    const MaterialRef& material = materials[triangle.material];
    const double voxel_area = length(cross(corners[1] - corners[0], corners[2] - corners[0]));
    Vec2<double> uv[3];
    for (uint32_t i = 0; i < 3; ++i) uv[i] = {texcoord(triangle, i).x, texcoord(triangle, i).y};
    const double uv_area =
        fabs((uv[1].x - uv[0].x) * (uv[2].y - uv[0].y) - (uv[1].y - uv[0].y) * (uv[2].x - uv[0].x));
    const TextureLevelRef& largest = levels[material.first_level];
    const double texels = uv_area * largest.width * largest.height;
    uint32_t level = 0;
    for (double limit = 2; level + 1 < material.level_count && texels >= limit * voxel_area; limit *= 4)
      ++level;
    return level;
  }
};

VOX_HD inline bool within_guard(const Vec3d& p) {
  return fabs(p.x) <= kGuardVoxels && fabs(p.y) <= kGuardVoxels && fabs(p.z) <= kGuardVoxels;
}

// Triangles are clipped at the guard band on the host, because few of them reach it. The rest of a
// clipped triangle is a polygon of up to nine corners.

// One of the triangles into which a cut triangle is divided.
struct CutPart {
  TriangleShape shape;      // 40 B
  TriangleShading shading;  // 40 B
  uint32_t triangle;        // 4 B, the triangle's number in the mesh
  uint16_t place, count;    // 4 B, the part's index in its triangle, and the number of parts
};
static_assert(sizeof(CutPart) == 88);

// Returns the parts of the triangles with these numbers, in their order. The mesh is in host memory.
std::vector<CutPart> cut_triangles(const MeshRef& mesh, const std::vector<uint32_t>& triangles);

}  // namespace vox::voxelize
