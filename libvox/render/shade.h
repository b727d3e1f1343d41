// Shading computes the color that a ray returns, in single floats that round alike everywhere.
#pragma once

#include "libvox/attributes/octahedral.h"
#include "libvox/base/bits.h"
#include "libvox/render/beam.h"
#include "libvox/render/node_colors.h"
#include "libvox/render/ray.h"
#include "libvox/render/smooth_normal.h"
#include "libvox/render/trace.h"

namespace vox::render {

// The ground of a picture: a level plane below the whole scene. It shows only the scene's shadow, on the
// color of the sky behind it. It fades with the distance from the scene.
struct GroundPlane {
  uint32_t shown;  // 4 B, 0: there is no ground
  int32_t height;  // 4 B, the plane's height; it lies between voxels
  float x, z;      // 8 B, the point below the middle of the scene
  float reach;     // 4 B, in voxels from the middle; nothing is shown beyond it
};

// The point at which a ray meets the ground.
struct GroundPoint {
  FinePoint at = {};
  float distance = 0;  // from the eye, in voxels
  float share = 0;     // the strength of shadows there; 0: none, or the ray misses the ground
};

VOX_HD inline GroundPoint ground_point(const GroundPlane& ground, FinePoint eye, const Course& course) {
  constexpr float kFarthest = 0x1p28f;  // in voxels: points are whole numbers up to 2^30
  const int64_t plane = int64_t{ground.height} << kFineBits;
  if (eye.y <= plane || (course.mirrored >> 1 & 1) == 0) return {};
  const float ahead = static_cast<float>(eye.y - plane) * 0x1p-32f / course.slope.y;
  if (!(ahead < kFarthest)) return {};
  const auto along = [&](uint32_t axis) {
    return (course.mirrored >> axis & 1) != 0 ? -course.slope[axis] * ahead : course.slope[axis] * ahead;
  };
  const float x = along(0), z = along(2);
  const float from_x = static_cast<float>(eye.x) * 0x1p-32f + x - ground.x,
              from_z = static_cast<float>(eye.z) * 0x1p-32f + z - ground.z;
  const float rest = 1 - (from_x * from_x + from_z * from_z) / (ground.reach * ground.reach);
  if (!(rest > 0)) return {};
  const auto fine = [](float part) { return static_cast<int64_t>(part * 0x1p32f); };
  return {{eye.x + fine(x), plane, eye.z + fine(z)},
          ahead * square_root(dot(course.slope, course.slope)),
          rest * rest};
}

// Finds the point that a ray hit, where other rays start.

// Returns the point in the face that was hit. It is exact along the face's axis, so that a ray that starts
// here and leaves the face cannot hit things behind the face. Along the other axes it is exact to 2^-22 of
// the width of the box that was hit. The ray came from `eye` on `course`, and must not have begun inside the
// box.
VOX_HD inline FinePoint hit_point(FinePoint eye, const Course& course, const Ray& ray, const HitBox& hit) {
  const int64_t side = int64_t{1} << ray.log2_side;
  const auto along = [&](int32_t low, int32_t high, uint32_t axis) {
    const bool down = (ray.mirrored >> axis & 1) != 0;
    const int64_t near = down ? side - high : low, width = high - low;
    int64_t at = near << kFineBits;
    if (axis_of(hit.at) != axis) {
      int64_t inside;
      if ((course.still >> axis & 1) != 0) {
        inside = detail::RayAxis(eye[axis], course, axis).still_at(ticks_to(ray, hit.at), ray.log2_side) - at;
      } else {
        const Crossing since = hit.at - (ray.first[axis] + near * ray.step[axis]);
        inside =
            static_cast<int64_t>(static_cast<float>(since) / static_cast<float>(ray.step[axis]) * 0x1p32f);
      }
      at += inside < 0 ? 0 : inside > width << kFineBits ? width << kFineBits : inside;
    }
    return down ? (side << kFineBits) - at : at;
  };
  return {along(hit.low.x, hit.high.x, 0), along(hit.low.y, hit.high.y, 1), along(hit.low.z, hit.high.z, 2)};
}

// Returns the voxel that contains a point.
VOX_HD inline Int3 voxel_at(FinePoint point) {
  const auto along = [](int64_t at) { return static_cast<int32_t>(at >> kFineBits); };
  return {along(point.x), along(point.y), along(point.z)};
}

// Returns the voxel in front of the face that was hit, at a point of the face.
VOX_HD inline Int3 voxel_before(const HitBox& hit, Int3 normal, FinePoint point) {
  const auto along = [](int32_t low, int32_t high, int32_t out, int64_t at) {
    return out > 0 ? high : out < 0 ? low - 1 : static_cast<int32_t>(at >> kFineBits);
  };
  return {along(hit.low.x, hit.high.x, normal.x, point.x), along(hit.low.y, hit.high.y, normal.y, point.y),
          along(hit.low.z, hit.high.z, normal.z, point.z)};
}

enum class Shade {
  Material,
  Normal,
  // Shown in the colors of the ramp, from low to high:
  Depth,    // the distance from the eye, in voxels
  Level,    // log2 of the side of the cell at which the ray stopped
  Sharing,  // log2 of the number of octree leaves for which the leaf stands
};

// The normals by which surfaces are shaded.
enum class Normals {
  Faces,   // the normals of the voxels' faces
  Smooth,  // estimated from the voxels around, see smooth_normal.h
  Auto,  // those that voxels have of their own; without them, faces if a voxel is as wide as a pixel, smooth if it is at
         // most half as wide
};

inline constexpr uint32_t kRampColors = 64;
inline constexpr uint32_t kHemisphere = 1024;

// The data that shading depends on, as plain numbers for the device. make_shading() fills them in.
struct Shading {
  Shade mode;
  Light colors[16];         // the materials' colors
  Light ramp[kRampColors];  // the colors of measured values, from low to high
  Light sky;                // the color at the horizon
  Light zenith, nadir;      // the colors straight up and straight down
  uint32_t plain_sky;       // 1: the sky has the same color everywhere
  float exposure;           // light is multiplied by this
  uint32_t cut_axis;        // the axis of a cutaway's plane; kNoAxis: there is none
  int32_t cut_plane;        // its place, in voxels
  uint32_t hatch;           // pixels from stripe to stripe on cut faces
  float sun, ambient;       // strengths of the light
  Vec3<float> to_sun;       // the direction to the sun, a unit vector
  Vec3<float> per_unit;     // Camera::per_unit, which turns normals in voxels into normals in the world
  GroundPlane ground;       // below the scene
  Course sun_course;        // the course of rays to the sun
  uint32_t shadows;         // 1: the sun casts shadows
  float smooth,
      smoother;      // the weight of smooth normals: at the eye, and the increase per voxel of distance
  uint32_t ao_rays;  // per sample; 0: no ambient occlusion
  float ao_reach;    // in voxels
  const Course*
      open_courses;  // [6 · kHemisphere], courses of rays to the sky; a face's begin at open_courses_of()
  float low, high;   // the values at the ends of the ramp
  // The colors of nodes by RayDagRef::box_index(), and the light of their codes. nullptr: a node has the
  // color of one of its voxels.
  const PackedColor* node_colors;
  const float* light_of_code;
  const uint8_t* use_codes;  // for Shade::Sharing: the codes of leaves, by the pointers of their parents
};

// Returns the color of a normal in Shade::Normal.
VOX_HD inline Light normal_color(Vec3<float> normal) {
  const auto part = [](float n) { return (n + 1) * 0.5f; };
  return {part(normal.x), part(normal.y), part(normal.z)};
}

VOX_HD inline Light normal_color(Int3 normal) {
  return normal_color(
      Vec3<float>{static_cast<float>(normal.x), static_cast<float>(normal.y), static_cast<float>(normal.z)});
}

// Returns the index in Shading::open_courses of the first course that leaves a face with this normal.
VOX_HD inline uint32_t open_courses_of(Int3 normal) {
  const uint32_t axis = normal.x != 0 ? 0 : normal.y != 0 ? 1 : 2;
  return (2 * axis + (normal.x + normal.y + normal.z > 0 ? 1 : 0)) * kHemisphere;
}

// `Colors` is NoVoxelColors or VoxelColorsRef: two kernels, so that pictures of materials pay nothing for the other.
template <class Dag, class Colors>
class Shader {
 public:
  using Hit = NodeHit<typename Dag::Node>;

