// Shading: the colour that a ray comes back with, in single floats that round alike everywhere.
#pragma once

#include "libvox/base/mix.h"
#include "libvox/render/beam.h"
#include "libvox/render/ground.h"
#include "libvox/render/node_colors.h"
#include "libvox/render/point.h"
#include "libvox/render/smooth_normal.h"

namespace vox::render {

enum class Shade {
  Material,
  Normal,
  // As colours of the ramp, from low to high:
  Depth,    // distance from the eye in voxels
  Level,    // log2 of the side of the cell that the ray stopped at
  Sharing,  // how many leaves of the octree the leaf stands for, by its log2
};

// Which normals surfaces are shaded by.
enum class Normals {
  Faces,   // those of the voxels' faces
  Smooth,  // estimated from what is around, see smooth_normal.h
  Auto,    // faces where a voxel is as wide as a pixel, smooth ones where it is half as wide or narrower
};

inline constexpr uint32_t kRampColors = 64;
inline constexpr uint32_t kHemisphere = 1024;

// What shading depends on, as plain numbers for the device; make_shading() fills them in.
struct Shading {
  Shade mode;
  Light colors[16];         // of materials
  Light ramp[kRampColors];  // of measured values, from low to high
  Light sky;                // at the horizon
  Light zenith, nadir;      // straight up and straight down
  uint32_t plain_sky;       // 1: it is the same everywhere
  float exposure;           // what light is multiplied by
  uint32_t cut_axis;        // of the plane of a cutaway; kNoAxis: there is none
  int32_t cut_plane;        // where it is, voxels
  uint32_t hatch;           // pixels from stripe to stripe of the cut
  float sun, ambient;       // strengths
  Vec3<float> to_sun;       // a unit vector
  GroundPlane ground;       // below the scene
  Course sun_course;        // of rays to the sun
  uint32_t shadows;         // 1: the sun casts them
  float smooth,
      smoother;      // how much smooth normals count: at the eye, and how much more in each voxel from it
  uint32_t ao_rays;  // a sample; 0: no ambient occlusion
  float ao_reach;    // voxels
  const Course*
      open_courses;  // [6 · kHemisphere], of rays to the sky: those of a face from open_courses_of() on
  float low, high;   // the values at the ends of the ramp
  // The colours of nodes by RayDagRef::box_index(), and the light of their codes; nullptr: each has that of a voxel.
  const PackedColor* node_colors;
  const float* light_of_code;
  const uint8_t* use_codes;  // for Shade::Sharing: of the leaf that begins at each word of leaves
};

// The colour of a normal in Shade::Normal.
VOX_HD inline Light normal_color(Vec3<float> normal) {
  const auto part = [](float n) { return (n + 1) * 0.5f; };
  return {part(normal.x), part(normal.y), part(normal.z)};
}

VOX_HD inline Light normal_color(Int3 normal) {
  return normal_color(
      Vec3<float>{static_cast<float>(normal.x), static_cast<float>(normal.y), static_cast<float>(normal.z)});
}

// The place among Shading::open_courses of those that leave a face with this normal.
VOX_HD inline uint32_t open_courses_of(Int3 normal) {
  const uint32_t axis = normal.x != 0 ? 0 : normal.y != 0 ? 1 : 2;
  return (2 * axis + (normal.x + normal.y + normal.z > 0 ? 1 : 0)) * kHemisphere;
}

class Shader {
 public:
  VOX_HD Shader(const RayDagRef& dag, const PixelRays& rays, const Shading& shading)
      : dag_(dag), rays_(rays), shading_(shading) {}

  // The light that comes back through a point of the image, in subpixels, whose beam starts at `depth`, or meets nothing.
  // `seed` differs from sample to sample.
  VOX_HD Light operator()(uint32_t x, uint32_t y, float depth, uint64_t seed) const {
    const Course course = make_course(rays_.log2_side, rays_.direction(x, y));
    const Ray ray = begun_in_beam(make_ray(course, rays_.eye, rays_.spread), course, rays_, depth);
    PassedNodes passed;
    const Hit hit = depth < kHitsNothing ? trace(dag_, ray, {}, passed) : Hit{};
    if (!hit.found()) return sky(x, y) * light_on_ground(course, seed);
    switch (shading_.mode) {
      case Shade::Depth:
        return measured(distance_to(ray, hit.at));
      case Shade::Level:
        return measured(static_cast<float>(hit.log2));
      case Shade::Sharing:
        return measured(
            shading_.use_codes[dag_.node_at(hit.low, dag::kLeafLog2) - dag_.nodes[dag::kLeafLog2]]);
      case Shade::Normal:
        return normal_color(surface_at(course, ray, hit).normal);
      case Shade::Material:
        break;
    }
    if (is_cut(ray, hit)) return color_at(ray, hit) * (is_striped(x, y) ? kStripe : kBetweenStripes);
    return color_at(ray, hit) * light_at(course, ray, passed, hit, seed);
  }

