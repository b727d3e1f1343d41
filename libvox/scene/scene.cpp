#include "libvox/scene/scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <tuple>

#include "libvox/base/error.h"
#include "libvox/scene/oklab.h"
#include "libvox/scene/surface.h"

namespace vox::scene {
namespace {

bool finite(Vec3d p) {
  return std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z);
}

template <class T>
void append(std::vector<T>& all, std::vector<T>& more) {
  if (all.size() + more.size() >= kNone)
    throw Error(fmt::format("the meshes have more than {} vertices together", kNone));
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

Rgba8 multiplied(Rgba8 color, Vec3d base) {
  Vec3d linear = srgb_to_linear(Rgb8{color.r, color.g, color.b});
  Rgb8 product = linear_to_srgb(Vec3d{linear.x * base.x, linear.y * base.y, linear.z * base.z});
  return {product.r, product.g, product.b, color.a};
}

}  // namespace

void append_scene(Scene& scene, Scene&& other) {
  auto shift = [](uint32_t index, size_t by) {
    return index == kNone ? kNone : index + static_cast<uint32_t>(by);
  };
  size_t positions = scene.positions.size(), texcoords = scene.texcoords.size();
  size_t materials = scene.materials.size(), images = scene.images.size();
  if (positions == 0)
    scene.unit = other.unit;
  else if (scene.unit != other.unit)
    scene.unit = LengthUnit::Unknown;
  append(scene.positions, other.positions);
  if (!scene.colors.empty() || !other.colors.empty()) {
    constexpr Rgba8 kWhite = {255, 255, 255, 255};
    scene.colors.resize(positions, kWhite);
    other.colors.resize(other.positions.size(), kWhite);
    append(scene.colors, other.colors);
  }
  append(scene.texcoords, other.texcoords);
  scene.triangles.reserve(scene.triangles.size() + other.triangles.size());
  for (Triangle triangle : other.triangles) {
    for (uint32_t& index : triangle.position) index = shift(index, positions);
    for (uint32_t& index : triangle.texcoord) index = shift(index, texcoords);
    triangle.material = shift(triangle.material, materials);
    scene.triangles.push_back(triangle);
  }
  for (Material& material : other.materials) material.image = shift(material.image, images);
  append(scene.materials, other.materials);
  append(scene.images, other.images);
}

DroppedTriangles drop_bad_triangles(Scene& scene) {
  DroppedTriangles dropped;
  for (Vec2f& uv : scene.texcoords)
    if (!std::isfinite(uv.x) || !std::isfinite(uv.y)) uv = {0, 0};
  std::erase_if(scene.triangles, [&](const Triangle& triangle) {
    auto corner = [&](size_t i) { return scene.positions[triangle.position[i]]; };
    if (!finite(corner(0)) || !finite(corner(1)) || !finite(corner(2))) {
      ++dropped.not_finite;
      return true;
    }
    if (cross(corner(1) - corner(0), corner(2) - corner(0)) != Vec3d{0, 0, 0}) return false;
    ++dropped.degenerate;
    return true;
  });
  return dropped;
}

void bake_base_colors(Scene& scene) {
  constexpr Vec3d kWhite = {1, 1, 1};
  std::vector<Vec3d> bases;
  for (const Material& material : scene.materials)
    bases.push_back(has_vertex_colors(scene, material) ? base_linear(material) : kWhite);
  if (std::all_of(bases.begin(), bases.end(), [&](Vec3d base) { return base == kWhite; })) return;

  // The first base color that is applied to a vertex keeps it; for every other base color the vertex is
  // duplicated.
  std::vector<Rgba8> original = scene.colors;
  std::vector<uint32_t> owner(scene.positions.size(), kNone);                // indices of materials
  std::map<std::tuple<uint32_t, double, double, double>, uint32_t> doubles;  // duplicates by vertex and base
                                                                             // color
  for (Triangle& triangle : scene.triangles) {
    const Material& material = scene.materials[triangle.material];
    if (!has_vertex_colors(scene, material)) continue;
    Vec3d base = bases[triangle.material];
    for (uint32_t& vertex : triangle.position) {
      if (owner[vertex] == kNone) {
        owner[vertex] = triangle.material;
        scene.colors[vertex] = multiplied(original[vertex], base);
      } else if (bases[owner[vertex]] != base) {
        auto next = static_cast<uint32_t>(scene.positions.size());
        auto [found, is_new] = doubles.try_emplace({vertex, base.x, base.y, base.z}, next);
        if (is_new) {
          std::vector<Vec3d> position = {scene.positions[vertex]};
          std::vector<Rgba8> color = {multiplied(original[vertex], base)};
          append(scene.positions, position);
          append(scene.colors, color);
        }
        vertex = found->second;
      }
    }
  }
  for (Material& material : scene.materials)
    if (has_vertex_colors(scene, material)) std::fill_n(material.base_color.begin(), 3, 1.0f);
}

}  // namespace vox::scene
