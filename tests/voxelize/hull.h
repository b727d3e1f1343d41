// Whether two triangles meet, decided the slow way: they do where the differences of their points, a convex body,
// hold the origin. The body is the hull of nine points, and what it holds lies in a simplex of at most four of them
// (Carathéodory). Points are exact; triangles may have no area.
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
  // The volumes of the four parts that the origin cuts the simplex into; together they are the whole.
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
