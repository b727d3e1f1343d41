#include "libvox/scene/procedural/shapes.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "libvox/base/length.h"

namespace vox::scene {
namespace {

double round_to_grid(double metres) {
  return std::floor(metres * 1024 + 0.5) / 1024;
}

}  // namespace

Placement wall_of(const Placement& box, Vec3d lo, Vec3d hi, int side) {
  Vec3d middle = {(lo.x + hi.x) / 2, lo.y, (lo.z + hi.z) / 2};
  switch (side) {
    case 0:
      return box.moved({middle.x, lo.y, hi.z});
    case 1:
      return box.moved({hi.x, lo.y, middle.z}).turned({0, -1});
    case 2:
      return box.moved({middle.x, lo.y, lo.z}).turned({-1, 0});
    default:
      return box.moved({lo.x, lo.y, middle.z}).turned({0, 1});
  }
}

Surface SceneBuilder::add_surface(Image image, double metres, Wrap wrap, float alpha_cutoff) {
  Material material;
  material.name = image.name.substr(0, image.name.rfind('.'));
  material.base_color = {1, 1, 1, 1};
  material.image = static_cast<uint32_t>(scene_.images.size());
  material.wrap_u = material.wrap_v = wrap;
  material.alpha_cutoff = alpha_cutoff;
  scene_.images.push_back(std::move(image));
  scene_.materials.push_back(std::move(material));
  return {static_cast<uint32_t>(scene_.materials.size() - 1), metres};
}

void SceneBuilder::reserve(uint64_t triangles) {
  scene_.triangles.reserve(triangles);
  scene_.positions.reserve(triangles * 3 / 2);
  scene_.texcoords.reserve(triangles * 2);
}

Scene SceneBuilder::take() {
  std::ranges::stable_sort(scene_.triangles, {}, &Triangle::material);
  return std::move(scene_);
}

uint32_t SceneBuilder::add_position(Vec3d local) {
  Vec3d p = placement_(local);
  scene_.positions.push_back({round_to_grid(p.x), round_to_grid(p.y), round_to_grid(p.z)});
  return static_cast<uint32_t>(scene_.positions.size() - 1);
}

uint32_t SceneBuilder::add_texcoord(double u, double v) {
  u = std::floor(u * 4096 + 0.5) / 4096, v = std::floor(v * 4096 + 0.5) / 4096;
  scene_.texcoords.push_back({static_cast<float>(u), static_cast<float>(v)});
  return static_cast<uint32_t>(scene_.texcoords.size() - 1);
}

void SceneBuilder::add_triangle(Surface surface, std::array<uint32_t, 3> position,
                                std::array<uint32_t, 3> texcoord) {
  scene_.triangles.push_back({position, texcoord, surface.material});
}

void SceneBuilder::polygon(Surface surface, std::span<const Vec3d> corners) {
  Vec3d origin = corners[0], right = corners[1] - origin;
  right = right * (1 / length(right));
  Vec3d up = corners.back() - origin;
  up = up - right * dot(up, right);
  up = up * (1 / length(up));
  auto position = static_cast<uint32_t>(scene_.positions.size());
  auto texcoord = static_cast<uint32_t>(scene_.texcoords.size());
  for (Vec3d corner : corners) {
    add_position(corner);
    add_texcoord(dot(corner - origin, right) / surface.metres, -dot(corner - origin, up) / surface.metres);
  }
  for (uint32_t i = 2; i < corners.size(); ++i)
    add_triangle(surface, {position, position + i - 1, position + i},
                 {texcoord, texcoord + i - 1, texcoord + i});
}

void SceneBuilder::quad(Surface surface, Vec3d a, Vec3d b, Vec3d c, Vec3d d) {
  polygon(surface, std::array{a, b, c, d});
}

void SceneBuilder::face(Surface surface, std::array<uint32_t, 4> position, double width, double height) {
  uint32_t a = add_texcoord(0, height), b = add_texcoord(width, height);
  uint32_t c = add_texcoord(width, 0), d = add_texcoord(0, 0);
  add_triangle(surface, {position[0], position[1], position[2]}, {a, b, c});
  add_triangle(surface, {position[0], position[2], position[3]}, {a, c, d});
}

void SceneBuilder::picture(Surface surface, Vec3d a, Vec3d b, Vec3d c, Vec3d d) {
  face(surface, {add_position(a), add_position(b), add_position(c), add_position(d)}, 1, 1);
}

void SceneBuilder::sheet(Surface surface, uint32_t columns, uint32_t rows,
                         const std::function<Vec3d(uint32_t, uint32_t)>& point) {
  auto position = static_cast<uint32_t>(scene_.positions.size());
  auto texcoord = static_cast<uint32_t>(scene_.texcoords.size());
  for (uint32_t j = 0; j <= rows; ++j)
    for (uint32_t i = 0; i <= columns; ++i) {
      Vec3d p = point(i, j);
      add_position(p);
      add_texcoord(p.x / surface.metres, p.z / surface.metres);
    }
  auto add = [&](uint32_t a, uint32_t b, uint32_t c) {
    add_triangle(surface, {position + a, position + b, position + c},
                 {texcoord + a, texcoord + b, texcoord + c});
  };
  for (uint32_t j = 0; j < rows; ++j)
    for (uint32_t i = 0; i < columns; ++i) {
      uint32_t a = j * (columns + 1) + i, b = a + columns + 1;
      add(a, b, b + 1);
      add(a, b + 1, a + 1);
    }
}

// Corner i of a box is at hi.x if bit 0 of i is set, at hi.y if bit 1 is set, at hi.z if bit 2 is set.
void SceneBuilder::walls(Surface surface, Vec3d lo, Vec3d hi) {
  auto first = static_cast<uint32_t>(scene_.positions.size());
  for (uint32_t i = 0; i < 8; ++i)
    add_position({i & 1 ? hi.x : lo.x, i & 2 ? hi.y : lo.y, i & 4 ? hi.z : lo.z});
  double x = (hi.x - lo.x) / surface.metres, y = (hi.y - lo.y) / surface.metres;
  double z = (hi.z - lo.z) / surface.metres;
  face(surface, {first + 4, first + 5, first + 7, first + 6}, x, y);
  face(surface, {first + 5, first + 1, first + 3, first + 7}, z, y);
  face(surface, {first + 1, first, first + 2, first + 3}, x, y);
  face(surface, {first, first + 4, first + 6, first + 2}, z, y);
}

void SceneBuilder::box(Surface surface, Vec3d lo, Vec3d hi) {
  auto first = static_cast<uint32_t>(scene_.positions.size());
  walls(surface, lo, hi);
  face(surface, {first + 6, first + 7, first + 3, first + 2}, (hi.x - lo.x) / surface.metres,
       (hi.z - lo.z) / surface.metres);
}

void SceneBuilder::block(Surface surface, Vec3d lo, Vec3d hi) {
  auto first = static_cast<uint32_t>(scene_.positions.size());
  box(surface, lo, hi);
  face(surface, {first, first + 1, first + 5, first + 4}, (hi.x - lo.x) / surface.metres,
       (hi.z - lo.z) / surface.metres);
}

void SceneBuilder::cone(Surface surface, double radius_bottom, double radius_top, double y_bottom,
                        double y_top, int sides) {
  constexpr double kTwoPi = 6.283185307179586;
  double repeats = std::max(1.0, std::floor(kTwoPi * radius_bottom / surface.metres + 0.5));
  Vec3d slope = {radius_bottom - radius_top, y_top - y_bottom, 0};
  double height = length(slope) / surface.metres;
  bool pointed = radius_top == 0;
  auto position = static_cast<uint32_t>(scene_.positions.size());
  auto texcoord = static_cast<uint32_t>(scene_.texcoords.size());
  for (int i = 0; i <= sides; ++i) {
    Vec2d direction = unit_circle(static_cast<double>(i) / sides);
    if (i < sides) add_position({radius_bottom * direction.x, y_bottom, -radius_bottom * direction.y});
    if (i < sides && !pointed) add_position({radius_top * direction.x, y_top, -radius_top * direction.y});
    add_texcoord(repeats * i / sides, height);
    add_texcoord(repeats * i / sides, 0);
  }
  uint32_t apex = pointed ? add_position({0, y_top, 0}) : 0;
  auto n = static_cast<uint32_t>(sides), stride = pointed ? 1u : 2u;
  for (uint32_t i = 0; i < n; ++i) {
    uint32_t a = position + i * stride, b = position + (i + 1) % n * stride, t = texcoord + 2 * i;
    add_triangle(surface, {a, b, pointed ? apex : b + 1}, {t, t + 2, t + 3});
    if (!pointed) add_triangle(surface, {a, b + 1, a + 1}, {t, t + 3, t + 1});
  }
}

void SceneBuilder::disc(Surface surface, double radius, double y, int sides) {
  std::vector<Vec3d> corners;
  for (int i = 0; i < sides; ++i) {
    Vec2d direction = unit_circle(static_cast<double>(i) / sides);
    corners.push_back({radius * direction.x, y, -radius * direction.y});
  }
  polygon(surface, corners);
}

}  // namespace vox::scene
