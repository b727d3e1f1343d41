// A triangle and a piece of a stroke that may paint it: computes which texels are painted, and what share of
// each.
#pragma once

#include "libvox/painting/stroke_ref.h"
#include "libvox/scene/wrapped_texel.h"

namespace vox::painting {

struct Touch {
  AtlasTriangle triangle;
  Segment segment;
  StrokeRef stroke;
  Layer layer;
  uint32_t size;  // texels along each side of the atlas

  // Returns the texel of the atlas for a texel of the plane.
  VOX_HD Vec2<uint32_t> wrapped(uint32_t x, uint32_t y) const {
    return {scene::wrapped_texel(triangle.base.x + x, size, layer.wrap_u),
            scene::wrapped_texel(triangle.base.y + y, size, layer.wrap_v)};
  }

  // Returns the share of a texel that is painted. If the triangle touches the texel, the distance is measured
  // at the triangle's point that is closest to the texel's middle; in units of the texture, it is measured at
  // the middle itself.
  VOX_HD uint32_t share(uint32_t x, uint32_t y) const {
    const TexelSquare square = {x, y, 1};
    if (!triangle.touches(square)) return 0;
    if (stroke.space == StrokeSpace::Scene) return stroke.share(distance_to(segment, triangle.place(square)));
    const Vec2<uint32_t> texel = wrapped(x, y);
    return stroke.share(distance_to(segment, {(texel.x + 0.5) / size, (texel.y + 0.5) / size, 0}));
  }

  // True if a texel of the square may be painted. If none is, the result is usually false.
  VOX_HD bool may_paint(const TexelSquare& square) const {
    if (!triangle.touches(square)) return false;
    return stroke.space == StrokeSpace::Scene ? near_in_scene(square) : near_in_texture(square);
  }

  // True only if every texel of the square is painted. Where all are, it mostly says so.
  VOX_HD bool paints_all(const TexelSquare& square) const {
    if (!triangle.contains(square)) return false;
    const double sure = stroke.radius * (1 - 1e-4);  // so far away, the share is not yet rounded to 0
    if (stroke.space == StrokeSpace::Scene)
      return distance_to(segment, triangle.place(square)) + triangle.stretch * (kHalfDiagonal * square.side) <
             sure;
    const Range u = range(triangle.base.x + square.x, square.side, layer.wrap_u);
    const Range v = range(triangle.base.y + square.y, square.side, layer.wrap_v);
    const Vec3d farthest = {segment.from.x - u.first > u.end - segment.from.x ? u.first : u.end,
                            segment.from.y - v.first > v.end - segment.from.y ? v.first : v.end, 0};
    return distance_to(segment, farthest) < sure;
  }

 private:
  static constexpr double kHalfDiagonal = 0.70711;  // of a square of 1

  // Going to the closest point of the triangle brings no two points further apart. So in the plane no place of
  // a texel in the square is further from the square's than half a diagonal; a little more is for rounding, which
  // is that of the triangle's coordinates and, far less, that of the distance: a stroke may be much larger.
  VOX_HD bool near_in_scene(const TexelSquare& square) const {
    const double reach = stroke.radius + triangle.stretch * (kHalfDiagonal * square.side);
    const double extent = triangle.stretch * (triangle.most.x + triangle.most.y);
    const double rounding = 1e-9 * (extent < reach ? extent : reach) + kStrokeRounding * reach;
    return !(distance_to(segment, triangle.place(square)) > reach + rounding);
  }

  VOX_HD bool near_in_texture(const TexelSquare& square) const {
    const Range u = range(triangle.base.x + square.x, square.side, layer.wrap_u);
    const Range v = range(triangle.base.y + square.y, square.side, layer.wrap_v);
    const Vec3d center = segment.from;
    const Vec3d closest = {clamped_to(center.x, u.first, u.end), clamped_to(center.y, v.first, v.end), 0};
    return distance_to(segment, closest) <= stroke.radius;
  }

  // The range of the texture coordinates of some columns (or rows), or the whole texture if these cross a
  // border.
  struct Range {
    double first, end;
  };
  VOX_HD Range range(int64_t first, uint32_t side, scene::Wrap wrap) const {
    const int64_t last = first + side - 1;
    const auto repetition = [this](int64_t texel) {
      return texel < 0 ? -1 - (-1 - texel) / int64_t{size} : texel / int64_t{size};
    };
    if (wrap != scene::Wrap::Clamp && repetition(first) != repetition(last)) return {0, 1};
    const uint32_t a = scene::wrapped_texel(first, size, wrap), b = scene::wrapped_texel(last, size, wrap);
    return {static_cast<double>(a < b ? a : b) / size, (static_cast<double>(a < b ? b : a) + 1) / size};
  }
};

}  // namespace vox::painting
