// Assembles textured shapes into a scene, and paints their textures. Shapes are given in the coordinates of the current
// placement: x right, y up, z towards the viewer, in meters. Faces turn counter-clockwise seen from outside.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "libvox/base/bits.h"
#include "libvox/base/vec.h"
#include "libvox/scene/scene.h"

namespace vox::scene {

// Random numbers, noise and angles that are the same on every machine: integer mixing and IEEE arithmetic
// without contraction. From the mathematics library they use only floor and sqrt, which are exact.

using Vec2d = Vec2<double>;

// SplitMix with our mixer. Call it only once in a statement, because the order in which arguments are evaluated is not
// defined.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(mix64(seed)) {}

  uint64_t bits() { return mix64(state_ += 0x9e3779b97f4a7c15ull); }
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }  // in [0, 1)
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  uint32_t below(uint32_t n) { return static_cast<uint32_t>((bits() >> 32) * n >> 32); }
  bool chance(double probability) { return uniform() < probability; }

 private:
  uint64_t state_;
};

// Returns (cos, sin) of 2π·turns, by Taylor polynomials (error below 1e-12).
Vec2d unit_circle(double turns);

// Returns smooth noise in [0, 1] with one random value per unit cube.
double value_noise(uint64_t seed, Vec3d p);
// Returns the sum of octaves of value_noise(), each half as large and twice as fine, in [0, 1].
double fractal_noise(uint64_t seed, Vec3d p, int octaves);

// Return the two kinds of noise over (u, v), with period 1 and cells_u x cells_v random values. Both counts
// must be at least 1.
double tile_noise(uint64_t seed, double u, double v, uint32_t cells_u, uint32_t cells_v);
double fractal_tile_noise(uint64_t seed, double u, double v, uint32_t cells_u, uint32_t cells_v, int octaves);

// Returns the random value in [0, 1) that belongs to a cell.
double cell_value(uint64_t seed, int64_t x, int64_t y, int64_t z = 0);

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
struct ShapeSurface {
  uint32_t material;
  double meters = 1;
};

class SceneBuilder {
 public:
  // `wrap` is Clamp for pictures. `alpha_cutoff` is the one of Material.
  ShapeSurface add_surface(Image image, double meters, Wrap wrap = Wrap::Repeat, float alpha_cutoff = 0);
  void reserve(uint64_t triangles);
  void place(const Placement& placement) { placement_ = placement; }

  // The low-level calls round positions to 1/1024 m and texture coordinates to 1/4096, so that files hold
  // them exactly, as text and as 32-bit floats.
  uint32_t add_position(Vec3d local);
  uint32_t add_texcoord(double u, double v);
  void add_triangle(ShapeSurface surface, std::array<uint32_t, 3> position, std::array<uint32_t, 3> texcoord);

  // Adds a flat convex polygon. The texture's u runs along the polygon's first edge, which is the bottom.
  void polygon(ShapeSurface surface, std::span<const Vec3d> corners);
  void quad(ShapeSurface surface, Vec3d a, Vec3d b, Vec3d c, Vec3d d);
  // Adds a quad that shows the whole image: a is its bottom left corner, b its bottom right corner.
  void picture(ShapeSurface surface, Vec3d a, Vec3d b, Vec3d c, Vec3d d);
  // Adds ground: columns x rows squares between the points point(i, j). The texture lies on it as seen from
  // above. j must run towards +z if i runs towards +x.
  void sheet(ShapeSurface surface, uint32_t columns, uint32_t rows,
             const std::function<Vec3d(uint32_t i, uint32_t j)>& point);
  void walls(ShapeSurface surface, Vec3d lo, Vec3d hi);  // the four upright sides of a box
  void box(ShapeSurface surface, Vec3d lo, Vec3d hi);    // the sides and the top
  void block(ShapeSurface surface, Vec3d lo, Vec3d hi);  // the sides, the top and the underside
  // Adds a truncated cone around the local y axis, without caps. With radius_top 0 it is a whole cone.
  void cone(ShapeSurface surface, double radius_bottom, double radius_top, double y_bottom, double y_top,
            int sides);
  void disc(ShapeSurface surface, double radius, double y, int sides);  // faces up

