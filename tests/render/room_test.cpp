// Compares the view from inside a room with rays through a dense grid. There are walls on all sides, however
// near, and sun through a window.
#include <gtest/gtest.h>

#include <cmath>

#include "libvox/scene/oklab.h"
#include "tests/common/test_engine.h"
#include "tests/dag/grids.h"
#include "tests/render/dense_trace.h"
#include "tests/render/pictures.h"

namespace vox {
namespace {

constexpr uint32_t kRoomSide = 32, kLog2Side = 5;
constexpr render::ImageSize kView = {48, 36};

// The walls are two voxels thick around a room from 4 to 28 in each direction, with a window in the wall of
// high x.
int room(uint32_t x, uint32_t y, uint32_t z) {
  const auto within = [&](uint32_t low, uint32_t high) {
    return std::min({x, y, z}) >= low && std::max({x, y, z}) < high;
  };
  if (within(4, 28) || !within(2, 30)) return dag::kEmptyVoxel;
  if (x >= 28 && y >= 10 && y < 21 && z >= 11 && z < 21) return dag::kEmptyVoxel;
  return y < 4 ? 2 : x < 4 ? 3 : 4;
}

Vec3d unit_vector(Vec3d v) {
  return v * (1 / std::sqrt(dot(v, v)));
}

struct Seen {
  render::Hit hit;
  int material;
  Vec3d normal, point;
};

// Returns the point that is visible in this direction, slightly in front of the face.
Seen look(const DenseScene& dense, Vec3d eye, Vec3d direction) {
  const render::Ray ray = render::make_ray(kLog2Side, eye, direction, 0);
  const MaterialHit found = dense.trace(ray);
  const Int3 face = render::face_normal(ray, found.hit);
  const Vec3d normal = {double(face.x), double(face.y), double(face.z)};
  const double distance = render::distance_to(ray, found.hit.at);
  return {found.hit, found.material, normal, eye + unit_vector(direction) * distance + normal * 1e-3};
}

TEST(Room, WhatAnEyeInItSeesIsThere) {
  const dag::FrozenDag dag = dense_dag(kRoomSide, true, room);
  const DenseScene dense(kRoomSide, room);
  const auto engine = test_engine();
  const auto renderer = engine->renderer(dag, distinct_palette());
  for (const auto& [eye, target] :
       {std::pair<Vec3d, Vec3d>{{14, 14, 14}, {4, 5, 10}},  // from the centre, where the sun comes in
        {{4.01, 4.01, 4.01}, {28, 14, 16}},                 // from a corner, towards the window
        {{27.99, 24, 15}, {27.9, 4, 14}},                   // along the wall with the window
        {{20, 27.999, 6}, {6, 4, 24}},                      // from just below the ceiling
        {{29, 16, 16}, {0, 15.5, 16.5}}}) {                 // from the window
    render::RenderOptions options;
    options.size = kView;
    options.pose = {eye, target, 100};
    options.to_sun = {1, 0.5, 0.1};
    options.colors = render::LevelColors::Mean;
    const render::Camera camera = render::make_camera(options.pose, kView, kLog2Side);
    const Vec3d sun = unit_vector(options.to_sun);
    const render::Picture of_faces = renderer->render(options);
    options.normals = render::Normals::Auto;
    const render::Picture smooth = renderer->render(options);
    int wrong = 0, wrong_smooth = 0, lit = 0;
    for (uint32_t y = 0; y < kView.height; ++y)
      for (uint32_t x = 0; x < kView.width; ++x) {
        const Seen seen = look(dense, eye, camera.direction(x + 0.5, y + 0.5));
        for (const render::Picture* picture : {&of_faces, &smooth})
          ASSERT_EQ(at(*picture, x, y) == opaque(options.sky), !seen.hit.found()) << x << ' ' << y;
        if (!seen.hit.found()) continue;
        const double facing = dot(seen.normal, sun);
        const bool in_sun = facing > 0 && !look(dense, seen.point, sun).hit.found();
        const double light = 0.36 + (in_sun ? 0.6 * facing : 0);
        const scene::Rgb8 color = distinct_palette().colors[size_t(seen.material)],
                          expected = scene::linear_to_srgb(scene::srgb_to_linear(color) * light);
        const auto differs = [&](scene::Rgba8 pixel) {
          return std::abs(pixel.r - expected.r) > 1 || std::abs(pixel.g - expected.g) > 1 ||
                 std::abs(pixel.b - expected.b) > 1;
        };
        lit += in_sun;
        wrong += differs(at(of_faces, x, y));
        wrong_smooth += differs(at(smooth, x, y));
      }
    EXPECT_LT(wrong, 10) << eye.x;          // at edges of the sun
    EXPECT_LT(wrong_smooth, 170) << eye.x;  // also where walls meet: a tenth of all pixels
    EXPECT_TRUE(eye.x != 14 || lit > 20) << lit;
  }
}

TEST(Room, IsDarkerInItsCornersThanInTheMiddleOfItsWalls) {
  const dag::FrozenDag dag = dense_dag(kRoomSide, true, room);
  render::RenderOptions options;
  options.size = kView;
  options.pose = {{24, 16, 16}, {4, 16, 16}, 60};
  options.shadows = render::Shadows::Off;
  options.to_sun = {-1, 0, 0};  // no sun on the wall of low x
  options.ao_rays = 256;
  options.ao_reach = 10;
  const render::Picture picture = test_engine()->renderer(dag, distinct_palette())->render(options);
  const auto wall = distinct_palette().colors[3];
  const auto share = [&](uint32_t x, uint32_t y) {
    return scene::srgb_to_linear(scene::Rgb8{at(picture, x, y).r, at(picture, x, y).g, at(picture, x, y).b})
               .y /
           scene::srgb_to_linear(wall).y;
  };
  // The wall is 24 wide and 20 away, so it is 37 pixels across.
  EXPECT_NEAR(share(24, 18), 0.36, 0.01);
  const double side = share(24 - 18, 18);  // half a sphere's light, less the wall's part
  EXPECT_LT(side, 0.29);
  EXPECT_GT(side, 0.16);
}

}  // namespace
}  // namespace vox
