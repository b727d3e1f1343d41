// Shading: the colour that a ray comes back with, in single floats that round alike everywhere.
#pragma once

#include "libvox/base/mix.h"
#include "libvox/render/beam.h"
#include "libvox/render/point.h"

namespace vox::render {

enum class Shade {
  Material,
  Normal,
  // As colours of the ramp, from low to high:
  Depth,    // distance from the eye in voxels
  Level,    // log2 of the side of the cell that the ray stopped at
  Sharing,  // how many leaves of the octree the leaf stands for, by its log2
};

inline constexpr uint32_t kRampColors = 64;
inline constexpr uint32_t kHemisphere = 1024;

using Light = Vec3<float>;  // linear; 1: white

// What shading depends on, as plain numbers for the device; make_shading() fills them in.
struct Shading {
  Shade mode;
  Light colors[16];         // of materials
  Light ramp[kRampColors];  // of measured values, from low to high
  Light sky;
  float sun, ambient;  // strengths
  Vec3<float> to_sun;  // a unit vector
  Course sun_course;   // of rays to the sun
  uint32_t shadows;    // 1: the sun casts them
  uint32_t ao_rays;    // a sample; 0: no ambient occlusion
  float ao_reach;      // voxels
  const Course*
      open_courses;  // [6 · kHemisphere], of rays to the sky: those of a face from open_courses_of() on
  float low, high;   // the values at the ends of the ramp
  const uint8_t* use_codes;  // for Shade::Sharing: of the leaf that begins at each word of leaves
};

// The colour of a face in Shade::Normal.
VOX_HD inline Light normal_color(Int3 normal) {
  const auto part = [](int32_t n) { return static_cast<float>(n + 1) * 0.5f; };
  return {part(normal.x), part(normal.y), part(normal.z)};
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

  // The light that comes back through a point of the image, in subpixels, whose beam starts at `depth`.
  // `seed` differs from sample to sample.
  VOX_HD Light operator()(uint32_t x, uint32_t y, float depth, uint64_t seed) const {
    const Course course = make_course(rays_.log2_side, rays_.direction(x, y));
    const Ray ray = begun_in_beam(make_ray(course, rays_.eye, rays_.spread), course, rays_, depth);
    PassedNodes passed;
    const Hit hit = trace(dag_, ray, {}, passed);
    if (!hit.found()) return shading_.sky;
    switch (shading_.mode) {
      case Shade::Depth:
        return measured(distance_to(ray, hit.at));
      case Shade::Level:
        return measured(static_cast<float>(hit.log2));
      case Shade::Sharing:
        return measured(
            shading_.use_codes[dag_.node_at(hit.low, dag::kLeafLog2) - dag_.nodes[dag::kLeafLog2]]);
      case Shade::Normal:
        return normal_color(face_normal(ray, hit));
      case Shade::Material:
        break;
    }
    return shading_.colors[hit_material(dag_, ray, hit)] * light_at(course, ray, passed, hit, seed);
  }

 private:
  struct Surface {
    FinePoint point;
    float distance;  // from the eye, voxels
    StartNode start;
  };

  // The colour of a measured value; values beyond an end of the ramp have the colour of that end.
  VOX_HD Light measured(float value) const {
    const float share = (value - shading_.low) / (shading_.high - shading_.low);
    const float at = share * (kRampColors - 1) + 0.5f;
    return shading_.ramp[at < 0 ? 0 : at >= kRampColors ? kRampColors - 1 : static_cast<uint32_t>(at)];
  }

  VOX_HD float light_at(const Course& course, const Ray& ray, const PassedNodes& passed, const Hit& hit,
                        uint64_t seed) const {
    const Int3 normal = face_normal(ray, hit);
    if (axis_of(hit.at) == kNoAxis) return shading_.ambient;  // the eye is in matter
    const FinePoint point = hit_point(rays_.eye, course, ray, hit);
    const Surface at = {point, distance_to(ray, hit.at),
                        start_near(dag_, passed, hit, voxel_before(hit, normal, point))};
    float light = shading_.ambient * open_sky(at, normal, seed);
    const Vec3<float> out = {static_cast<float>(normal.x), static_cast<float>(normal.y),
                             static_cast<float>(normal.z)};
    const float facing = dot(out, shading_.to_sun);
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

  // The share of the sky that is seen from a surface, from 0 to 1.
  VOX_HD float open_sky(const Surface& from, Int3 normal, uint64_t seed) const {
    if (shading_.ao_rays == 0) return 1;
    const uint64_t first = mix64(seed);
    const Course* const courses = shading_.open_courses + open_courses_of(normal);
    uint32_t open = 0;
    for (uint32_t i = 0; i < shading_.ao_rays; ++i) {
      const uint64_t at = (first + uint64_t{i} * kHemisphere / shading_.ao_rays) % kHemisphere;
      const Ray ray = limited(further_ray(from, courses[at]), shading_.ao_reach);
      if (!trace(dag_, ray, from.start).found()) ++open;
    }
    return static_cast<float>(open) / static_cast<float>(shading_.ao_rays);
  }

  const RayDagRef& dag_;
  const PixelRays& rays_;
  const Shading& shading_;
};

}  // namespace vox::render
