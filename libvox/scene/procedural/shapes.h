// Assembles textured shapes into a scene. Every shape is given in the coordinates of the current placement: x
// right, y up, z towards the viewer, in metres. Faces turn counter-clockwise seen from outside.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>

#include "libvox/scene/procedural/noise.h"
#include "libvox/scene/scene.h"

namespace vox::scene {

// The place of a thing, and the direction of its local x axis.
struct Placement {
  Vec3d origin = {0, 0, 0};
  Vec2d heading = {1, 0};  // unit vector: the local x axis on the ground, as (x, z)

  Vec3d operator()(Vec3d p) const {
    return origin + Vec3d{heading.x * p.x - heading.y * p.z, p.y, heading.y * p.x + heading.x * p.z};
  }
  Placement moved(Vec3d by) const { return {(*this)(by), heading}; }
  Placement turned(Vec2d by) const {
    return {origin, {heading.x * by.x - heading.y * by.y, heading.y * by.x + heading.x * by.y}};
  }
};

// Returns the wall of a box from `lo` to `hi` that faces +z (0), +x (1), -z (2) or -x (3). Its origin is the
// middle of its foot, and its outside is at local z > 0.
Placement wall_of(const Placement& box, Vec3d lo, Vec3d hi, int side);

// A material, and how much of the world one repeat of its texture covers.
struct Surface {
  uint32_t material;
  double metres = 1;
};

class SceneBuilder {
 public:
  // `wrap` is Clamp for pictures. `alpha_cutoff` is the one of Material.
  Surface add_surface(Image image, double metres, Wrap wrap = Wrap::Repeat, float alpha_cutoff = 0);
  void reserve(uint64_t triangles);
  void place(const Placement& placement) { placement_ = placement; }

  // The low-level calls round positions to 1/1024 m and texture coordinates to 1/4096, so that files hold
  // them exactly, as text and as 32-bit floats.
  uint32_t add_position(Vec3d local);
  uint32_t add_texcoord(double u, double v);
  void add_triangle(Surface surface, std::array<uint32_t, 3> position, std::array<uint32_t, 3> texcoord);

  // Adds a flat convex polygon. The texture's u runs along the polygon's first edge, which is the bottom.
  void polygon(Surface surface, std::span<const Vec3d> corners);
  void quad(Surface surface, Vec3d a, Vec3d b, Vec3d c, Vec3d d);
  // Adds a quad that shows the whole image: a is its bottom left corner, b its bottom right corner.
  void picture(Surface surface, Vec3d a, Vec3d b, Vec3d c, Vec3d d);
  // Adds ground: columns x rows squares between the points point(i, j). The texture lies on it as seen from
  // above. j must run towards +z if i runs towards +x.
  void sheet(Surface surface, uint32_t columns, uint32_t rows,
             const std::function<Vec3d(uint32_t i, uint32_t j)>& point);
  void walls(Surface surface, Vec3d lo, Vec3d hi);  // the four upright sides of a box
  void box(Surface surface, Vec3d lo, Vec3d hi);    // the sides and the top
  void block(Surface surface, Vec3d lo, Vec3d hi);  // the sides, the top and the underside
  // Adds a truncated cone around the local y axis, without caps. With radius_top 0 it is a whole cone.
  void cone(Surface surface, double radius_bottom, double radius_top, double y_bottom, double y_top,
            int sides);
  void disc(Surface surface, double radius, double y, int sides);  // faces up

  Scene take();  // sorts triangles by material, as files hold them

 private:
  void face(Surface surface, std::array<uint32_t, 4> position, double width, double height);
  Placement placement_;
  Scene scene_;
};

}  // namespace vox::scene