  // The light of the sky behind a point of the image.
  VOX_HD Light sky(uint32_t x, uint32_t y) const {
    if (shading_.plain_sky) return shading_.sky;
    const FineDirection to = rays_.direction(x, y);
    const Vec3<float> d = {static_cast<float>(to.x), static_cast<float>(to.y), static_cast<float>(to.z)};
    const float up = d.y / square_root(dot(d, d)), share = up < 0 ? -up : up;
    return shading_.sky * (1 - share) + (up < 0 ? shading_.nadir : shading_.zenith) * share;
  }

 private:
  // Where a ray hit, and where rays go on from.
  struct Surface {
    FinePoint point;
    Vec3<float> normal;
    Int3 side;       // the axis that the normal is nearest to, up or down; 0: the eye is in matter
    float distance;  // from the eye, voxels
    bool smooth;     // the normal is no face's
    StartNode start;
  };

  VOX_HD static Vec3<float> in_floats(Int3 v) {
    return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
  }

  VOX_HD Surface surface_at(const Course& course, const Ray& ray, const Hit& hit) const {
    const Int3 face = face_normal(ray, hit);
    Surface at = {{0, 0, 0}, in_floats(face), face, distance_to(ray, hit.at), false, {}};
    if (axis_of(hit.at) == kNoAxis) return at;
    at.point = hit_point(rays_.eye, course, ray, hit);
    const float share = shading_.smooth + shading_.smoother * at.distance;
    return share > 0 ? smoothed(at, course, hit, share < 1 ? share : 1) : at;
  }

  // The surface with a smooth normal, which counts this much against that of the face. Rays go on from above the
  // steps between faces, which would hold them back.
  VOX_HD Surface smoothed(Surface at, const Course& course, const Hit& hit, float share) const {
    constexpr float kCellsAbove = 1.5f, kFromBehind = 0.3f;
    const Int3 estimate = smooth_normal(dag_, hit, at.side, course, at.point);
    if (estimate == Int3{0, 0, 0}) return at;
    Vec3<float> smooth = unit(in_floats(estimate));
    // At the edge of something thin the cells behind it are reached too, and may be more than those before it: they
    // have the normal of its back, and what is seen is its front.
    if (along(course, smooth) > kFromBehind) smooth = smooth * -1;
    at.normal = unit(at.normal * (1 - share) + smooth * share);
    const float up = share * kCellsAbove * static_cast<float>(1u << log2_normal_cell(hit)) * 0x1p32f;
    const auto moved = [up](int64_t from, float along) { return from + static_cast<int64_t>(up * along); };
    at.point = {moved(at.point.x, at.normal.x), moved(at.point.y, at.normal.y),
                moved(at.point.z, at.normal.z)};
    at.side = side_of(at.normal);
    at.smooth = true;
    return at;
  }

  // The vector, which is not 0, with a length of 1; 0 stays 0.
  VOX_HD static Vec3<float> unit(Vec3<float> v) {
    const float squared = dot(v, v);
    return squared > 0 ? v * (1 / square_root(squared)) : v;
  }

  VOX_HD static Int3 side_of(Vec3<float> normal) {
    const auto size = [](float part) { return part < 0 ? -part : part; };
    const auto sign = [](float part) { return part < 0 ? -1 : 1; };
    const float x = size(normal.x), y = size(normal.y), z = size(normal.z);
    if (x >= y && x >= z) return {sign(normal.x), 0, 0};
    if (y >= z) return {0, sign(normal.y), 0};
    return {0, 0, sign(normal.z)};
  }

  static constexpr float kStripe = 0.55f, kBetweenStripes = 1;  // of a material's colour, where it is cut

  // Whether the ray hit the face where a cutaway was cut.
  VOX_HD bool is_cut(const Ray& ray, const Hit& hit) const {
    if (axis_of(hit.at) != shading_.cut_axis || shading_.cut_axis == kNoAxis) return false;
    const bool down = (ray.mirrored >> shading_.cut_axis & 1) != 0;
    return (down ? hit.high : hit.low)[shading_.cut_axis] == shading_.cut_plane;
  }
  VOX_HD bool is_striped(uint32_t x, uint32_t y) const {
    return ((x + y) >> kSubpixelBits) % shading_.hatch < (shading_.hatch + 2) / 3;
  }

