#include "libvox/scene/scene.h"

#include <cmath>

namespace vox {
namespace {

bool finite(Vec3d p) {
  return std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z);
}

}  // namespace

void append_scene(Scene& scene, Scene&& other) {
  auto shift = [](uint32_t index, size_t by) {
    return index == kNone ? kNone : index + static_cast<uint32_t>(by);
  };
  size_t positions = scene.positions.size(), texcoords = scene.texcoords.size();
  size_t materials = scene.materials.size(), images = scene.images.size();
  if (!scene.colors.empty() || !other.colors.empty()) {
    constexpr Rgba8 kWhite = {255, 255, 255, 255};
    scene.colors.resize(positions, kWhite);
    other.colors.resize(other.positions.size(), kWhite);
    scene.colors.insert(scene.colors.end(), other.colors.begin(), other.colors.end());
  }
  scene.positions.insert(scene.positions.end(), other.positions.begin(), other.positions.end());
  scene.texcoords.insert(scene.texcoords.end(), other.texcoords.begin(), other.texcoords.end());
  for (Triangle triangle : other.triangles) {
    for (uint32_t& index : triangle.position) index = shift(index, positions);
    for (uint32_t& index : triangle.texcoord) index = shift(index, texcoords);
    triangle.material = shift(triangle.material, materials);
    scene.triangles.push_back(triangle);
  }
  for (Material& material : other.materials) {
    material.image = shift(material.image, images);
    scene.materials.push_back(std::move(material));
  }
  for (Image& image : other.images) scene.images.push_back(std::move(image));
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
    Vec3d normal = cross(corner(1) - corner(0), corner(2) - corner(0));
    if (dot(normal, normal) > 0) return false;
    ++dropped.degenerate;
    return true;
  });
  return dropped;
}

}  // namespace vox
