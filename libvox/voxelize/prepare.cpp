#include "libvox/voxelize/prepare.h"

#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "libvox/base/error.h"
#include "libvox/base/length.h"

namespace vox::voxelize {
namespace {

struct Corner {
  Vec3d voxels;  // position in voxels
  Vec2<double> texcoord;
  std::array<double, 4> color;
};

Corner between(const Corner& a, const Corner& b, double t) {
  Corner result;
  result.voxels = a.voxels + (b.voxels - a.voxels) * t;
  result.texcoord = {a.texcoord.x + (b.texcoord.x - a.texcoord.x) * t,
                     a.texcoord.y + (b.texcoord.y - a.texcoord.y) * t};
  for (size_t i = 0; i < 4; ++i) result.color[i] = a.color[i] + (b.color[i] - a.color[i]) * t;
  return result;
}

double& axis_of(Vec3d& v, int axis) {
  return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

double axis_of(const Vec3d& v, int axis) {
  return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

// The part of a polygon with sign · coordinate <= kGuardVoxels (Sutherland & Hodgman 1974).
std::vector<Corner> cut(const std::vector<Corner>& polygon, int axis, double sign) {
  std::vector<Corner> result;
  auto inside_by = [&](const Corner& corner) { return kGuardVoxels - sign * axis_of(corner.voxels, axis); };
  for (size_t i = 0; i < polygon.size(); ++i) {
    const Corner &from = polygon[i], &to = polygon[(i + 1) % polygon.size()];
    double a = inside_by(from), b = inside_by(to);
    if (a >= 0) result.push_back(from);
    if ((a >= 0) != (b >= 0)) {
      result.push_back(between(from, to, a / (a - b)));
      axis_of(result.back().voxels, axis) = sign * kGuardVoxels;
    }
  }
  return result;
}

bool within_guard(const Vec3d& p) {
  return std::abs(p.x) <= kGuardVoxels && std::abs(p.y) <= kGuardVoxels && std::abs(p.z) <= kGuardVoxels;
}

// Whether the triangle reaches into the grid or, with `solid`, lies left of it, at lower x.
bool reaches_grid(const std::array<Corner, 3>& triangle, uint32_t resolution, bool solid) {
  for (int axis = 0; axis < 3; ++axis) {
    double a = axis_of(triangle[0].voxels, axis), b = axis_of(triangle[1].voxels, axis),
           c = axis_of(triangle[2].voxels, axis);
    if ((std::max({a, b, c}) < -1 && !(solid && axis == 0)) || std::min({a, b, c}) > resolution + 1.0)
      return false;
  }
  return true;
}

// Snaps a coordinate, in voxels, to the lattice of the world, on which snapped grids have their vertices.
double on_lattice(double voxels) {
  return (std::floor(voxels * 256) + 0.5) / 256;
}

TriangleShape snapped(const Corner& a, const Corner& b, const Corner& c, uint32_t material,
                      const Grid& grid) {
  TriangleShape shape;
  shape.material = material;
  // A snapped grid pulls no vertex inward: one on its far face is in the first voxel of the next grid.
  auto snap = [&](double voxels) {
    return grid.first_voxel ? 2 * static_cast<int32_t>(std::floor(voxels * 256)) + 1
                            : vox::voxelize::snap(voxels, grid.resolution);
  };
  const Corner* corners[3] = {&a, &b, &c};
  for (int i = 0; i < 3; ++i) {
    const Vec3d& p = corners[i]->voxels;
    shape.corner[i] = {snap(p.x), snap(p.y), snap(p.z)};
  }
  return shape;
}

TriangleShading shading_of(const Corner& a, const Corner& b, const Corner& c, uint32_t level) {
  TriangleShading shading;
  shading.level = level;
  const Corner* corners[3] = {&a, &b, &c};
  for (int i = 0; i < 3; ++i) {
    shading.texcoord[i] = {static_cast<float>(corners[i]->texcoord.x),
                           static_cast<float>(corners[i]->texcoord.y)};
    auto byte = [&](size_t channel) { return static_cast<uint8_t>(std::lround(corners[i]->color[channel])); };
    shading.color[i] = {byte(0), byte(1), byte(2), byte(3)};
  }
  return shading;
}

// The mip level whose texels are nearest in size to a voxel: level L has texels of 4^L times the area of
// those of level 0.
uint32_t level_of(const std::array<Corner, 3>& triangle, const scene::IndexedTexture& texture) {
  const auto &a = triangle[0], &b = triangle[1], &c = triangle[2];
  Vec3d normal = cross(b.voxels - a.voxels, c.voxels - a.voxels);
  double voxel_area = length(normal);
  double uv_area = std::abs((b.texcoord.x - a.texcoord.x) * (c.texcoord.y - a.texcoord.y) -
                            (b.texcoord.y - a.texcoord.y) * (c.texcoord.x - a.texcoord.x));
  double texels = uv_area * texture.levels[0].width * texture.levels[0].height;
  uint32_t level = 0;
  for (double limit = 2; level + 1 < texture.levels.size() && texels >= limit * voxel_area; limit *= 4)
    ++level;
  return level;
}

class Preparer {
 public:
  Preparer(const scene::Scene& scene, const scene::IndexedScene& indexed, const Grid& grid, bool solid)
      : scene_(scene), indexed_(indexed), grid_(grid), solid_(solid) {}

  // Appends the part of a triangle within the guard band: usually all of it, nothing when it misses the grid.
  void add(const scene::Triangle& triangle, PreparedScene& out) const {
    std::array<Corner, 3> corners = {corner(triangle, 0), corner(triangle, 1), corner(triangle, 2)};
    if (!reaches_grid(corners, grid_.resolution, solid_)) return;
    const scene::IndexedMaterial& material = indexed_.materials[triangle.material];
    const bool textured = material.texture != scene::kNone && triangle.texcoord[0] != scene::kNone;
    if (material.invisible && !textured) return;
    const uint32_t level = textured ? level_of(corners, indexed_.textures[material.texture]) : 0;
    // Triangles without texture coordinates take the untextured twin that follows the scene's materials.
    const uint32_t shown = triangle.texcoord[0] == scene::kNone
                               ? triangle.material + static_cast<uint32_t>(indexed_.materials.size())
                               : triangle.material;
    std::vector<Corner> polygon(corners.begin(), corners.end());
    if (!std::all_of(corners.begin(), corners.end(), [](const Corner& c) { return within_guard(c.voxels); }))
      for (int axis = 0; axis < 3; ++axis) polygon = cut(cut(polygon, axis, 1), axis, -1);
    for (size_t i = 2; i < polygon.size(); ++i) {
      out.shapes.push_back(snapped(polygon[0], polygon[i - 1], polygon[i], shown, grid_));
      out.shadings.push_back(shading_of(polygon[0], polygon[i - 1], polygon[i], level));
    }
  }

 private:
  // In a snapped grid the vertex is first put on the lattice, then counted from the origin, which is exact:
  // other windows of the world have it at the same place.
  Vec3d in_voxels(Vec3d p) const {
    const double size = grid_.voxel_size;
    if (grid_.first_voxel)
      return Vec3d{on_lattice(p.x / size), on_lattice(p.y / size), on_lattice(p.z / size)} -
             *grid_.first_voxel;
    const Vec3d q = p - grid_.origin;
    return {q.x / size, q.y / size, q.z / size};
  }

  Corner corner(const scene::Triangle& triangle, size_t i) const {
    Corner corner = {};
    corner.voxels = in_voxels(scene_.positions[triangle.position[i]]);
    if (triangle.texcoord[i] != scene::kNone) {
      Vec2f uv = scene_.texcoords[triangle.texcoord[i]];
      corner.texcoord = {uv.x, uv.y};
    }
    scene::Rgba8 color =
        scene_.colors.empty() ? scene::Rgba8{255, 255, 255, 255} : scene_.colors[triangle.position[i]];
    corner.color = {double(color.r), double(color.g), double(color.b), double(color.a)};
    return corner;
  }

  const scene::Scene& scene_;
  const scene::IndexedScene& indexed_;
  const Grid& grid_;
  bool solid_;
};

MaterialRef material_ref(const scene::IndexedMaterial& material) {
  MaterialRef ref = {};
  ref.index = material.index;
  ref.flags = material.vertex_colors ? MaterialRef::kVertexColors : 0;
  ref.wraps = static_cast<uint8_t>(static_cast<uint32_t>(material.wrap_u) |
                                   static_cast<uint32_t>(material.wrap_v) << 4);
  return ref;
}

// Appends the texels of a texture, starting at a whole word of both arrays.
void add_texture(const scene::IndexedTexture& texture, PreparedScene& out) {
  const uint64_t first = std::max(out.nibbles.size() * 8, (out.opaque.size() * 32 + 31) / 32 * 32);
  out.nibbles.resize(first / 8);
  out.nibbles.insert(out.nibbles.end(), texture.nibbles.begin(), texture.nibbles.end());
  out.nibbles.resize((out.nibbles.size() + 3) / 4 * 4);
  if (!texture.opaque.empty()) {
    out.opaque.resize(first / 32);
    out.opaque.insert(out.opaque.end(), texture.opaque.begin(), texture.opaque.end());
  }
  for (const auto& level : texture.levels)
    out.levels.push_back({level.width, level.height, first + level.first_texel});
}

void prepare_materials(const scene::IndexedScene& indexed, PreparedScene& out) {
  std::vector<uint32_t> first_level;
  for (const scene::IndexedTexture& texture : indexed.textures) {
    first_level.push_back(static_cast<uint32_t>(out.levels.size()));
    add_texture(texture, out);
  }
  for (const scene::IndexedMaterial& material : indexed.materials) {
    MaterialRef ref = material_ref(material);
    if (material.texture != scene::kNone) {
      const scene::IndexedTexture& texture = indexed.textures[material.texture];
      ref.first_level = first_level[material.texture];
      ref.level_count = static_cast<uint32_t>(texture.levels.size());
      ref.flags = static_cast<uint16_t>(ref.flags | MaterialRef::kTextured |
                                        (texture.opaque.empty() ? 0 : MaterialRef::kHasHoles));
    }
    out.materials.push_back(ref);
  }
  for (const scene::IndexedMaterial& material : indexed.materials)
    out.materials.push_back(material_ref(material));
  out.color_lut = indexed.color_lut;
}

}  // namespace

PreparedScene prepare(const scene::Scene& scene, const scene::IndexedScene& indexed, const Grid& grid,
                      bool solid) {
  const Preparer preparer(scene, indexed, grid, solid);
  constexpr size_t kBlock = 1 << 14;
  const size_t blocks = (scene.triangles.size() + kBlock - 1) / kBlock;
  std::vector<PreparedScene> parts(blocks);
  tbb::parallel_for(size_t{0}, blocks, [&](size_t block) {
    const size_t end = std::min(scene.triangles.size(), (block + 1) * kBlock);
    for (size_t i = block * kBlock; i < end; ++i) preparer.add(scene.triangles[i], parts[block]);
  });
  PreparedScene out;
  size_t total = 0;
  for (const PreparedScene& part : parts) total += part.shapes.size();
  if (total >= UINT32_MAX) throw Error("the scene has more than 2^32 triangles");
  out.shapes.reserve(total);
  out.shadings.reserve(total);
  for (PreparedScene& part : parts) {
    out.shapes.insert(out.shapes.end(), part.shapes.begin(), part.shapes.end());
    out.shadings.insert(out.shadings.end(), part.shadings.begin(), part.shadings.end());
    part = {};
  }
  prepare_materials(indexed, out);
  return out;
}

}  // namespace vox::voxelize
