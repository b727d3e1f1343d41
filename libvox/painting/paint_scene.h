// Paints strokes on the surface of a scene.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "libvox/base/bits.h"
#include "libvox/base/error.h"
#include "libvox/base/geometry.h"
#include "libvox/base/vec.h"
#include "libvox/device/handle.h"
#include "libvox/painting/frozen_atlas.h"
#include "libvox/scene/palette.h"

namespace vox::painting {

// Strokes: the paint on a surface, one stroke over the other in the order of their script.

// The units of a stroke's points and radius: those of the scene, or those of texture coordinates.
enum class StrokeSpace : uint8_t { Scene, Texture };

inline constexpr double kUsualEdge = 0.5;

struct Stroke {
  scene::Rgb8 color = {};
  StrokeSpace space = StrokeSpace::Scene;
  double radius = 0;         // finite and above 0
  double edge = kUsualEdge;  // from 0 to 1: the outer part of the radius in which the paint thins out to
                             // nothing
  std::vector<Vec3d>
      points;         // finite, at least one: a line from point to point; in a texture (u, v, 0), v down
  uint32_t line = 0;  // the line of the script
};

using Strokes = std::vector<Stroke>;

// The error of one stroke.
class StrokeError : public Error {
 public:
  StrokeError(std::string problem, uint32_t line) : Error(std::move(problem)), line_(line) {}
  uint32_t line() const { return line_; }  // the stroke's line in the script

 private:
  uint32_t line_;
};

struct PaintOptions {
  uint32_t size = 4096;  // texels along each side of the atlas, 1 to kMostSize
  // The number of strokes that are applied together; 0: as many as memory has room for. It does not change the
  // result.
  uint32_t batch = 0;
};

struct Painting {
  FrozenAtlas atlas;
  std::vector<uint32_t> missed;  // the script lines of strokes that touch no texel
  uint64_t far_triangles = 0;    // triangles whose texture coordinates are too large to be painted
  uint64_t rebuilds = 0;         // how often the table was rebuilt
  uint64_t updates = 0;          // how often the texels of a batch were all in the table
  double seconds = 0;
  double table_seconds = 0;  // the part of `seconds` for the table, without the search for texels
};

// Paints strokes on the surface. Afterwards index_atlas() gives the painted texels their palette entries. Throws a
// UsageError if the options make no sense, and an Error if nothing of the scene can be painted, or if the device has
// too little memory.
template <class Device>
Painting paint_scene(Device& device, const scene::Scene& scene, const Strokes& strokes,
                     const PaintOptions& options);
Painting paint_scene(device::DeviceHandle device, const scene::Scene& scene, const Strokes& strokes,
                     const PaintOptions& options);

// Strokes as bodies see them: their place, and the share of a texel that they cover; and the parts of a scene that can
// be painted, on the host.

// The triangles of a mesh lie in the plane of the atlas, whose unit is a texel. The plane goes on beyond the atlas,
// which is repeated there, mirrored, or continued by its border.

// A view of the mesh, for kernel bodies.
struct PaintedMeshRef {
  const scene::Triangle* triangles;
  const Vec3d* positions;
  const Vec2f* texcoords;
  const Layer* layers;  // one for each material
};

// Triangles that reach further from the origin of the plane are not painted. The squares around them would
// have sides of more than 32 bits, and texture coordinates, which are floats, no longer distinguish texels
// there.
inline constexpr double kFarthestTexel = 1 << 29;

VOX_HD inline bool can_be_painted(const PaintedMeshRef& mesh, const scene::Triangle& triangle,
                                  uint32_t size) {
  if (triangle.texcoord[0] == scene::kNone || mesh.layers[triangle.material].paintable == 0) return false;
  for (uint32_t i = 0; i < 3; ++i) {
    const Vec2f uv = mesh.texcoords[triangle.texcoord[i]];
    const double u = static_cast<double>(uv.x) * size, v = static_cast<double>(uv.y) * size;
    const bool near = u > -kFarthestTexel && u < kFarthestTexel && v > -kFarthestTexel && v < kFarthestTexel;
    if (!near) return false;
  }
  return true;
}

// A square of the plane, relative to the triangle's base.
struct TexelSquare {
  uint32_t x, y;  // the place of its lowest texel
  uint32_t side;
};

struct AtlasTriangle {
  Vec3d corner[3];  // in the scene
  Vec3d texel[3];   // in the plane, relative to the base; z is 0
  Vec2<int64_t> base;
  Vec2<double> least, most;  // the bounds of `texel`
  // A triangle that lies only in a texel's outermost 128th does not touch the texel: otherwise, rounded
  // coordinates at a border of the atlas would paint the opposite border. If a triangle is narrower than four
  // such rims, there is no rim.
  Vec2<double> rim;
  double turn;     // 1 or -1: the side of its edges on which it lies
  double stretch;  // points that are 1 apart in the plane are at most this far apart in the scene