  Scene take();  // sorts triangles by material, as files hold them

 private:
  void face(ShapeSurface surface, std::array<uint32_t, 4> position, double width, double height);
  Placement placement_;
  Scene scene_;
};

// Parts of buildings that the village and the city share.

// A gabled roof on the box from `lo` to `hi`. The ridge runs along x, `rise` above hi.y. The two sides of the
// roof are `thickness` thick and overhang the walls; the gables take the wall's surface.
struct Roof {
  double rise, overhang, thickness;
};
void add_gable_roof(SceneBuilder& builder, const Placement& at, Vec3d lo, Vec3d hi, Roof roof,
                    ShapeSurface tiles, ShapeSurface wall);

// A window on the wall z = 0 of `at`, with its sill at the origin: a picture in a frame that stands out, with
// a sill.
struct Window {
  double width, height;
  bool shutters;
};
void add_window(SceneBuilder& builder, const Placement& at, Window window, ShapeSurface glass,
                ShapeSurface frame);

// Adds a row of merlons on the top edge of a wall that runs along local x from 0 to `length`.
void add_battlement(SceneBuilder& builder, const Placement& at, double length, ShapeSurface stone);

// Adds a trunk and a crown of alpha-cut cards.
void add_tree(SceneBuilder& builder, const Placement& at, double height, Random& random, ShapeSurface bark,
              ShapeSurface leaves);

// Adds steps that rise along -z from the origin; `count` steps reach the height `rise`.
void add_stairs(SceneBuilder& builder, const Placement& at, double width, double rise, double run, int count,
                ShapeSurface stone);

// Painted square textures that repeat without a seam (except pictures). Their colors are blends of 16
// swatches, so that a palette of 16 fits them well.

namespace swatch {
inline constexpr Rgba8 kMoss = {58, 82, 38, 255}, kGrass = {84, 114, 50, 255}, kMeadow = {120, 144, 68, 255},
                       kEarth = {116, 90, 64, 255}, kSand = {166, 140, 100, 255}, kSlate = {74, 74, 80, 255},
                       kStone = {120, 117, 112, 255}, kChalk = {166, 161, 150, 255}, kOak = {62, 42, 28, 255},
                       kPine = {112, 78, 48, 255}, kRust = {104, 46, 34, 255},
                       kTerracotta = {158, 76, 52, 255}, kPlaster = {212, 196, 162, 255},
                       kOchre = {190, 150, 84, 255}, kWhite = {234, 230, 220, 255},
                       kGlass = {42, 56, 74, 255};
}  // namespace swatch

using Ramp = std::span<const Rgba8>;

// Returns the color at t (clamped to [0, 1]) of a ramp, in 4 steps from one swatch to the next.
Rgba8 blend(Ramp ramp, double t);

// Calls shade(u, v) at the center of every texel, in parallel.
Image paint(std::string name, uint32_t size, const std::function<Rgba8(double u, double v)>& shade);

Image grass_texture(uint32_t size, uint64_t seed);
Image dirt_texture(uint32_t size, uint64_t seed);
Image plaster_texture(uint32_t size, uint64_t seed);
Image plank_texture(uint32_t size, uint64_t seed);
Image bark_texture(uint32_t size, uint64_t seed);
Image brick_texture(uint32_t size, uint64_t seed);
Image stone_wall_texture(uint32_t size, uint64_t seed);  // ashlar
Image cobble_texture(uint32_t size, uint64_t seed);
Image roof_tile_texture(uint32_t size, uint64_t seed);
Image slate_texture(uint32_t size, uint64_t seed);
Image facade_texture(uint32_t size, uint64_t seed);  // one bay of a half-timbered wall
Image marble_texture(uint32_t size, uint64_t seed);

// The following textures are pictures, which are shown whole.
Image window_texture(uint32_t size, uint64_t seed);
Image door_texture(uint32_t size, uint64_t seed);
Image leaf_texture(uint32_t size, uint64_t seed);  // alpha is 0 between the leaves

}  // namespace vox::scene
