// The ground below a scene and the normals of its surface, compared with plain computations.
#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "libvox/render/render.h"
#include "libvox/render/shade.h"
#include "libvox/render/smooth_normal.h"
#include "libvox/scene/oklab.h"
#include "tests/common/test_engine.h"
#include "tests/dag/dense_dag.h"
#include "tests/render/traced.h"

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
  return render::make_renderer(test_engine()->handle(), thing(), distinct_palette())->render(options);
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

// Returns the point at which the ray through a pixel's center meets the plane below the thing, unless the
// thing, slightly enlarged, is in front of it.
std::optional<Vec3d> seen_ground(const render::Camera& camera, uint32_t x, uint32_t y, double grown = 0.01) {
  const Vec3d direction = unit(camera.direction(x + 0.5, y + 0.5));
  if (direction.y >= 0 || distance_to_thing(camera.eye, direction, grown) < HUGE_VAL) return std::nullopt;
  return camera.eye + direction * ((camera.eye.y - kFoot.min.y) / -direction.y);
}

// Returns the share of a shadow that remains at this distance from the thing's center.
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
  const render::Picture picture =
      render::make_renderer(test_engine()->handle(), dag, distinct_palette())->render(options);
  for (const scene::Rgba8 pixel : picture.image.pixels) ASSERT_EQ(pixel, opaque(options.sky));
}

