// Puts textured shapes together into a scene. Every shape is given in the coordinates of the current
// placement: x right, y up, z towards the viewer, in metres; faces turn counter-clockwise seen from outside.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>

#include "libvox/scene/procedural/noise.h"
#include "libvox/scene/scene.h"

namespace vox::scene {

// Where something stands and which way its local x axis points.
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

// The wall of a box lo…hi that faces +z (0), +x (1), -z (2) or -x (3): origin at its foot's middle, its
// outside at local z > 0.
Placement wall_of(const Placement& box, Vec3d lo, Vec3d hi, int side);

// A material and how much of the world one repeat of its texture covers.
struct Surface {
  uint32_t material;
  double metres = 1;
};

class SceneBuilder {
 public:
  // `wrap` is Clamp for pictures. `alpha_cutoff` is that of Material.
  Surface add_surface(Image image, double metres, Wrap wrap = Wrap::Repeat, float alpha_cutoff = 0);
  void reserve(uint64_t triangles);
  void place(const Placement& placement) { placement_ = placement; }

  // Low-level: positions are rounded to 1/1024 m and texture coordinates to 1/4096, so that files hold them
  // exactly, as text and as 32-bit floats.
  uint32_t add_position(Vec3d local);
  uint32_t add_texcoord(double u, double v);
  void add_triangle(Surface surface, std::array<uint32_t, 3> position, std::array<uint32_t, 3> texcoord);

  // A flat convex polygon; the texture's u runs along its first edge, which is the bottom.
  void polygon(Surface surface, std::span<const Vec3d> corners);
  void quad(Surface surface, Vec3d a, Vec3d b, Vec3d c, Vec3d d);
  // A quad that shows the whole image: a is its bottom left corner, b its bottom right.
  void picture(Surface surface, Vec3d a, Vec3d b, Vec3d c, Vec3d d);
  // Ground: columns x rows squares that hang between point(i, j); the texture lies on it as seen from above.
  // j runs towards +z where i runs towards +x.
  void sheet(Surface surface, uint32_t columns, uint32_t rows,
             const std::function<Vec3d(uint32_t i, uint32_t j)>& point);
  void walls(Surface surface, Vec3d lo, Vec3d hi);  // the four upright sides of a box
  void box(Surface surface, Vec3d lo, Vec3d hi);    // with its top
  void block(Surface surface, Vec3d lo, Vec3d hi);  // with its underside too
  // A cut cone around the local y axis, without caps; radius_top 0 makes a whole cone.
  void cone(Surface surface, double radius_bottom, double radius_top, double y_bottom, double y_top,
            int sides);
  void disc(Surface surface, double radius, double y, int sides);  // faces up

  Scene take();  // triangles sorted by material, as files hold them

 private:
  void face(Surface surface, std::array<uint32_t, 4> position, double width, double height);
  Placement placement_;
  Scene scene_;
};

}  // namespace vox::scene