  // The colour of what a ray hit, without light: that of a voxel, or, where a pixel shows several, their mean.
  VOX_HD Light color_at(const Ray& ray, const Hit& hit) const {
    const bool mixed = shading_.node_colors != nullptr && hit.node_log2 <= (hit.log2 > 2 ? hit.log2 : 2) &&
                       (hit.log2 > 0 || distance_to(ray, hit.at) * rays_.spread >= kBlockWide);
    if (!mixed) return shading_.colors[hit_material(dag_, ray, hit)];
    if (hit.log2 == 0)
      return leaf_mean(dag_, hit.node, uint64_t{0xff} << 8 * octant_at(hit.low, 1), shading_.colors).light;
    if (hit.log2 == dag::kLeafLog2) return leaf_mean(dag_, hit.node, ~uint64_t{0}, shading_.colors).light;
    const PackedColor color = shading_.node_colors[dag_.box_index(hit.node)];
    const float* const light = shading_.light_of_code;
    return {light[color & 0xff], light[color >> 8 & 0xff], light[color >> 16]};
  }
  static constexpr float kBlockWide = 2;  // voxels of a pixel's width from which on it shows a block of 2³

  // The colour of a measured value; values beyond an end of the ramp have the colour of that end.
  VOX_HD Light measured(float value) const {
    const float share = (value - shading_.low) / (shading_.high - shading_.low);
    const float at = share * (kRampColors - 1) + 0.5f;
    return shading_.ramp[at < 0 ? 0 : at >= kRampColors ? kRampColors - 1 : static_cast<uint32_t>(at)];
  }

  VOX_HD float light_at(const Course& course, const Ray& ray, const PassedNodes& passed, const Hit& hit,
                        uint64_t seed) const {
    Surface at = surface_at(course, ray, hit);
    if (at.side == Int3{0, 0, 0}) return shading_.ambient;
    at.start =
        start_near(dag_, passed, hit, at.smooth ? voxel_at(at.point) : voxel_before(hit, at.side, at.point));
    return light_on(at, seed);
  }

  // What is left of the sky's light where it is seen behind the ground, which the scene casts its shadow on.
  VOX_HD float light_on_ground(const Course& course, uint64_t seed) const {
    if (shading_.ground.shown == 0) return 1;
    const GroundPoint point = ground_point(shading_.ground, rays_.eye, course);
    if (point.share == 0) return 1;
    const Surface ground = {point.at, {0, 1, 0}, {0, 1, 0}, point.distance, false, {}};
    const float facing = shading_.to_sun.y > 0 ? shading_.to_sun.y : 0;
    const float in_the_open = shading_.ambient + shading_.sun * facing;
    return 1 - point.share * (1 - light_on(ground, seed) / in_the_open);
  }

  VOX_HD float light_on(const Surface& at, uint64_t seed) const {
    float light = shading_.ambient * open_sky(at, seed);
    const float facing = dot(at.normal, shading_.to_sun);
    if (facing > 0 && sees_sun(at)) light += shading_.sun * facing;
    return light;
  }

  // A ray that goes on from a surface. It is nowhere wider than the pixel is at the surface, so that a
  // shadow's edge is as sharp as the surface that it falls on.
  VOX_HD Ray further_ray(const Surface& from, const Course& course) const {
    return no_wider(make_ray(course, from.point, rays_.spread), from.distance);
  }

  VOX_HD bool sees_sun(const Surface& from) const {
    if (!shading_.shadows) return true;
    return !trace(dag_, further_ray(from, shading_.sun_course), from.start).found();
  }

  // The share of the sky that is seen from a surface, from 0 to 1. Directions are those around an axis; where the
  // surface is inclined to it, those that go into the surface do not count.
  VOX_HD float open_sky(const Surface& from, uint64_t seed) const {
    if (shading_.ao_rays == 0) return 1;
    const uint64_t first = mix64(seed);
    const Course* const courses = shading_.open_courses + open_courses_of(from.side);
    uint32_t open = 0, counted = 0;
    for (uint32_t i = 0; i < shading_.ao_rays; ++i) {
      const Course& course = courses[(first + uint64_t{i} * kHemisphere / shading_.ao_rays) % kHemisphere];
      if (from.smooth && goes_into(course, from.normal)) continue;
      ++counted;
      const Ray ray = limited(further_ray(from, course), shading_.ao_reach);
      if (!trace(dag_, ray, from.start).found()) ++open;
    }
    return counted > 0 ? static_cast<float>(open) / static_cast<float>(counted) : 1;
  }

  VOX_HD static bool goes_into(const Course& course, Vec3<float> normal) {
    return along(course, normal) <= 0;
  }

  // The product of a course's direction, in slopes, and a vector.
  VOX_HD static float along(const Course& course, Vec3<float> v) {
    const auto part = [&](uint32_t axis) {
      const float product = course.slope[axis] * v[axis];
      return (course.mirrored >> axis & 1) != 0 ? -product : product;
    };
    return part(0) + part(1) + part(2);
  }

  const RayDagRef& dag_;
  const PixelRays& rays_;
  const Shading& shading_;
};

}  // namespace vox::render
