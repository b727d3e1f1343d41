#include "libvox/painting/stroke_arrays.h"

#include <algorithm>

namespace vox::painting {
namespace {

StrokeRef ref_of(const Stroke& stroke, uint32_t first_segment) {
  StrokeRef ref = {.radius = stroke.radius,
                   .full = stroke.radius * (1 - stroke.edge),
                   .least = stroke.points[0],
                   .most = stroke.points[0],
                   .first_segment = first_segment,
                   .segments = std::max(1u, static_cast<uint32_t>(stroke.points.size() - 1)),
                   .space = stroke.space};
  for (const Vec3d& point : stroke.points)
    for (uint32_t axis = 0; axis < 3; ++axis) {
      ref.least[axis] = std::min(ref.least[axis], point[axis]);
      ref.most[axis] = std::max(ref.most[axis], point[axis]);
    }
  const Vec3d around = {stroke.radius, stroke.radius, stroke.radius};
  ref.least = ref.least - around;
  ref.most = ref.most + around;
  return ref;
}

}  // namespace

StrokeArrays stroke_arrays(const Strokes& strokes, size_t begin, size_t end) {
  StrokeArrays arrays;
  for (size_t i = begin; i < end; ++i) {
    const Stroke& stroke = strokes[i];
    arrays.strokes.push_back(ref_of(stroke, static_cast<uint32_t>(arrays.segments.size())));
    arrays.colors.push_back(full_paint(stroke.color));
    for (uint32_t s = 0; s < arrays.strokes.back().segments; ++s)
      arrays.segments.push_back({.from = stroke.points[s],
                                 .to = stroke.points[std::min<size_t>(s + 1, stroke.points.size() - 1)],
                                 .stroke = static_cast<uint32_t>(i - begin),
                                 .unused = 0});
  }
  return arrays;
}

}  // namespace vox::painting
