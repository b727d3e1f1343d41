// Strokes as bodies see them: their place, and the share of a texel that they cover.
#pragma once

#include "libvox/painting/atlas_triangle.h"
#include "libvox/painting/paint.h"
#include "libvox/painting/stroke.h"

namespace vox::painting {

// How exact the distance to a stroke is, in parts of the largest of its coordinates and its radius.
inline constexpr double kStrokeRounding = 1e-13;

// A piece of a stroke's line; both ends are the same where the stroke is a point.
struct Segment {
  Vec3d from, to;   // 48 B
  uint32_t stroke;  // 4 B
  uint32_t unused;  // 4 B
};
static_assert(sizeof(Segment) == 56);

struct StrokeRef {
  double radius;           // 8 B
  double full;             // 8 B, up to this distance it covers texels completely
  Vec3d least, most;       // 48 B, a box around the stroke
  uint32_t first_segment;  // 4 B
  uint32_t segments;       // 4 B
  StrokeSpace space;       // 1 B

  // Returns the share of a texel at this distance from the stroke's line.
  VOX_HD uint32_t share(double distance) const {
    if (distance <= full) return kFullShare;
    if (!(distance < radius)) return 0;
    return static_cast<uint32_t>((radius - distance) / (radius - full) * kFullShare + 0.5);
  }
};

struct StrokesRef {
  const StrokeRef* strokes;
  const Segment* segments;
};

VOX_HD inline double clamped_to(double value, double least, double most) {
  return value < least ? least : value > most ? most : value;
}

VOX_HD inline double distance_to(const Segment& segment, const Vec3d& point) {
  const Vec3d along = segment.to - segment.from;
  const double squared = dot(along, along);
  const double t = squared > 0 ? clamped_to(dot(point - segment.from, along) / squared, 0, 1) : 0;
  const Vec3d apart = point - (segment.from + along * t);
  return square_root(dot(apart, apart));
}

}  // namespace vox::painting
