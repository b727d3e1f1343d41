// Compares the ground below a scene with one whose points, shadows and open sky are computed in doubles.
#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "libvox/scene/oklab.h"
#include "tests/common/test_engine.h"
#include "tests/dag/grids.h"
#include "tests/render/pictures.h"

namespace vox {
namespace {

constexpr render::ImageSize kGroundImage = {96, 72};
// The thing is a block that hovers two voxels above a small foot.
constexpr VoxelBox kBlock = {{20, 5, 24}, {40, 15, 36}}, kFoot = {{28, 3, 28}, {32, 5, 32}};

bool holds(const VoxelBox& box, Int3 v) {
  return !intersection(box, cube_at(v, 1)).empty();
}

const dag::FrozenDag& thing() {
  static const dag::FrozenDag dag = dense_dag(64, true, [](uint32_t x, uint32_t y, uint32_t z) {
    const Int3 v = {static_cast<int32_t>(x), static_cast<int32_t>(y), static_cast<int32_t>(z)};
    return holds(kBlock, v) || holds(kFoot, v) ? 2 : dag::kEmptyVoxel;
  });
  return dag;
}

render::RenderOptions on_ground() {
  render::RenderOptions options;
  options.size = kGroundImage;
  options.pose = {{75, 60, 95}, {30, 5, 30}, 50};
  options.to_sun = {1, 0.8, -0.6};
  options.ground = render::Ground::On;
  return options;
}

render::Picture shown(const render::RenderOptions& options) {
  return test_engine()->renderer(thing(), distinct_palette())->render(options);
}

// Returns the distance from a point to a box in a direction of length 1, or HUGE_VAL if the ray misses the
// box.
double distance_to_box(Vec3d from, Vec3d direction, const VoxelBox& box, double grown) {
  double enters = 0, leaves = HUGE_VAL;
  for (uint32_t axis = 0; axis < 3; ++axis) {
    const double low = (box.min[axis] - grown - from[axis]) / direction[axis],
                 high = (box.max[axis] + grown - from[axis]) / direction[axis];
    enters = std::max(enters, std::min(low, high));
    leaves = std::min(leaves, std::max(low, high));
  }
  return enters < leaves ? enters : HUGE_VAL;
}
double distance_to_thing(Vec3d from, Vec3d direction, double grown = 0) {
  return std::min(distance_to_box(from, direction, kBlock, grown),
                  distance_to_box(from, direction, kFoot, grown));
}

Vec3d unit(Vec3d v) {
  return v * (1 / std::sqrt(dot(v, v)));
}

// Returns the point at which the ray through a pixel's centre meets the plane below the thing, unless the
// thing, slightly enlarged, is in front of it.
std::optional<Vec3d> seen_ground(const render::Camera& camera, uint32_t x, uint32_t y, double grown = 0.01) {
  const Vec3d direction = unit(camera.direction(x + 0.5, y + 0.5));
  if (direction.y >= 0 || distance_to_thing(camera.eye, direction, grown) < HUGE_VAL) return std::nullopt;
  return camera.eye + direction * ((camera.eye.y - kFoot.min.y) / -direction.y);
}

// Returns the share of a shadow that remains at this distance from the thing's centre.
double share_at(Vec3d point) {
  const double reach = 3 * (std::sqrt(20.0 * 20 + 12 * 12) / 2 + 12), x = point.x - 30, z = point.z - 30;
  const double rest = std::max(1 - (x * x + z * z) / (reach * reach), 0.0);
  return rest * rest;
}

int code_of(double share) {
  return scene::linear_to_srgb(scene::srgb_to_linear(render::kSky) * share).g;
}

TEST(Ground, ShowsTheShadowOfTheSun) {
  const render::RenderOptions options = on_ground();
  const render::Picture picture = shown(options);
  const render::Camera camera = render::make_camera(options.pose, kGroundImage, 6);
  const Vec3d sun = unit(options.to_sun);
  const double without_sun = 0.36 / (0.36 + 0.6 * sun.y);
  int dark = 0, open = 0;
  for (uint32_t y = 0; y < kGroundImage.height; ++y)
    for (uint32_t x = 0; x < kGroundImage.width; ++x) {
      const std::optional<Vec3d> point = seen_ground(camera, x, y);
      if (!point) continue;
      const bool lies = distance_to_thing(*point, sun, -0.01) < HUGE_VAL;
      if (lies != (distance_to_thing(*point, sun, 0.01) < HUGE_VAL)) continue;  // on the shadow's edge
      const double light = lies ? 1 - share_at(*point) * (1 - without_sun) : 1;
      EXPECT_NEAR(at(picture, x, y).g, code_of(light), 1) << x << ' ' << y;
      ++(lies ? dark : open);
    }
  EXPECT_GT(dark, 100);
  EXPECT_GT(open, 1000);
}

// The picture uses all its directions, so that the result is not random.
TEST(Ground, ShowsHowMuchOfTheSkyIsOpen) {
  render::RenderOptions options = on_ground();
  options.shadows = render::Shadows::Off;
  options.ao_rays = render::kHemisphere;
  options.ao_reach = 12;
  const render::Picture picture = shown(options);
  const render::Camera camera = render::make_camera(options.pose, kGroundImage, 6);
  const double sun = 0.6 * unit(options.to_sun).y;
  constexpr int kAcross = 64;  // for a square around a circle over which light is uniform
  int darker = 0;
  for (uint32_t y = 0; y < kGroundImage.height; y += 3)
    for (uint32_t x = 0; x < kGroundImage.width; x += 3) {
      const std::optional<Vec3d> point = seen_ground(camera, x, y);
      if (!point) continue;
      int all = 0, free = 0;
      for (int i = 0; i < kAcross * kAcross; ++i) {
        const int column = i % kAcross, row = i / kAcross;
        const double u = (column + 0.5) / kAcross * 2 - 1, v = (row + 0.5) / kAcross * 2 - 1;
        if (u * u + v * v >= 1) continue;
        ++all;
        free += distance_to_thing(*point, {u, std::sqrt(1 - u * u - v * v), v}) > options.ao_reach;
      }
      const double light = (0.36 * free / all + sun) / (0.36 + sun);
      const int expected = code_of(1 - share_at(*point) * (1 - light));
      EXPECT_NEAR(at(picture, x, y).g, expected, 2) << x << ' ' << y;
      darker += expected < code_of(1) - 3;
    }
  EXPECT_GT(darker, 10);
}

TEST(Ground, ChangesNothingButTheSkyBelowTheHorizon) {
  for (const render::Normals normals : {render::Normals::Faces, render::Normals::Smooth})
    for (const double height : {40.0, 3.0, -30.0}) {  // above the plane, in it, and below it
      render::RenderOptions options = on_ground();
      options.pose.eye.y = height;
      options.normals = normals;
      options.skies = render::Sky::Gradient;
      options.ao_rays = 4;
      const render::Picture with = shown(options);
      options.ground = render::Ground::Off;
      const render::Picture without = shown(options);
      const render::Camera camera = render::make_camera(options.pose, kGroundImage, 6);
      size_t changed = 0;
      for (uint32_t y = 0; y < kGroundImage.height; ++y)
        for (uint32_t x = 0; x < kGroundImage.width; ++x) {
          if (at(with, x, y) == at(without, x, y)) continue;
          EXPECT_TRUE(seen_ground(camera, x, y, -0.01)) << x << ' ' << y;
          ++changed;
        }
      EXPECT_EQ(changed > 100, height > 3) << changed;
      EXPECT_EQ(changed == 0, height <= 3) << changed;
    }
}

TEST(Ground, OfNothingIsSky) {
  render::RenderOptions options = on_ground();
  const dag::FrozenDag dag = dense_dag(16, true, nowhere);
  const render::Picture picture = test_engine()->renderer(dag, distinct_palette())->render(options);
  for (const scene::Rgba8 pixel : picture.image.pixels) ASSERT_EQ(pixel, opaque(options.sky));
}

}  // namespace
}  // namespace vox