  VOX_HD Shader(const Dag& dag, const PixelRays& rays, const Shading& shading, const Colors& voxel_colors)
      : dag_(dag), rays_(rays), shading_(shading), voxel_colors_(voxel_colors) {}

  // Returns the light that comes through a point of the image, given in subpixels. Its beam starts at
  // `depth`, or hits nothing. `seed` differs from sample to sample.
  VOX_HD Light operator()(uint32_t x, uint32_t y, float depth, uint64_t seed) const {
    const Course course = course_through(x, y);
    const Ray ray = ray_on(course, depth);
    PassedNodes passed;
    const Hit hit = depth < kHitsNothing ? trace(dag_, ray, {}, passed) : Hit{};
    return light_of(x, y, course, ray, passed, hit, seed);
  }

  VOX_HD Course course_through(uint32_t x, uint32_t y) const {
    return make_course(rays_.log2_side, rays_.direction(x, y));
  }
  VOX_HD Ray ray_on(const Course& course, float depth) const {
    return begun_in_beam(make_ray(course, rays_.eye, rays_.spread), course, rays_, depth);
  }
  // Returns the light of a ray that has been traced.
  VOX_HD Light light_of(uint32_t x, uint32_t y, const Course& course, const Ray& ray,
                        const PassedNodes& passed, const Hit& hit, uint64_t seed) const {
    if (!hit.found()) return sky(x, y) * light_on_ground(course, seed);
    switch (shading_.mode) {
      case Shade::Depth:
        return measured(distance_to(ray, hit.at) * units_per_voxel(course.slope));
      case Shade::Level:
        return measured(static_cast<float>(hit.log2));
      case Shade::Sharing:
        return measured(shading_.use_codes[dag_.reach(hit.low, dag::kLeafLog2).pointer]);
      case Shade::Normal:
        return normal_color(surface_at(course, ray, hit).normal);
      case Shade::Material:
        break;
    }
    if (is_cut(ray, hit)) return color_at(ray, hit) * (is_striped(x, y) ? kStripe : kBetweenStripes);
    return color_at(ray, hit) * light_at(course, ray, passed, hit, seed);
  }

