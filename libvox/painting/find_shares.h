// Finds the texels that strokes paint, on a device. It begins with pairs of a piece of a stroke and a triangle near it,
// each with a square of the atlas. Step by step, squares are split into parts of an eighth of their side, as the
// voxelizer splits its cells (voxelize/descend.h). Squares that no triangle touches near a stroke are never visited,
// however large the atlas is.
#pragma once

#include "libvox/base/progress.h"
#include "libvox/device/atomics.h"
#include "libvox/device/pool.h"
#include "libvox/device/runs.h"
#include "libvox/painting/paint_scene.h"
#include "libvox/scene/texture.h"

namespace vox::painting {

// A triangle and a piece of a stroke that may paint it: computes which texels are painted, and what share of
// each.
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

  // True if a texel of the square may be painted. If none is painted, the result is usually false.
  VOX_HD bool may_paint(const TexelSquare& square) const {
    if (!triangle.touches(square)) return false;
    return stroke.space == StrokeSpace::Scene ? near_in_scene(square) : near_in_texture(square);
  }

  // True only if every texel of the square is painted; it may be false even then, but rarely is.
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
  static constexpr double kHalfDiagonal = 0.70711;  // half the diagonal of a square of side 1

  // The closest points of the triangle to two points are no further apart than these. So in the plane, the place of a
  // texel is at most half a diagonal from the place of its square. A little is added for the rounding of the triangle's
  // coordinates and, far less, of the distance, because a stroke may be much larger than the triangle.
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

// Shares of texels, in the order of the strokes that paint them. A texel may occur more than once.
struct TexelShares {
  device::Buffer<uint64_t> keys;
  device::Buffer<uint32_t> values;  // made by share_value()
  uint64_t count = 0;
};
VOX_HD inline uint32_t share_value(uint32_t stroke, uint32_t share) {
  return stroke << 16 | share;
}
inline constexpr uint32_t kMostStrokesAtOnce = 1 << 16;

// The data of a search: the mesh, and the strokes that are applied together.
struct StrokeSearch {
  PaintedMeshRef mesh;
  uint64_t triangles;  // those of the scene, then the squares that strokes in the texture paint
  uint64_t of_scene;
  StrokesRef strokes;
  AtlasKeys keys;

  VOX_HD Touch touch(uint32_t segment, uint32_t triangle) const {
    const scene::Triangle& shape = mesh.triangles[triangle];
    const Segment& piece = strokes.segments[segment];
    return {AtlasTriangle(mesh, shape, keys.size), piece, strokes.strokes[piece.stroke],
            mesh.layers[shape.material], keys.size};
  }
};

// Thrown if strokes paint more at once than the caller has memory for.
struct TooManyShares {
  uint64_t count;
};

// True if the box around a triangle and a box around a stroke, or a piece of it, have a point in common.
VOX_HD inline bool boxes_meet(const PaintedMeshRef& mesh, const scene::Triangle& triangle, const Vec3d& least,
                              const Vec3d& most) {
  const Vec3d a = mesh.positions[triangle.position[0]], b = mesh.positions[triangle.position[1]],
              c = mesh.positions[triangle.position[2]];
  for (uint32_t axis = 0; axis < 3; ++axis) {
    if (a[axis] < least[axis] && b[axis] < least[axis] && c[axis] < least[axis]) return false;
    if (a[axis] > most[axis] && b[axis] > most[axis] && c[axis] > most[axis]) return false;
  }
  return true;
}

// True if a triangle is near a stroke. Pair i is stroke i / triangles with triangle i % triangles.
struct NearStroke {
  StrokeSearch search;
  VOX_HD bool operator()(uint64_t i) const {
    const StrokeRef& stroke = search.strokes.strokes[i / search.triangles];
    const bool in_scene = i % search.triangles < search.of_scene;
    if (in_scene != (stroke.space == StrokeSpace::Scene)) return false;
    const scene::Triangle& triangle = search.mesh.triangles[i % search.triangles];
    if (!can_be_painted(search.mesh, triangle, search.keys.size)) return false;
    return stroke.space == StrokeSpace::Texture ||
           boxes_meet(search.mesh, triangle, stroke.least, stroke.most);
  }
};

// Counts the pieces of a stroke that are near a triangle, and visits each of them with the triangle.
struct NearSegments {
  StrokeSearch search;
  const uint32_t* pairs;  // the pairs for which NearStroke is true

