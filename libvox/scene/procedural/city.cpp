#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "libvox/scene/procedural/city_parts.h"
#include "libvox/scene/procedural/procedural.h"

namespace vox::scene::city {
namespace {

constexpr double kCell = 60;                   // the side of a block with its streets
constexpr double kTerrace = 1.6;               // the height of a step between terraces
constexpr uint64_t kTrianglesPerBlock = 7500;  // a rough figure, to reserve memory

// The plan of the city: cells (i, j), 0 ≤ i < nx, 0 ≤ j < nz, each flat on its terrace. The city is centred
// on the origin.
struct Plan {
  uint64_t seed;
  int nx, nz;

  double width() const { return nx * kCell; }
  double depth() const { return nz * kCell; }
  double terrace(int i, int j) const {
    double along = 2 * (i + 0.5) / nx - 1;
    double hill = 5 * (1 - along * along) + 4 * value_noise(seed, {i / 3.0, j / 3.0, 0.5});
    return kTerrace * std::floor(hill);
  }
  Placement centre(int i, int j) const {
    return {{(i + 0.5) * kCell - width() / 2, terrace(i, j), (j + 0.5) * kCell - depth() / 2}};
  }
};

// Adds the wall between two terraces, with parapets and a flight of stairs. `edge` stands on the upper
// terrace, in the middle of the cells' common edge, and faces the lower one.
void add_step(SceneBuilder& builder, const Placement& edge, double drop, const Surfaces& s) {
  builder.place(edge);
  double x = kCell / 2;
  builder.quad(s.stone, {-x, -drop, 0}, {x, -drop, 0}, {x, 0, 0}, {-x, 0, 0});
  builder.box(s.stone, {-x, -0.1, -0.4}, {-6, 0.9, 0.1});
  builder.box(s.stone, {6, -0.1, -0.4}, {x, 0.9, 0.1});
  constexpr double kRise = 0.16, kRun = 0.24;
  auto steps = static_cast<int>(drop / kRise + 0.5);
  add_stairs(builder, edge.moved({0, -drop, kRun * steps}), 10, drop, kRun, steps, s.stone);
}

void add_ground(SceneBuilder& builder, const Plan& plan, int i, int j, const Surfaces& s) {
  constexpr double kHalf = kCell / 2;
  Placement at = plan.centre(i, j);
  builder.place(at);
  builder.quad(s.cobble, {-kHalf, 0, kHalf}, {kHalf, 0, kHalf}, {kHalf, 0, -kHalf}, {-kHalf, 0, -kHalf});
  auto step_to = [&](int di, int dj) {
    if (i + di >= plan.nx || j + dj >= plan.nz) return;
    double drop = plan.terrace(i, j) - plan.terrace(i + di, j + dj);
    Placement edge = at.moved({di * kHalf, 0, dj * kHalf}).turned({dj * 1.0, di * -1.0});
    if (drop > 0) add_step(builder, edge, drop, s);
    if (drop < 0) add_step(builder, edge.moved({0, -drop, 0}).turned({-1, 0}), -drop, s);
  };
  step_to(1, 0);
  step_to(0, 1);
}

void add_block(SceneBuilder& builder, const Plan& plan, int i, int j, const Surfaces& s) {
  Random random(plan.seed + mix64(static_cast<uint64_t>(i) << 32 | static_cast<uint64_t>(j)));
  Placement at = plan.centre(i, j);
  double kind = random.uniform();
  if (kind < 0.07) {
    add_plaza(builder, at, random, s);
  } else if (kind < 0.13) {
    add_cathedral(builder, at, random, s);
  } else {
    add_houses(builder, at, random, s);
    double radius = random.uniform(3, 5.5), height = random.uniform(28, 80);
    if (kind > 0.9) add_tower(builder, at, {.radius = radius, .height = height, .roofed = kind > 0.94}, s);
  }
}

// Adds one cell's length of the city wall. `at` stands in the middle of the cell's outer edge and faces
// outwards.
void add_wall(SceneBuilder& builder, const Placement& at, const Surfaces& s) {
  constexpr double kHalf = kCell / 2, kHeight = 8, kThick = 3;
  double foot = -at.origin.y - 3;
  builder.place(at);
  builder.box(s.stone, {-kHalf, foot, 0}, {kHalf, kHeight, kThick});
  builder.box(s.stone, {-kHalf, foot, kThick}, {kHalf, foot + 2, kThick + 1});
  add_battlement(builder, at.moved({-kHalf, kHeight, kThick}), kCell, s.stone);
  for (double x = -24; x <= 24; x += 8)
    add_window(builder, at.moved({x, 4, kThick}), {.width = 0.3, .height = 1.6, .shutters = false}, s.window,
               s.stone);
  add_tower(builder, at.moved({kHalf, 0, kThick / 2}),
            {.radius = 4.2, .height = 13, .roofed = at.heading.x < 0}, s);
  builder.place(Placement{{at.origin.x, -3, at.origin.z}, at.heading});
  builder.quad(s.grass, {-kHalf, 0, 20}, {kHalf, 0, 20}, {kHalf, 0, 0}, {-kHalf, 0, 0});
}

void add_walls(SceneBuilder& builder, const Plan& plan, const Surfaces& s) {
  constexpr double kHalf = kCell / 2;
  for (int i = 0; i < plan.nx; ++i) {
    add_wall(builder, plan.centre(i, plan.nz - 1).moved({0, 0, kHalf}), s);
    add_wall(builder, plan.centre(i, 0).moved({0, 0, -kHalf}).turned({-1, 0}), s);
  }
  for (int j = 0; j < plan.nz; ++j) {
    add_wall(builder, plan.centre(plan.nx - 1, j).moved({kHalf, 0, 0}).turned({0, -1}), s);
    add_wall(builder, plan.centre(0, j).moved({-kHalf, 0, 0}).turned({0, 1}), s);
  }
}

}  // namespace
}  // namespace vox::scene::city

namespace vox::scene {

Scene make_city(const CityOptions& options) {
  auto blocks = static_cast<int>(std::clamp(options.blocks, 1u, kMaxCityBlocks));
  city::Plan plan = {mix64(options.seed + 3), blocks, std::max(1, blocks / 4)};
  SceneBuilder builder;
  city::Surfaces s = city::add_surfaces(builder, options.texture_size, plan.seed);
  builder.reserve(city::kTrianglesPerBlock * static_cast<uint64_t>(plan.nx) *
                  static_cast<uint64_t>(plan.nz + 1));
  for (int i = 0; i < plan.nx; ++i)
    for (int j = 0; j < plan.nz; ++j) {
      add_ground(builder, plan, i, j, s);
      add_block(builder, plan, i, j, s);
    }
  add_walls(builder, plan, s);
  return builder.take();
}

}  // namespace vox::scene