  // Returns the light of the sky behind a point of the image.
  VOX_HD Light sky(uint32_t x, uint32_t y) const {
    if (shading_.plain_sky) return shading_.sky;
    const FineDirection to = rays_.direction(x, y);
    const Vec3<float> d =
        product({static_cast<float>(to.x), static_cast<float>(to.y), static_cast<float>(to.z)}, rays_.sides);
    const float up = d.y / square_root(dot(d, d)), share = up < 0 ? -up : up;
    return shading_.sky * (1 - share) + (up < 0 ? shading_.nadir : shading_.zenith) * share;
  }

 private:
  // The place that a ray hit, from which other rays go on.
  struct Surface {
    FinePoint point;
    Vec3<float> normal;
    Int3 side;       // the axis direction nearest to the normal; 0: the eye is in matter
    float distance;  // from the eye, in voxels
    bool smooth;     // true if the normal is smooth
    StartIn<typename Dag::Node> start;
  };

  VOX_HD static Vec3<float> in_floats(Int3 v) {
    return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
  }

  VOX_HD Surface surface_at(const Course& course, const Ray& ray, const Hit& hit) const {
    const Int3 face = face_normal(ray, hit);
    Surface at = {{0, 0, 0}, in_floats(face), face, distance_to(ray, hit.at), false, {}};
    if (axis_of(hit.at) == kNoAxis) return at;
    at.point = hit_point(rays_.eye, course, ray, hit);
    if constexpr (Colors::kThere)
      if (voxel_colors_.has_normals()) {
        const uint32_t normal = voxel_colors_.normal(dag_, ray, hit);
        if (normal == attributes::kNoDirection) return at;
        return turned(at, course, hit, unit(in_floats(attributes::direction_of(normal))), 1);
      }
    const float share = shading_.smooth + shading_.smoother * at.distance;
    return share > 0 ? smoothed(at, course, hit, share < 1 ? share : 1) : at;
  }

  VOX_HD Surface smoothed(const Surface& at, const Course& course, const HitBox& hit, float share) const {
    const Int3 estimate = smooth_normal(dag_, hit, at.side, course, at.point);
    if (estimate == Int3{0, 0, 0}) return at;
    return turned(at, course, hit, unit(product(in_floats(estimate), shading_.per_unit)), share);
  }