  VOX_HD bool near(const StrokeRef& stroke, uint32_t segment, uint32_t triangle) const {
    if (stroke.space == StrokeSpace::Texture) return true;
    const Segment& piece = search.strokes.segments[segment];
    Vec3d least = {}, most = {};
    for (uint32_t axis = 0; axis < 3; ++axis) {
      const bool forth = piece.from[axis] < piece.to[axis];
      least[axis] = (forth ? piece.from[axis] : piece.to[axis]) - stroke.radius;
      most[axis] = (forth ? piece.to[axis] : piece.from[axis]) + stroke.radius;
    }
    return boxes_meet(search.mesh, search.mesh.triangles[triangle], least, most);
  }
  template <class F>
  VOX_HD void each(uint64_t i, const F& f) const {
    const StrokeRef& stroke = search.strokes.strokes[pairs[i] / search.triangles];
    const auto triangle = static_cast<uint32_t>(pairs[i] % search.triangles);
    for (uint32_t s = stroke.first_segment; s < stroke.first_segment + stroke.segments; ++s)
      if (near(stroke, s, triangle)) f(s, triangle);
  }
  VOX_HD uint32_t operator()(uint64_t i) const {
    uint32_t count = 0;
    each(i, [&count](uint32_t, uint32_t) { ++count; });
    return count;
  }
};

struct EmitNearSegments {
  NearSegments near;
  const uint64_t* first;
  uint32_t* segments;
  uint32_t* triangles;
  VOX_HD void operator()(uint64_t i) const {
    uint64_t to = first[i];
    near.each(i, [&](uint32_t segment, uint32_t triangle) {
      segments[to] = segment;
      triangles[to++] = triangle;
    });
  }
};

// Squares of the same side, each with a piece of a stroke and a triangle.
struct TexelSquares {
  device::Buffer<uint64_t>
      places;  // column and row of the square, in squares of its side: row << 32 | column
  device::Buffer<uint32_t> segments, triangles;
  uint64_t count = 0;
};

struct CoverSquares {
  StrokeSearch search;
  const uint64_t* places;
  const uint32_t* segments;
  const uint32_t* triangles;
  uint32_t side;  // the side of the squares' eighths
  uint64_t* masks;

  VOX_HD void operator()(uint64_t i) const {
    const Touch touch = search.touch(segments[i], triangles[i]);
    const auto x = static_cast<uint32_t>(places[i]) * 8, y = static_cast<uint32_t>(places[i] >> 32) * 8;
    uint64_t mask = 0;
    for (uint32_t part = 0; part < 64; ++part) {
      const TexelSquare square = {(x + part % 8) * side, (y + part / 8) * side, side};
      const bool painted = side == 1 ? touch.share(square.x, square.y) > 0 : touch.may_paint(square);
      mask |= uint64_t{painted ? 1u : 0u} << part;
    }
    masks[i] = mask;
  }
};

// Calls f(to, column, row) for each part of a square that is in its mask.
template <class F>
VOX_HD void each_part(uint64_t mask, uint64_t place, uint64_t to, const F& f) {
  const auto x = static_cast<uint32_t>(place) * 8, y = static_cast<uint32_t>(place >> 32) * 8;
  for (; mask != 0; mask &= mask - 1, ++to) {
    const auto part = static_cast<uint32_t>(lowest_bit(mask));
    f(to, x + part % 8, y + part / 8);
  }
}

// Returns the number of a square's texels if all of them are surely painted, else 0.
struct SurelyPainted {
  StrokeSearch search;
  const uint64_t* places;
  const uint32_t* segments;
  const uint32_t* triangles;
  uint32_t side;