// Compares the view from inside a room with rays through a dense grid. There are walls on all sides, however
// near, and sun through a window.

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
  const auto renderer = render::make_renderer(engine->handle(), dag, distinct_palette());
  for (const auto& [eye, target] :
       {std::pair<Vec3d, Vec3d>{{14, 14, 14}, {4, 5, 10}},  // from the center, where the sun comes in
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
  const render::Picture picture =
      render::make_renderer(test_engine()->handle(), dag, distinct_palette())->render(options);
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

// Compares normals derived from the voxels around a hit with floods through dense grids.

class Filled {
 public:
  explicit Filled(const DenseScene& scene) : side_(static_cast<int32_t>(scene.side())) {
    filled_.resize(size_t(side_) * size_t(side_) * size_t(side_));
    for (const DenseScene::Voxel& voxel : scene.voxels()) filled_[index(voxel.at)] = true;
  }
  bool at(Int3 v) const {
    const auto inside = [&](int32_t part) { return part >= 0 && part < side_; };
    return inside(v.x) && inside(v.y) && inside(v.z) && filled_[index(v)];
  }
  // True if a voxel of the cell is filled.
  bool cell(Int3 cell, uint32_t log2) const {
    const int32_t side = 1 << log2;
    for (int32_t z = 0; z < side; ++z)
      for (int32_t y = 0; y < side; ++y)
        for (int32_t x = 0; x < side; ++x)
          if (at(cell * side + Int3{x, y, z})) return true;
    return false;
  }

 private:
  size_t index(Int3 v) const {
    return (size_t(v.z) * size_t(side_) + size_t(v.y)) * size_t(side_) + size_t(v.x);
  }

  int32_t side_;
  std::vector<bool> filled_;
};

TEST(SmoothNormal, CellsAroundACornerAreFilledWhereAVoxelInThemIs) {
  for (const auto& [resolution, grid] : {std::pair<uint32_t, DenseGrid>{16, scattered(4)},
                                         {64, shell},
                                         {37, scattered(90)},
                                         {32, everywhere}}) {
    const Traced scene(resolution, grid);
    const Filled filled(scene.dense);
    Random random(resolution);
    for (uint32_t log2 = 0; log2 + 2 <= scene.log2_side(); ++log2)
      for (int i = 0; i < 40; ++i) {
        const uint32_t blocks = (scene.dense.side() >> log2) / 2 + 1;
        const auto even = [&] { return static_cast<int32_t>(2 * random.below(blocks)); };
        const Int3 corner = {even(), even(), even()};
        const uint64_t found = render::cells_around(scene.dag.ref(), corner, log2);
        for (uint32_t bit = 0; bit < 64; ++bit)
          ASSERT_EQ((found >> bit & 1) != 0, filled.cell(corner - Int3{2, 2, 2} + cube_place(bit), log2))
              << resolution << ' ' << log2 << ' ' << bit;
      }
  }
}

// Returns the sum of the places that a walk from the voxel in front of a face reaches in the 4³ voxels around
// it.
Int3 walked(const Filled& filled, Int3 voxel, Int3 face) {
  const Int3 low = {(voxel.x + 1) / 2 * 2 - 2, (voxel.y + 1) / 2 * 2 - 2, (voxel.z + 1) / 2 * 2 - 2};
  std::vector<Int3> reached = {voxel + face};
  Int3 sum = {0, 0, 0};
  for (size_t i = 0; i < reached.size(); ++i) {
    const Int3 at = reached[i] - low;
    const auto outer = [](int32_t part) { return part == 0 || part == 3; };
    if (!(outer(at.x) && outer(at.y) && outer(at.z)))
      sum = sum + Int3{2 * at.x - 3, 2 * at.y - 3, 2 * at.z - 3};
    for (const Int3 step : {Int3{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}}) {
      const Int3 next = reached[i] + step, place = next - low;
      const bool inside =
          std::min({place.x, place.y, place.z}) >= 0 && std::max({place.x, place.y, place.z}) <= 3;
      if (inside && !filled.at(next) && std::ranges::find(reached, next) == reached.end())
        reached.push_back(next);
    }
  }
  return sum;
}

TEST(SmoothNormal, IsWhereAWalkFromTheFaceGoes) {
  for (const auto& [resolution, grid] :
       {std::pair<uint32_t, DenseGrid>{32, scattered(4)}, {64, shell}, {37, scattered(30)}}) {
    const Traced scene(resolution, grid);
    const Filled filled(scene.dense);
    Random random(resolution);
    int compared = 0;
    for (int i = 0; i < 3000; ++i) {
      const Vec3d origin = random.in_cube(-20, scene.side() + 20);
      const Vec3d direction = random.in_cube(0, scene.side()) - origin;
      const render::Ray ray = scene.ray(origin, direction);
      const render::Hit hit = scene.trace(ray);
      if (!hit.found() || render::axis_of(hit.at) == render::kNoAxis) continue;
      const render::Course course = render::make_course(scene.log2_side(), render::fine_direction(direction));
      const Int3 face = render::face_normal(ray, hit);
      const render::FinePoint point = render::hit_point(render::fine_point(origin), course, ray, hit);
      const Int3 expected = walked(filled, hit.low, face);
      if (expected == Int3{0, 0, 0}) continue;
      const Int3 found = render::smooth_normal(scene.dag.ref(), hit, face, course, point);
      ASSERT_TRUE(found == expected) << found.x << ' ' << found.y << ' ' << found.z << " and " << expected.x
                                     << ' ' << expected.y << ' ' << expected.z;
      ++compared;
    }
    EXPECT_GT(compared, 500);
  }
}

// The object is a ball or its skin, seen from outside. All normals, of voxels and of nodes, are known and
// differ little from those of the ball. None may point inwards.
TEST(SmoothNormal, OfABallIsNearlyTheBalls) {
  for (const double inner : {0.0, 57.0})
    for (const double spread : {0.0, 0.012, 0.05}) {
      const Vec3d middle = {63.7, 64.2, 64.4};
      const Traced scene(128, [&](uint32_t x, uint32_t y, uint32_t z) {
        const Vec3d from = Vec3d{x + 0.5, y + 0.5, z + 0.5} - middle;
        const double squared = dot(from, from);
        return squared < 59 * 59 && squared >= inner * inner ? 1 : dag::kEmptyVoxel;
      });
      Random random(7);
      double most = 0, sum = 0;
      int count = 0;
      for (int i = 0; i < 2000; ++i) {
        const Vec3d eye = middle + (random.in_cube(0, 1) - Vec3d{0.5, 0.5, 0.5}) * 1000;
        if (dot(eye - middle, eye - middle) < 100 * 100) continue;  // the eye would be inside the ball
        const Vec3d to = middle + (random.in_cube(0, 1) - Vec3d{0.5, 0.5, 0.5}) * 80;
        const render::Ray ray = scene.ray(eye, to - eye, spread);
        const render::Hit hit = scene.trace(ray);
        if (!hit.found() || render::axis_of(hit.at) == render::kNoAxis) continue;
        const render::Course course =
            render::make_course(scene.log2_side(), render::fine_direction(to - eye));
        const render::FinePoint point = render::hit_point(render::fine_point(eye), course, ray, hit);
        const Int3 found =
            render::smooth_normal(scene.dag.ref(), hit, render::face_normal(ray, hit), course, point);
        ASSERT_FALSE((found == Int3{0, 0, 0}));
        ++count;
        const auto voxels = [](int64_t part) { return static_cast<double>(part) * 0x1p-32; };
        const Vec3d n = {double(found.x), double(found.y), double(found.z)},
                    out = Vec3d{voxels(point.x), voxels(point.y), voxels(point.z)} - middle;
        const double cosine = dot(n, out) / std::sqrt(dot(n, n) * dot(out, out));
        const double angle = std::acos(std::min(cosine, 1.0)) * 180 / 3.14159265358979;
        most = std::max(most, angle);
        sum += angle;
      }
      EXPECT_GT(count, 500);
      EXPECT_LT(sum / count, spread > 0 ? 8 : 6) << inner;
      EXPECT_LT(most, 35) << inner;
    }
}

}  // namespace
}  // namespace vox