  // Returns the surface with a smooth normal, which is weighed by `share` against the normal of the face.
  // Rays go on from above the steps between faces, because these steps would hold them back.
  VOX_HD Surface turned(Surface at, const Course& course, const HitBox& hit, Vec3<float> smooth,
                        float share) const {
    constexpr float kCellsAbove = 1.5f, kFromBehind = 0.3f;
    // The normal may be that of the back, although the ray sees the front: a triangle may face the other way, and at
    // the edge of something thin, the cells behind it are reached too and may outnumber those in front.
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

  // Returns the length of a voxel along a direction in units of the camera, which is 1 if voxels are cubes.
  VOX_HD float units_per_voxel(Vec3<float> slope) const {
    const Vec3<float> in_units = product(slope, rays_.sides);
    return square_root(dot(in_units, in_units)) / square_root(dot(slope, slope));
  }

  // Returns the vector with a length of 1; the vector 0 stays 0.
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

  static constexpr float kStripe = 0.55f, kBetweenStripes = 1;  // the brightness of a material's color on
                                                                // cut faces

  // True if the ray hit the face at which a cutaway was cut.
  VOX_HD bool is_cut(const Ray& ray, const HitBox& hit) const {
    if (axis_of(hit.at) != shading_.cut_axis || shading_.cut_axis == kNoAxis) return false;
    const bool down = (ray.mirrored >> shading_.cut_axis & 1) != 0;
    return (down ? hit.high : hit.low)[shading_.cut_axis] == shading_.cut_plane;
  }
  VOX_HD bool is_striped(uint32_t x, uint32_t y) const {
    return ((x + y) >> kSubpixelBits) % shading_.hatch < (shading_.hatch + 2) / 3;
  }

  // Returns the color at a hit, without light: the color of a voxel, or the mean of several if a pixel
  // shows several.
  VOX_HD Light color_at(const Ray& ray, const Hit& hit) const {
    const bool has_colors = voxel_colors_.has_colors();
    const bool may_mix = has_colors ? voxel_colors_.mean != 0 : shading_.node_colors != nullptr;
    const bool mixed = may_mix && hit.node_log2 <= (hit.log2 > 2 ? hit.log2 : 2) &&
                       (hit.log2 > 0 || distance_to(ray, hit.at) * rays_.spread >= kBlockWide);
    if constexpr (Colors::kThere)
      if (has_colors) return voxel_colors_.light(dag_, ray, hit, mixed);
    if (!mixed) return shading_.colors[hit_material(dag_, ray, hit)];
    if constexpr (Dag::kMayHaveMaterials) return mean_at(hit);
    return shading_.colors[0];
  }
  static constexpr float kBlockWide = 2;  // in voxels: a pixel at least this wide shows a block of 2³

  // Returns the mean color of a node, or of a part of a leaf, at which a ray stopped.
  VOX_HD Light mean_at(const Hit& hit) const {
    if (hit.log2 == 0)
      return leaf_mean(dag_, hit.node, uint64_t{0xff} << 8 * octant_at(hit.low, 1), shading_.colors).light;
    if (hit.log2 == dag::kLeafLog2) return leaf_mean(dag_, hit.node, ~uint64_t{0}, shading_.colors).light;
    const PackedColor color = shading_.node_colors[dag_.box_index(hit.node)];
    const float* const light = shading_.light_of_code;
    return {light[color & 0xff], light[color >> 8 & 0xff], light[color >> 16]};
  }

  // Returns the color of a measured value. Values beyond an end of the ramp have the color of that end.
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

  // Returns the factor of the sky's color where the ground is seen, on which the scene
  // casts its shadow.
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

  // Returns a ray that goes on from a surface. Its pixel is nowhere wider than at the surface, so that a
  // shadow's edge is as sharp as the surface on which it falls.
  VOX_HD Ray further_ray(const Surface& from, const Course& course) const {
    return no_wider(make_ray(course, from.point, rays_.spread), from.distance);
  }

  VOX_HD bool sees_sun(const Surface& from) const {
    if (!shading_.shadows) return true;
    return !trace(dag_, further_ray(from, shading_.sun_course), from.start).found();
  }

  // Returns the share of the sky that is seen from a surface, from 0 to 1. The directions are tested around
  // an axis. If the surface is inclined to that axis, directions into the surface do not count.
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

  // Returns the dot product of a course's direction, in slopes, and a vector.
  VOX_HD static float along(const Course& course, Vec3<float> v) {
    const auto part = [&](uint32_t axis) {
      const float product = course.slope[axis] * v[axis];
      return (course.mirrored >> axis & 1) != 0 ? -product : product;
    };
    return part(0) + part(1) + part(2);
  }

  const Dag& dag_;
  const PixelRays& rays_;
  const Shading& shading_;
  const Colors& voxel_colors_;
};

}  // namespace vox::render
