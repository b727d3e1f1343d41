// Paints strokes on a dense atlas. For each stroke it examines every triangle, and for each triangle every
// texel of the plane that its texture coordinates may reach. Strokes in the texture paint the square itself.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "libvox/painting/stroke.h"
#include "libvox/scene/oklab.h"
#include "tests/painting/painted.h"

namespace vox {

using PlanePoint = Vec2<double>;

// Returns the part of a polygon where sign · coordinate <= sign · limit.
inline std::vector<PlanePoint> cut_polygon(const std::vector<PlanePoint>& polygon, bool by_y, double sign,
                                           double limit) {
  std::vector<PlanePoint> kept;
  auto inside = [&](PlanePoint p) { return sign * (limit - (by_y ? p.y : p.x)); };
  for (size_t i = 0; i < polygon.size(); ++i) {
    const PlanePoint a = polygon[i], b = polygon[(i + 1) % polygon.size()];
    const double da = inside(a), db = inside(b);
    if (da >= 0) kept.push_back(a);
    if ((da >= 0) != (db >= 0)) {
      const double t = da / (da - db);
      kept.push_back({a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t});
    }
  }
  return kept;
}

// True if a triangle touches a texel, not counting the texel's outermost 128th.
inline bool touches_texel(const std::vector<PlanePoint>& triangle, double x, double y) {
  constexpr double kRim = 1.0 / 128;
  std::vector<PlanePoint> rest = cut_polygon(triangle, false, 1, x + 1 - kRim);
  rest = cut_polygon(rest, false, -1, x + kRim);
  rest = cut_polygon(rest, true, 1, y + 1 - kRim);
  return !cut_polygon(rest, true, -1, y + kRim).empty();
}

// Returns the barycentric weights of the triangle's point that is closest to p.
inline Vec3d closest_in_plane(const std::vector<PlanePoint>& t, PlanePoint p) {
  auto area = [](PlanePoint a, PlanePoint b, PlanePoint c) {
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
  };
  const double all = area(t[0], t[1], t[2]);
  const Vec3d inside = {area(p, t[1], t[2]) / all, area(t[0], p, t[2]) / all, area(t[0], t[1], p) / all};
  if (inside.x >= 0 && inside.y >= 0 && inside.z >= 0) return inside;
  Vec3d best = {};
  double nearest = HUGE_VAL;
  for (uint32_t i = 0; i < 3; ++i) {
    const PlanePoint a = t[i], b = t[(i + 1) % 3];
    const double dx = b.x - a.x, dy = b.y - a.y;
    const double s = std::clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / (dx * dx + dy * dy), 0.0, 1.0);
    const double squared = std::pow(a.x + dx * s - p.x, 2) + std::pow(a.y + dy * s - p.y, 2);
    if (squared >= nearest) continue;
    nearest = squared;
    best = {0, 0, 0};
    best[i] = 1 - s;
    best[(i + 1) % 3] = s;
  }
  return best;
}

inline double distance_to_line(const std::vector<Vec3d>& points, const Vec3d& p) {
  double nearest = HUGE_VAL;
  for (size_t i = 0; i < points.size(); ++i) {
    const Vec3d a = points[i], along = points[std::min(i + 1, points.size() - 1)] - a;
    const double squared = dot(along, along);
    const double s = squared > 0 ? std::clamp(dot(p - a, along) / squared, 0.0, 1.0) : 0;
    const Vec3d apart = p - (a + along * s);
    nearest = std::min(nearest, std::sqrt(dot(apart, apart)));
  }
  return nearest;
}

inline uint32_t dense_share(const painting::Stroke& stroke, double distance) {
  const double full = stroke.radius * (1 - stroke.edge);
  if (distance <= full) return 65535;
  if (distance >= stroke.radius) return 0;
  return static_cast<uint32_t>(std::floor((stroke.radius - distance) / (stroke.radius - full) * 65535 + 0.5));
}

