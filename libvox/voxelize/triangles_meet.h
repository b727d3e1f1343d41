// Decides in integers if two snapped triangles meet. A triangle includes its border, so one that only
// touches another at a corner or along an edge meets it. Two triangles meet exactly if an edge of one meets
// the other, because their intersection ends at an edge of one of them.
//
// Every decision is the sign of a volume or of an area. With coordinates that differ by less than 2^19 units,
// as on a grid of 1024 voxels, a volume is below 6 · 2^57: int64_t holds it.
#pragma once

#include <cstdint>

#include "libvox/voxelize/coverage.h"

namespace vox::voxelize {

inline constexpr uint32_t kMostMeetingResolution = 1024;

VOX_HD inline int sign_of(int64_t value) {
  return (value > 0) - (value < 0);
}

// Returns the side of the plane through a, b and c on which the point lies: the sign of the tetrahedron's
// volume.
VOX_HD inline int side_of(Int3 a, Int3 b, Int3 c, Int3 point) {
  return sign_of(dot(cross(wide_difference(b, a), wide_difference(c, a)), wide_difference(point, a)));
}

// A point in a view along one of the three axes. Things that lie in one plane are compared in all three
// views. Some views may show the plane as a line, but at least one shows it as an area. So things in one
// plane meet exactly if they meet in all three views.
struct ViewedPoint {
  int64_t u, v;
};
VOX_HD inline ViewedPoint viewed(Int3 point, uint32_t axis) {
  return {point[axis == 0 ? 1 : 0], point[axis == 2 ? 1 : 2]};
}

// Returns the side of the line from a to b on which the point lies.
VOX_HD inline int turn_of(ViewedPoint a, ViewedPoint b, ViewedPoint point) {
  return sign_of((b.u - a.u) * (point.v - a.v) - (b.v - a.v) * (point.u - a.u));
}

VOX_HD inline bool ranges_meet(int64_t a, int64_t b, int64_t c, int64_t d) {
  return (a < b ? a : b) <= (c < d ? d : c) && (c < d ? c : d) <= (a < b ? b : a);
}

// Two segments meet if the ends of each do not lie strictly on one side of the other's line. Their boxes
// decide about segments on one line, and about segments that are points.
VOX_HD inline bool segments_meet(ViewedPoint a, ViewedPoint b, ViewedPoint c, ViewedPoint d) {
  return ranges_meet(a.u, b.u, c.u, d.u) && ranges_meet(a.v, b.v, c.v, d.v) &&
         turn_of(a, b, c) * turn_of(a, b, d) <= 0 && turn_of(c, d, a) * turn_of(c, d, b) <= 0;
}

VOX_HD inline bool segments_meet(Int3 a, Int3 b, Int3 c, Int3 d) {
  if (side_of(a, b, c, d) != 0) return false;
  for (uint32_t axis = 0; axis < 3; ++axis)
    if (!segments_meet(viewed(a, axis), viewed(b, axis), viewed(c, axis), viewed(d, axis))) return false;
  return true;
}

// True if the three signs do not contradict each other.
VOX_HD inline bool agree(int a, int b, int c) {
  return (a >= 0 && b >= 0 && c >= 0) || (a <= 0 && b <= 0 && c <= 0);
}

// True if the triangle contains the point. The point must lie in the triangle's plane, and the triangle must
// have an area.
VOX_HD inline bool holds_point(const TriangleShape& triangle, Int3 point) {
  for (uint32_t axis = 0; axis < 3; ++axis) {
    const ViewedPoint a = viewed(triangle.corner[0], axis), b = viewed(triangle.corner[1], axis),
                      c = viewed(triangle.corner[2], axis), p = viewed(point, axis);
    if (!agree(turn_of(a, b, p), turn_of(b, c, p), turn_of(c, a, p))) return false;
  }
  return true;
}

// A triangle, and for each corner of another triangle the side of its plane on which the corner lies. All
// sides are 0 if the triangle has no area.
struct PlaneSides {
  const TriangleShape& triangle;
  int side[3];

  VOX_HD PlaneSides(const TriangleShape& plane, const TriangleShape& other) : triangle(plane) {
    const Vec3<int64_t> normal = normal_of(plane);
    for (int i = 0; i < 3; ++i)
      side[i] = sign_of(dot(normal, wide_difference(other.corner[i], plane.corner[0])));
  }

  VOX_HD bool separate() const { return side[0] != 0 && side[0] == side[1] && side[0] == side[2]; }

  // True if the edge from corner i to corner j of the other triangle meets this triangle.
  VOX_HD bool met_by(const TriangleShape& other, int i, int j) const {
    if (side[i] * side[j] > 0) return false;
    const Int3 &from = other.corner[i], &to = other.corner[j];
    const Int3 &a = triangle.corner[0], &b = triangle.corner[1], &c = triangle.corner[2];
    if (side[i] != 0 || side[j] != 0)  // the edge crosses the plane at a point of the edge
      return agree(side_of(from, to, a, b), side_of(from, to, b, c), side_of(from, to, c, a));
    if (segments_meet(from, to, a, b) || segments_meet(from, to, b, c) || segments_meet(from, to, c, a))
      return true;
    return normal_of(triangle) != Vec3<int64_t>{0, 0, 0} && holds_point(triangle, from);
  }
};

// True if two triangles meet. Both lie on a grid of at most kMostMeetingResolution voxels a side. Either may
// have no area.
VOX_HD inline bool triangles_meet(const TriangleShape& one, const TriangleShape& other) {
  const PlaneSides of_one(one, other), of_other(other, one);
  if (of_one.separate() || of_other.separate()) return false;
  for (int i = 0; i < 3; ++i) {
    const int j = i == 2 ? 0 : i + 1;
    if (of_one.met_by(other, i, j) || of_other.met_by(one, i, j)) return true;
  }
  return false;
}

}  // namespace vox::voxelize