  // Returns at most 2^32, so that the sum over fewer than 2^32 squares fits in 64 bits.
  VOX_HD uint64_t operator()(uint64_t i) const {
    constexpr uint32_t kMostSide = 1 << 16;
    const auto x = static_cast<uint32_t>(places[i]), y = static_cast<uint32_t>(places[i] >> 32);
    if (!search.touch(segments[i], triangles[i]).paints_all({x * side, y * side, side})) return 0;
    const uint64_t counted = side < kMostSide ? side : kMostSide;
    return counted * counted;
  }
};

struct EmitSquares {
  const uint64_t* places;
  const uint32_t* segments;
  const uint32_t* triangles;
  const uint64_t* masks;
  const uint64_t* first;
  uint64_t* to_places;
  uint32_t* to_segments;
  uint32_t* to_triangles;
  VOX_HD void operator()(uint64_t i) const {
    each_part(masks[i], places[i], first[i], [&](uint64_t to, uint32_t x, uint32_t y) {
      to_places[to] = uint64_t{y} << 32 | x;
      to_segments[to] = segments[i];
      to_triangles[to] = triangles[i];
    });
  }
};

struct EmitShares {
  StrokeSearch search;
  const uint64_t* places;
  const uint32_t* segments;
  const uint32_t* triangles;
  const uint64_t* masks;
  const uint64_t* first;
  uint64_t* keys;
  uint32_t* values;
  uint32_t* touched;  // for each stroke: 1 if it has painted something
  VOX_HD void operator()(uint64_t i) const {
    if (masks[i] == 0) return;
    const Touch touch = search.touch(segments[i], triangles[i]);
    const uint32_t layer = search.mesh.triangles[triangles[i]].material;
    each_part(masks[i], places[i], first[i], [&](uint64_t to, uint32_t x, uint32_t y) {
      keys[to] = search.keys.key(layer, touch.wrapped(x, y));
      values[to] = share_value(touch.segment.stroke, touch.share(x, y));
    });
    device::atomic_store_relaxed(touched + touch.segment.stroke, 1u);
  }
};

// Returns all pairs of a piece of a stroke and a triangle near it, as squares around the whole triangle.
template <class Device>
TexelSquares first_squares(Device& device, const StrokeSearch& search, uint64_t strokes, uint64_t most) {
  const NearStroke near = {search};
  const uint64_t all = strokes * search.triangles;
  const uint64_t count = device.sum("count triangles near strokes", all, near);
  if (count > most) throw TooManyShares{count};
  auto pairs = device.template make<uint32_t>(count);
  device.select("triangles near strokes", all, near, pairs.data());
  auto first = device.template make<uint64_t>(count + 1);
  const NearSegments segments = {search, pairs.data()};
  TexelSquares squares;
  squares.count = device.exclusive_scan("count pieces of strokes", count, segments, first.data());
  if (squares.count > most) throw TooManyShares{squares.count};
  squares.segments = device.template make<uint32_t>(squares.count);
  squares.triangles = device.template make<uint32_t>(squares.count);
  squares.places = device.template make<uint64_t>(squares.count);
  device.fill(squares.places.data(), squares.count, uint64_t{0});
  device.for_each(
      "pieces of strokes", count,
      EmitNearSegments{segments, first.data(), squares.segments.data(), squares.triangles.data()});
  return squares;
}

// Finds what these strokes paint. There must be fewer than kMostStrokesAtOnce of them, and fewer than 2^32
// pairs with triangles. 8^levels texels a side must contain every triangle. `touched` has a word for each
// stroke.
template <class Device>
TexelShares find_shares(Device& device, const StrokeSearch& search, uint64_t strokes, uint32_t levels,
                        uint64_t most, uint32_t* touched) {
  TexelSquares squares = first_squares(device, search, strokes, most);
  while (true) {
    throw_if_cancelled();
    // Strokes that paint too much are found on the first levels, where there are still few squares.
    const uint64_t least = device.sum("texels painted for sure", squares.count,
                                      SurelyPainted{search, squares.places.data(), squares.segments.data(),
                                                    squares.triangles.data(), 1u << 3 * levels});
    if (least > most) throw TooManyShares{least};
    --levels;
    const uint32_t side = 1u << 3 * levels;
    auto masks = device.template make<uint64_t>(squares.count);
    auto first = device.template make<uint64_t>(squares.count + 1);
    device.for_each({"cover squares of texels", 24}, squares.count,
                    CoverSquares{search, squares.places.data(), squares.segments.data(),
                                 squares.triangles.data(), side, masks.data()});
    const uint64_t total = device.exclusive_scan({"places of squares", 24}, squares.count,
                                                 device::CountBits{masks.data()}, first.data());
    if (total > most) throw TooManyShares{total};
    if (levels == 0) {
      TexelShares shares = {device.template make<uint64_t>(total), device.template make<uint32_t>(total),
                            total};
      device.for_each(
          {"shares of texels", 32}, squares.count,
          EmitShares{search, squares.places.data(), squares.segments.data(), squares.triangles.data(),
                     masks.data(), first.data(), shares.keys.data(), shares.values.data(), touched});
      return shares;
    }
    TexelSquares parts = {device.template make<uint64_t>(total), device.template make<uint32_t>(total),
                          device.template make<uint32_t>(total), total};
    device.for_each(
        {"squares of texels", 32}, squares.count,
        EmitSquares{squares.places.data(), squares.segments.data(), squares.triangles.data(), masks.data(),
                    first.data(), parts.places.data(), parts.segments.data(), parts.triangles.data()});
    squares = std::move(parts);
  }
}

}  // namespace vox::painting
