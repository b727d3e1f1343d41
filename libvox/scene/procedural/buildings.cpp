#include "libvox/scene/procedural/buildings.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace vox::scene {
namespace {

// Adds a board whose upper corners are `top`, and whose lower corners are `down` below them: top, underside
// and the four edges.
void add_slab(SceneBuilder& builder, std::array<Vec3d, 4> top, Vec3d down, Surface above, Surface below) {
  std::array<Vec3d, 4> low;
  for (size_t i = 0; i < 4; ++i) low[i] = top[i] - down;
  builder.quad(above, top[0], top[1], top[2], top[3]);
  builder.quad(below, low[1], low[0], low[3], low[2]);
  for (size_t i = 0; i < 4; ++i) {
    size_t j = (i + 1) % 4;
    builder.quad(below, low[i], low[j], top[j], top[i]);
  }
}

}  // namespace

void add_gable_roof(SceneBuilder& builder, const Placement& at, Vec3d lo, Vec3d hi, Roof roof, Surface tiles,
                    Surface wall) {
  double ridge = (lo.z + hi.z) / 2, top = hi.y + roof.rise;
  double slope = roof.rise / (hi.z - ridge), eaves = hi.y - roof.overhang * slope;
  double left = lo.x - roof.overhang, right = hi.x + roof.overhang;
  Vec3d lift = {0, roof.thickness, 0};
  builder.place(at);
  builder.polygon(wall,
                  std::array<Vec3d, 3>{Vec3d{hi.x, hi.y, hi.z}, {hi.x, hi.y, lo.z}, {hi.x, top, ridge}});
  builder.polygon(wall,
                  std::array<Vec3d, 3>{Vec3d{lo.x, hi.y, lo.z}, {lo.x, hi.y, hi.z}, {lo.x, top, ridge}});
  double front = hi.z + roof.overhang, back = lo.z - roof.overhang;
  add_slab(builder,
           {Vec3d{left, eaves, front} + lift, Vec3d{right, eaves, front} + lift,
            Vec3d{right, top, ridge} + lift, Vec3d{left, top, ridge} + lift},
           lift, tiles, tiles);
  add_slab(builder,
           {Vec3d{right, eaves, back} + lift, Vec3d{left, eaves, back} + lift, Vec3d{left, top, ridge} + lift,
            Vec3d{right, top, ridge} + lift},
           lift, tiles, tiles);
}

void add_window(SceneBuilder& builder, const Placement& at, Window window, Surface glass, Surface frame) {
  constexpr double kBar = 0.07, kDepth = 0.06;
  double x = window.width / 2, y = window.height;
  builder.place(at);
  builder.picture(glass, {-x, 0, 0.02}, {x, 0, 0.02}, {x, y, 0.02}, {-x, y, 0.02});
  builder.box(frame, {-x - kBar, y, 0}, {x + kBar, y + 0.1, kDepth});      // lintel
  builder.block(frame, {-x - 0.15, -0.08, 0}, {x + 0.15, 0, 3 * kDepth});  // sill
  if (!window.shutters) return;
  for (double side : {-1.0, 1.0}) {
    double inner = side * (x + 0.02), outer = side * (2 * x);
    builder.box(frame, {std::min(inner, outer), 0, 0}, {std::max(inner, outer), y, 0.5 * kDepth});
  }
}

void add_battlement(SceneBuilder& builder, const Placement& at, double length, Surface stone) {
  constexpr double kPitch = 1.5, kMerlon = 0.9;
  builder.place(at);
  auto count = static_cast<int>(length / kPitch);
  for (int i = 0; i < count; ++i) {
    double x = (i + 0.5) * length / count;
    builder.box(stone, {x - kMerlon / 2, 0, -0.5}, {x + kMerlon / 2, 1.1, 0});
  }
}

void add_tree(SceneBuilder& builder, const Placement& at, double height, Random& random, Surface bark,
              Surface leaves) {
  constexpr int kCards = 9;
  builder.place(at);
  builder.cone(bark, 0.045 * height, 0.02 * height, -0.5, 0.6 * height, 6);
  double size = 0.36 * height;
  for (int i = 0; i < kCards; ++i) {
    double turn = i * 0.381966 + random.uniform(0, 0.1);  // the golden angle spreads the cards evenly
    double y = (0.4 + 0.5 * i / kCards) * height, reach = (i + 1 < kCards ? 0.14 : 0) * height;
    Vec2d out = unit_circle(turn), tilt = unit_circle(random.uniform(-0.07, 0.07));
    Placement card = at.moved({out.x * reach, y, out.y * reach}).turned(out);
    builder.place(card);
    for (bool crosswise : {false, true}) {
      Vec3d right = crosswise ? Vec3d{0, 0, size / 2} : Vec3d{size / 2 * tilt.x, size / 2 * tilt.y, 0};
      Vec3d up = Vec3d{-tilt.y, tilt.x, 0} * size;
      Vec3d foot = up * -0.35;
      builder.picture(leaves, foot - right, foot + right, foot + right + up, foot - right + up);
    }
  }
}

void add_stairs(SceneBuilder& builder, const Placement& at, double width, double rise, double run, int count,
                Surface stone) {
  builder.place(at);
  for (int i = 0; i < count; ++i)
    builder.box(stone, {-width / 2, 0, -run * (i + 1)}, {width / 2, rise * (i + 1) / count, -run * i});
}

}  // namespace vox::scene
