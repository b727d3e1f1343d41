// Shading: the colour that a ray comes back with, in single floats that round alike everywhere.
#pragma once

#include "libvox/base/mix.h"
#include "libvox/render/camera.h"
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
  float sun, ambient;             // strengths
  Vec3d to_sun;                   // a unit vector; not used where sun is 0
  uint32_t shadows;               // 1: the sun casts them
  uint32_t ao_rays;               // a sample; 0: no ambient occlusion
  double ao_reach;                // voxels
  const Vec3<float>* hemisphere;  // [kHemisphere], around z, the nearer to z the denser
  double low, high;               // the values at the ends of the ramp
  const uint8_t* use_codes;       // for Shade::Sharing: of the leaf that begins at each word of leaves
};

// The colour of a face in Shade::Normal.
VOX_HD inline Light normal_color(Int3 normal) {
  const auto part = [](int32_t n) { return static_cast<float>(n + 1) * 0.5f; };
  return {part(normal.x), part(normal.y), part(normal.z)};
}

namespace detail {

// Turns a vector around z into the same vector around a face's normal.
VOX_HD inline Vec3d around_normal(Vec3<float> v, Int3 normal) {
  const double x = v.x, y = v.y, z = v.z;
  if (normal.x != 0) return {z * normal.x, x, y};
  if (normal.y != 0) return {y, z * normal.y, x};
  return {x, y, z * normal.z};
}

}  // namespace detail

class Shader {
 public:
  VOX_HD Shader(const RayDagRef& dag, const Camera& camera, const Shading& shading)
      : dag_(dag), camera_(camera), shading_(shading) {}

  // The light that comes back through a point of the image. `seed` differs from sample to sample.
  VOX_HD Light operator()(double x, double y, uint64_t seed) const {
    const Vec3d direction = camera_.direction(x, y);
    const Ray ray = make_ray(camera_.log2_side, camera_.eye, direction, camera_.spread);
    const Hit hit = trace(dag_, ray);
    if (!hit.found()) return shading_.sky;
    switch (shading_.mode) {
      case Shade::Depth:
        return measured(distance_to(ray, hit.at));
      case Shade::Level:
        return measured(hit.log2);
      case Shade::Sharing:
        return measured(
            shading_.use_codes[dag_.node_at(hit.low, dag::kLeafLog2) - dag_.nodes[dag::kLeafLog2]]);
      case Shade::Normal:
        return normal_color(face_normal(ray, hit));
      case Shade::Material:
        break;
    }
    return shading_.colors[hit_material(dag_, ray, hit)] * light_at(direction, ray, hit, seed);
  }

 private:
  struct Surface {
    Vec3d point;
    double distance;  // from the eye, voxels
  };

  // The colour of a measured value; values beyond an end of the ramp have the colour of that end.
  VOX_HD Light measured(double value) const {
    const double share = (value - shading_.low) / (shading_.high - shading_.low);
    const double at = share * (kRampColors - 1) + 0.5;
    return shading_.ramp[at < 0 ? 0 : at >= kRampColors ? kRampColors - 1 : static_cast<uint32_t>(at)];
  }

  VOX_HD float light_at(Vec3d direction, const Ray& ray, const Hit& hit, uint64_t seed) const {
    const Int3 normal = face_normal(ray, hit);
    if (axis_of(hit.at) == kNoAxis) return shading_.ambient;  // the eye is in matter
    const Surface at = {hit_point(camera_.eye, direction, ray, hit), distance_to(ray, hit.at)};
    float light = shading_.ambient * open_sky(at, normal, seed);
    const double facing =
        normal.x * shading_.to_sun.x + normal.y * shading_.to_sun.y + normal.z * shading_.to_sun.z;
    if (facing > 0 && sees_sun(at)) light += shading_.sun * static_cast<float>(facing);
    return light;
  }

  // A ray that goes on from a surface. It is nowhere wider than the pixel is at the surface, so that a
  // shadow's edge is as sharp as the surface that it falls on.
  VOX_HD Ray further_ray(const Surface& from, Vec3d direction) const {
    return no_wider(make_ray(camera_.log2_side, from.point, direction, camera_.spread), from.distance);
  }

  VOX_HD bool sees_sun(const Surface& from) const {
    if (!shading_.shadows) return true;
    return !trace(dag_, further_ray(from, shading_.to_sun)).found();
  }

  // The share of the sky that is seen from a surface, from 0 to 1.
  VOX_HD float open_sky(const Surface& from, Int3 normal, uint64_t seed) const {
    if (shading_.ao_rays == 0) return 1;
    const uint64_t first = mix64(seed);
    uint32_t open = 0;
    for (uint32_t i = 0; i < shading_.ao_rays; ++i) {
      const uint64_t at = (first + uint64_t{i} * kHemisphere / shading_.ao_rays) % kHemisphere;
      const Vec3d direction = detail::around_normal(shading_.hemisphere[at], normal);
      const Ray ray = further_ray(from, direction);
      if (!trace(dag_, limited(ray, shading_.ao_reach)).found()) ++open;
    }
    return static_cast<float>(open) / static_cast<float>(shading_.ao_rays);
  }

  const RayDagRef& dag_;
  const Camera& camera_;
  const Shading& shading_;
};

}  // namespace vox::render