  VOX_HD AtlasTriangle(const PaintedMeshRef& mesh, const scene::Triangle& triangle, uint32_t size) {
    constexpr double kRim = 1.0 / 128;
    for (uint32_t i = 0; i < 3; ++i) {
      corner[i] = mesh.positions[triangle.position[i]];
      const Vec2f uv = mesh.texcoords[triangle.texcoord[i]];
      texel[i] = {static_cast<double>(uv.x) * size, static_cast<double>(uv.y) * size, 0};
    }
    least = {least_of(texel[0].x, texel[1].x, texel[2].x), least_of(texel[0].y, texel[1].y, texel[2].y)};
    most = {-least_of(-texel[0].x, -texel[1].x, -texel[2].x),
            -least_of(-texel[0].y, -texel[1].y, -texel[2].y)};
    const Vec2<double> from = {floor(least.x), floor(least.y)};
    base = {static_cast<int64_t>(from.x), static_cast<int64_t>(from.y)};
    for (Vec3d& t : texel) t = {t.x - from.x, t.y - from.y, 0};
    least = {least.x - from.x, least.y - from.y};
    most = {most.x - from.x, most.y - from.y};
    rim = {most.x - least.x < 4 * kRim ? 0 : kRim, most.y - least.y < 4 * kRim ? 0 : kRim};
    const Vec3d a = texel[1] - texel[0], b = texel[2] - texel[0];
    const double area = a.x * b.y - b.x * a.y;
    turn = area < 0 ? -1 : 1;
    stretch = area == 0 ? 1e300 : stretch_of(a, b, area);
  }

  // True if the triangle touches a square. It does not if it lies beyond a side of the square, or if the
  // square lies beyond one of its edges.
  VOX_HD bool touches(const TexelSquare& square) const {
    const Vec2<double> low = {square.x + rim.x, square.y + rim.y};
    const Vec2<double> high = {square.x + (square.side - rim.x), square.y + (square.side - rim.y)};
    if (!(most.x >= low.x && least.x < high.x && most.y >= low.y && least.y < high.y)) return false;
    for (uint32_t i = 0; i < 3; ++i) {
      const Vec3d from = texel[i], edge = texel[i == 2 ? 0 : i + 1] - from;
      const double across_x = -edge.y * turn, across_y = edge.x * turn;
      const double x = across_x > 0 ? high.x : low.x, y = across_y > 0 ? high.y : low.y;
      if (across_x * (x - from.x) + across_y * (y - from.y) < 0) return false;
    }
    return true;
  }

  // True only if the whole square lies inside of the triangle.
  VOX_HD bool contains(const TexelSquare& square) const {
    const Vec2<double> low = {static_cast<double>(square.x), static_cast<double>(square.y)};
    const Vec2<double> high = {low.x + square.side, low.y + square.side};
    if (!(least.x <= low.x && least.y <= low.y && most.x >= high.x && most.y >= high.y)) return false;
    for (uint32_t i = 0; i < 3; ++i) {
      const Vec3d from = texel[i], edge = texel[i == 2 ? 0 : i + 1] - from;
      const double across_x = -edge.y * turn, across_y = edge.x * turn;
      const double x = across_x > 0 ? low.x : high.x, y = across_y > 0 ? low.y : high.y;
      if (across_x * (x - from.x) + across_y * (y - from.y) < 0) return false;
    }
    return true;
  }

  // Returns the place in the scene of the triangle's point that is closest, in the plane, to the square's middle.
  VOX_HD Vec3d place(const TexelSquare& square) const {
    const Vec3d middle = {square.x + 0.5 * square.side, square.y + 0.5 * square.side, 0};
    const Vec2<double> weights = closest_weights(texel[0], texel[1], texel[2], middle);
    return corner[0] + (corner[1] - corner[0]) * weights.x + (corner[2] - corner[0]) * weights.y;
  }

 private:
  VOX_HD static double least_of(double a, double b, double c) {
    const double least = a < b ? a : b;
    return least < c ? least : c;
  }

  // Computes the stretch from the derivatives of the place in the scene by both coordinates of the plane.
  VOX_HD double stretch_of(const Vec3d& a, const Vec3d& b, double area) const {
    const Vec3d ab = corner[1] - corner[0], ac = corner[2] - corner[0];
    const Vec3d by_x = ab * (b.y / area) - ac * (a.y / area), by_y = ac * (a.x / area) - ab * (b.x / area);
    return square_root(dot(by_x, by_x) + dot(by_y, by_y));
  }
};

// The rounding error of a distance to a stroke, as a share of the largest of the coordinates and the radius.
inline constexpr double kStrokeRounding = 1e-13;

// A piece of a stroke's line. If the stroke is a point, both ends are the same.
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

// The parts of a scene that can be painted, on the host.
struct Canvas {
  std::vector<Layer> layers;  // one for each material
  // For each layer that has triangles, the square from (0, 0) to (1, 1) as two triangles, which strokes in the texture
  // paint. On the triangles of the mesh, a texel would occur as often as the texture is repeated.
  std::vector<scene::Triangle> squares;
  std::vector<Vec2f> texcoords;  // those of the scene, then the corners of the square
  uint32_t levels = 1;           // 8^levels texels a side contain every triangle in the plane of the atlas
  uint64_t far_triangles = 0;
};

// Returns the error for a stroke that alone paints at least this many texels, more than memory has room for.
StrokeError stroke_too_large(uint64_t texels, uint32_t line);

// Throws a StrokeError if a stroke is so large or so far away, compared with a scene that it may paint, that distances
// are rounded by more than a texel. Every texel would have to be looked at, and the stroke's edge would be arbitrary.
void check_strokes(const scene::Scene& scene, const Strokes& strokes, uint32_t size);

// Throws as paint_scene() does.
Canvas prepare_canvas(const scene::Scene& scene, const PaintOptions& options);

// Strokes that are applied together, as arrays for a device.
struct StrokeArrays {
  std::vector<StrokeRef> strokes;
  std::vector<Segment> segments;
  std::vector<Paint> colors;  // one for each stroke
};

// Returns the arrays of the strokes [begin, end).
StrokeArrays stroke_arrays(const Strokes& strokes, size_t begin, size_t end);

}  // namespace vox::painting
