// The parts of one block of the city, and the towers of its wall.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "libvox/scene/procedural/procedural.h"
#include "libvox/scene/procedural/shapes.h"

namespace vox::scene::city {

inline constexpr double kInner = 40;  // the side of a block without its streets
inline constexpr double kStorey = 3.2;

struct Surfaces {
  ShapeSurface cobble, grass, stone, brick, planks, bark, leaves, window, door, slate, tiles;
  std::vector<ShapeSurface> walls;  // the walls of houses
};
Surfaces add_surfaces(SceneBuilder& builder, uint32_t texture_size, uint64_t seed);

// Adds houses around a courtyard. `at` is the block's center on the ground.
void add_houses(SceneBuilder& builder, const Placement& at, Random& random, const Surfaces& s);
void add_plaza(SceneBuilder& builder, const Placement& at, Random& random, const Surfaces& s);
void add_cathedral(SceneBuilder& builder, const Placement& at, Random& random, const Surfaces& s);

// A round tower with windows, battlements and, if `roofed`, a pointed turret.
struct Tower {
  double radius, height;
  bool roofed;
};
void add_tower(SceneBuilder& builder, const Placement& at, Tower tower, const Surfaces& s);

namespace {

struct House {
  Vec3d lo, hi;
  int storeys;
};

// Adds windows in rows to the street (side 0) and to the courtyard (side 2), and a door in the middle of the
// street side.
void add_openings(SceneBuilder& builder, const Placement& at, const House& house, Random& random,
                  const Surfaces& s) {
  constexpr double kPitch = 2.7;
  double width = house.hi.x - house.lo.x;
  int columns = std::max(1, static_cast<int>((width - 1) / kPitch));
  bool shutters = random.chance(0.3);
  for (int side : {0, 2}) {
    Placement wall = wall_of(at, house.lo, house.hi, side);
    for (int storey = 0; storey < house.storeys; ++storey)
      for (int column = 0; column < columns; ++column) {
        bool door = side == 0 && storey == 0 && column == columns / 2;
        double x = (column + 0.5 - columns / 2.0) * kPitch;
        Window window = {.width = 1, .height = 1.5, .shutters = shutters && side == 0};
        if (!door) add_window(builder, wall.moved({x, storey * kStorey + 1, 0}), window, s.window, s.planks);
        if (!door) continue;
        add_stairs(builder, wall.moved({x, -0.15, 0.9}), 1.6, 0.3, 0.3, 3, s.stone);
        builder.place(wall);
        builder.picture(s.door, {x - 0.6, 0.15, 0.03}, {x + 0.6, 0.15, 0.03}, {x + 0.6, 2.4, 0.03},
                        {x - 0.6, 2.4, 0.03});
        builder.box(s.stone, {x - 0.8, 2.4, 0}, {x + 0.8, 2.65, 0.25});
      }
  }
}

// Adds corner posts, and a beam under every upper storey.
void add_timber(SceneBuilder& builder, const House& house, const Surfaces& s) {
  constexpr double kBeam = 0.12, kOut = 0.06;
  for (double x : {house.lo.x, house.hi.x - 2 * kBeam})
    for (double z : {house.lo.z - kOut, house.hi.z - kBeam})
      builder.box(s.planks, {x, 0, z}, {x + 2 * kBeam, house.hi.y, z + kBeam + kOut});
  for (int storey = 1; storey < house.storeys; ++storey)
    for (double z : {house.lo.z - kOut, house.hi.z - kBeam})
      builder.block(s.planks, {house.lo.x, storey * kStorey, z},
                    {house.hi.x, storey * kStorey + 2 * kBeam, z + kBeam + kOut});
}

void add_house(SceneBuilder& builder, const Placement& at, const House& house, Random& random,
               const Surfaces& s) {
  ShapeSurface wall = s.walls[random.below(static_cast<uint32_t>(s.walls.size()))];
  ShapeSurface tiles = random.chance(0.7) ? s.tiles : s.slate;
  double depth = house.hi.z - house.lo.z, rise = random.uniform(0.35, 0.55) * depth;
  builder.place(at);
  builder.walls(wall, house.lo, house.hi);
  builder.box(s.stone, {house.lo.x - 0.1, -0.5, house.lo.z - 0.1}, {house.hi.x + 0.1, 0.5, house.hi.z + 0.1});
  if (random.chance(0.5)) add_timber(builder, house, s);
  double x = random.uniform(house.lo.x + 1, house.hi.x - 2);
  builder.box(s.brick, {x, house.hi.y, house.lo.z + 1.5}, {x + 0.8, house.hi.y + rise + 1, house.lo.z + 2.2});
  add_gable_roof(builder, at, house.lo, house.hi, {.rise = rise, .overhang = 0.5, .thickness = 0.2}, tiles,
                 wall);
  add_openings(builder, at, house, random, s);
}

// Adds houses side by side along local x, with their fronts on the line z = kInner / 2. The row leaves the
// block's last corner to the next row.
void add_row(SceneBuilder& builder, const Placement& at, Random& random, const Surfaces& s) {
  constexpr double kDepth = 9.5;
  double end = kInner / 2 - kDepth;
  for (double x = -kInner / 2; x + 5 < end;) {
    double width = random.uniform(6.5, 11.5);
    if (x + width + 5 > end) width = end - x;
    int storeys = 2 + static_cast<int>(random.below(3));
    double back = kInner / 2 - kDepth + random.uniform(0, 1.5), front = kInner / 2 - random.uniform(0, 0.6);
    House house = {{x, 0, back}, {x + width, storeys * kStorey, front}, storeys};
    if (!random.chance(0.06)) add_house(builder, at, house, random, s);
    x += width;
  }
}

void add_stall(SceneBuilder& builder, const Placement& at, const Surfaces& s) {
  builder.place(at);
  for (double x : {-1.4, 1.3})
    for (double z : {-0.9, 0.8}) builder.box(s.planks, {x, 0, z}, {x + 0.1, z > 0 ? 2.1 : 2.6, z + 0.1});
  builder.block(s.planks, {-1.4, 0.8, -0.9}, {1.4, 0.9, 0.9});
  builder.quad(s.tiles, {-1.6, 2.05, 1.1}, {1.6, 2.05, 1.1}, {1.6, 2.65, -1.1}, {-1.6, 2.65, -1.1});
}

void add_fountain(SceneBuilder& builder, const Placement& at, const Surfaces& s) {
  constexpr int kSides = 24;
  builder.place(at);
  builder.cone(s.stone, 5, 5, 0, 0.9, kSides);
  builder.cone(s.stone, 5, 4.4, 0.9, 0.95, kSides);
  builder.cone(s.stone, 4.4, 4.4, 0.95, 0.2, kSides);
  builder.disc(s.slate, 4.4, 0.4, kSides);
  builder.cone(s.stone, 0.7, 0.4, 0, 2.4, kSides);
  builder.cone(s.stone, 0.4, 1.9, 2.4, 2.9, kSides);
  builder.disc(s.slate, 1.9, 2.9, kSides);
  builder.cone(s.stone, 0.3, 0, 2.9, 4.6, kSides);
}

}  // namespace

Surfaces add_surfaces(SceneBuilder& builder, uint32_t size, uint64_t seed) {
  Surfaces s;
  s.cobble = builder.add_surface(cobble_texture(size, seed), 3);
  s.grass = builder.add_surface(grass_texture(size, seed + 1), 6);
  s.stone = builder.add_surface(stone_wall_texture(size, seed + 2), 3);
  s.brick = builder.add_surface(brick_texture(size, seed + 3), 2);
  s.planks = builder.add_surface(plank_texture(size, seed + 4), 1.6);
  s.bark = builder.add_surface(bark_texture(size, seed + 5), 1);
  s.leaves = builder.add_surface(leaf_texture(size, seed + 6), 1, Wrap::Clamp, 0.5f);
  s.window = builder.add_surface(window_texture(size, seed + 7), 1, Wrap::Clamp);
  s.door = builder.add_surface(door_texture(size, seed + 8), 1, Wrap::Clamp);
  s.slate = builder.add_surface(slate_texture(size, seed + 9), 3);
  s.tiles = builder.add_surface(roof_tile_texture(size, seed + 10), 2.4);
  s.walls = {builder.add_surface(plaster_texture(size, seed + 11), 4),
             builder.add_surface(facade_texture(size, seed + 12), kStorey), s.brick, s.stone};
  return s;
}

void add_houses(SceneBuilder& builder, const Placement& at, Random& random, const Surfaces& s) {
  constexpr Vec2d kQuarters[] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
  Placement block = at.turned(unit_circle(random.uniform(-0.011, 0.011)));
  for (Vec2d quarter : kQuarters) add_row(builder, block.turned(quarter), random, s);
  builder.place(block);
  builder.quad(s.grass, {-8, 0.06, 8}, {8, 0.06, 8}, {8, 0.06, -8}, {-8, 0.06, -8});
  for (int tree = 0; tree < 4; ++tree) {
    double x = random.uniform(-7, 7), z = random.uniform(-7, 7);
    add_tree(builder, block.moved({x, 0, z}), random.uniform(5, 11), random, s.bark, s.leaves);
  }
}

void add_plaza(SceneBuilder& builder, const Placement& at, Random& random, const Surfaces& s) {
  add_fountain(builder, at, s);
  for (int i = 0; i < 16; ++i) {
    Vec2d direction = unit_circle((i + 0.5) / 16);
    add_tree(builder, at.moved({18 * direction.x, 0, 18 * direction.y}), random.uniform(6, 9), random, s.bark,
             s.leaves);
  }
  for (int i = 0; i < 24; ++i) {
    Vec2d turn = unit_circle(i / 24.0);
    double distance = random.uniform(8, 13);
    add_stall(builder, at.turned(turn).moved({0, 0, distance}), s);
  }
}

void add_tower(SceneBuilder& builder, const Placement& at, Tower tower, const Surfaces& s) {
  constexpr int kSides = 20;
  double r = tower.radius, h = tower.height, rim = 1.22 * r;
  builder.place(at);
  builder.cone(s.stone, 1.15 * r, r, -3, 0.12 * h, kSides);
  builder.cone(s.stone, r, 0.94 * r, 0.12 * h, h, kSides);
  builder.cone(s.stone, 0.94 * r, rim, h, h + 1.2, kSides);
  builder.cone(s.stone, rim, rim, h + 1.2, h + 2, kSides);
  builder.disc(s.planks, rim, h + 1.9, kSides);
  if (tower.roofed) {
    builder.cone(s.brick, 0.75 * r, 0.75 * r, h + 1.9, h + 1.9 + r, kSides);
    builder.cone(s.slate, r, 0, h + 1.9 + r, h + 1.9 + 4 * r, kSides);
  }
  auto merlons = static_cast<int>(6.28 * rim / 1.8);
  for (int i = 0; i < merlons; ++i)
    add_battlement(builder,
                   at.turned(unit_circle(static_cast<double>(i) / merlons)).moved({-0.75, h + 2, rim}), 1.5,
                   s.stone);
  int spiral = 0;
  for (double y = 4; y + 3 < h; y += 2.4, ++spiral) {
    Placement face = at.turned(unit_circle((spiral % 8 * 2.5 + 0.25) / kSides));
    double outside = y < 0.12 * h ? 1.15 * r : 0.99 * r;
    add_window(builder, face.moved({0, y, outside}), {.width = 0.7, .height = 1.7, .shutters = false},
               s.window, s.stone);
  }
}

void add_cathedral(SceneBuilder& builder, const Placement& at, Random& random, const Surfaces& s) {
  double height = random.uniform(16, 24);
  Vec3d lo = {-18, 0, -6.5}, hi = {14, height, 6.5};
  builder.place(at);
  builder.box(s.stone, lo, hi);
  builder.box(s.stone, {-8, 0, -13}, {-1, 0.8 * height, 13});
  add_gable_roof(builder, at, lo, hi, {.rise = 8, .overhang = 0.6, .thickness = 0.3}, s.slate, s.stone);
  Placement across = at.moved({-4.5, 0, 0}).turned({0, 1});
  add_gable_roof(builder, across, {-13, 0, -3.5}, {13, 0.8 * height, 3.5},
                 {.rise = 5, .overhang = 0.5, .thickness = 0.3}, s.slate, s.stone);
  for (int side : {0, 2}) {
    Placement wall = wall_of(at, lo, hi, side);
    for (double x = -14; x <= 14; x += 4) {
      add_window(builder, wall.moved({x, 4, 0}), {.width = 1.6, .height = height - 7, .shutters = false},
                 s.window, s.stone);
      builder.place(wall);
      builder.box(s.stone, {x + 1.6, 0, 0}, {x + 2.4, height - 3, 1.6});
    }
  }
  for (double z : {-7.0, 7.0})
    add_tower(builder, at.moved({16, 0, z}), {.radius = 3.6, .height = 1.9 * height, .roofed = true}, s);
  add_stairs(builder, at.moved({22, 0, 0}).turned({0, -1}), 10, 0.9, 0.35, 6, s.stone);
}

namespace {

constexpr double kCell = 60;                   // the side of a block with its streets
constexpr double kTerrace = 1.6;               // the height of a step between terraces
constexpr uint64_t kTrianglesPerBlock = 7500;  // a rough figure, to reserve memory

// The plan of the city: cells (i, j), 0 ≤ i < nx, 0 ≤ j < nz, each flat on its terrace. The city is centered
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
  Placement center(int i, int j) const {
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
  Placement at = plan.center(i, j);
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
  Placement at = plan.center(i, j);
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
    add_wall(builder, plan.center(i, plan.nz - 1).moved({0, 0, kHalf}), s);
    add_wall(builder, plan.center(i, 0).moved({0, 0, -kHalf}).turned({-1, 0}), s);
  }
  for (int j = 0; j < plan.nz; ++j) {
    add_wall(builder, plan.center(plan.nx - 1, j).moved({kHalf, 0, 0}).turned({0, -1}), s);
    add_wall(builder, plan.center(0, j).moved({-kHalf, 0, 0}).turned({0, 1}), s);
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