// Returns the position in the square of a texel of the plane, by walking there.
inline uint32_t dense_wrapped(int64_t texel, int64_t size, scene::Wrap wrap) {
  if (wrap == scene::Wrap::Clamp) return static_cast<uint32_t>(std::clamp<int64_t>(texel, 0, size - 1));
  bool mirrored = false;
  for (; texel < 0; texel += size) mirrored = !mirrored;
  for (; texel >= size; texel -= size) mirrored = !mirrored;
  return static_cast<uint32_t>(wrap == scene::Wrap::Mirror && mirrored ? size - 1 - texel : texel);
}

class DenseAtlas {
 public:
  DenseAtlas(const scene::Scene& scene, uint32_t size) : scene_(scene), size_(size) {}

  void paint(const painting::Stroke& stroke) {
    std::map<std::tuple<uint32_t, uint32_t, uint32_t>, uint32_t> shares;
    for (const scene::Triangle& triangle : scene_.triangles)
      for (uint32_t i = 0; stroke.space == painting::StrokeSpace::Texture && i < size_ * size_; ++i) {
        const uint32_t column = i % size_, row = i / size_;
        const Vec3d place = {(column + 0.5) / size_, (row + 0.5) / size_, 0};
        shares[{triangle.material, row, column}] =
            dense_share(stroke, distance_to_line(stroke.points, place));
      }
    for (const scene::Triangle& triangle : scene_.triangles)
      for (const auto& [texel, share] : shares_of(stroke, triangle))
        shares[texel] = std::max(shares[texel], share);
    for (const auto& [texel, share] : shares)
      if (share > 0) paint_over(texels_[texel], stroke.color, share);
  }

  const PaintedTexels& texels() const { return texels_; }

 private:
  using Share = std::pair<std::tuple<uint32_t, uint32_t, uint32_t>, uint32_t>;

  std::vector<Share> shares_of(const painting::Stroke& stroke, const scene::Triangle& triangle) const {
    if (stroke.space == painting::StrokeSpace::Texture) return {};
    const scene::Material& material = scene_.materials[triangle.material];
    std::vector<PlanePoint> shape;
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (uint32_t index : triangle.texcoord) {
      const Vec2f uv = scene_.texcoords[index];
      shape.push_back({static_cast<double>(uv.x) * size_, static_cast<double>(uv.y) * size_});
      low = std::min({low, shape.back().x, shape.back().y});
      high = std::max({high, shape.back().x, shape.back().y});
    }
    std::vector<Share> shares;
    for (auto y = static_cast<int64_t>(low) - 2; y <= static_cast<int64_t>(high) + 2; ++y)
      for (auto x = static_cast<int64_t>(low) - 2; x <= static_cast<int64_t>(high) + 2; ++x) {
        if (!touches_texel(shape, static_cast<double>(x), static_cast<double>(y))) continue;
        const uint32_t column = dense_wrapped(x, size_, material.wrap_u),
                       row = dense_wrapped(y, size_, material.wrap_v);
        const PlanePoint middle = {static_cast<double>(x) + 0.5, static_cast<double>(y) + 0.5};
        const Vec3d place = place_of(triangle, closest_in_plane(shape, middle));
        const uint32_t share = dense_share(stroke, distance_to_line(stroke.points, place));
        shares.push_back({{triangle.material, row, column}, share});
      }
    return shares;
  }

  Vec3d place_of(const scene::Triangle& triangle, const Vec3d& weights) const {
    auto corner = [&](size_t i) { return scene_.positions[triangle.position[i]]; };
    return corner(0) * weights.x + corner(1) * weights.y + corner(2) * weights.z;
  }

  static void paint_over(painting::Paint& texel, scene::Rgb8 color, uint32_t share) {
    const Vec3d light = scene::srgb_to_linear(color) * 65535;
    auto mix = [&](double above, double below) {
      const double rounded = std::floor(above + 0.5);
      return static_cast<uint16_t>(std::llround((rounded * share + below * (65535 - share)) / 65535));
    };
    texel = {mix(light.x, texel.r), mix(light.y, texel.g), mix(light.z, texel.b), mix(65535, texel.share)};
  }

  const scene::Scene& scene_;
  uint32_t size_;
  PaintedTexels texels_;
};

}  // namespace vox
