// Decides by a slow way whether two triangles meet: they do if the differences of their points, which form a
// convex body, include the origin. The body is the hull of nine points, and each of its points lies in a
// simplex of at most four of them (Carathéodory). Points are exact; triangles may have no area.
#pragma once

#include <array>
#include <vector>

#include "tests/voxelize/brute_force.h"

namespace vox::brute {

using TriangleCorners = std::array<Vec3w, 3>;

inline constexpr Vec3w kOrigin = {0, 0, 0};

inline Wide volume(Vec3w a, Vec3w b, Vec3w c) {
  return dot(a, cross(b, c));
}

inline bool holds_origin(Vec3w a, Vec3w b) {
  return cross(a, b) == kOrigin && dot(a, b) <= 0;
}

inline bool holds_origin(Vec3w a, Vec3w b, Vec3w c) {
  const Vec3w normal = cross(b - a, c - a);
  return normal != kOrigin && volume(a, b, c) == 0 && dot(normal, cross(a, b)) >= 0 &&
         dot(normal, cross(b, c)) >= 0 && dot(normal, cross(c, a)) >= 0;
}

inline bool holds_origin(Vec3w a, Vec3w b, Vec3w c, Vec3w d) {
  const Wide whole = volume(b - a, c - a, d - a);
  if (whole == 0) return false;
  // The volumes of the four parts into which the origin divides the simplex. The origin is inside if no part
  // has the opposite sign of the whole.
  const std::array<Wide, 4> parts = {volume(b, c, d), -volume(a, c, d), volume(a, b, d), -volume(a, b, c)};
  for (const Wide part : parts)
    if (whole > 0 ? part < 0 : part > 0) return false;
  return true;
}

inline bool triangles_meet(const TriangleCorners& one, const TriangleCorners& other) {
  std::vector<Vec3w> points;
  for (const Vec3w& p : one)
    for (const Vec3w& q : other) points.push_back(p - q);
  for (size_t i = 0; i < points.size(); ++i) {
    if (points[i] == kOrigin) return true;
    for (size_t j = i + 1; j < points.size(); ++j) {
      if (holds_origin(points[i], points[j])) return true;
      for (size_t k = j + 1; k < points.size(); ++k) {
        if (holds_origin(points[i], points[j], points[k])) return true;
        for (size_t l = k + 1; l < points.size(); ++l)
          if (holds_origin(points[i], points[j], points[k], points[l])) return true;
      }
    }
  }
  return false;
}

}  // namespace vox::brute
