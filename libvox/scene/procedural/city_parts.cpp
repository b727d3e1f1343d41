#include "libvox/scene/procedural/city_parts.h"

#include <algorithm>

#include "libvox/scene/procedural/textures.h"

namespace vox::scene::city {
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
  Surface wall = s.walls[random.below(static_cast<uint32_t>(s.walls.size()))];
  Surface tiles = random.chance(0.7) ? s.tiles : s.slate;
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

}  // namespace vox::scene::city
