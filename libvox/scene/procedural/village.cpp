#include <algorithm>
#include <cmath>
#include <vector>

#include "libvox/scene/procedural/procedural.h"
#include "libvox/scene/procedural/shapes.h"

namespace vox::scene {
namespace {

constexpr double kHalf = 48;  // the land is a square from -kHalf to kHalf
constexpr double kRoadWidth = 3.6;

// Hills and roads, as functions of the place on the ground.
struct Land {
  uint64_t seed;

  double height(double x, double z) const {
    double hills = 9 * (fractal_noise(seed, {x / 32 + 100, 0.5, z / 32 + 100}, 4) - 0.5);
    double rim = (x * x + z * z) / (kHalf * kHalf);  // the village lies in a hollow
    return hills * (0.35 + 0.5 * rim) + 3 * rim * rim;
  }
  // The first road runs along x at the returned z, the second one along z at the returned x.
  double road(uint64_t which, double along) const {
    return 22 * (value_noise(seed + 20 + which, {along / 26 + 50, 0.5, 0.5}) - 0.5);
  }
  Vec3d ground(double x, double z) const { return {x, height(x, z), z}; }
};

struct Surfaces {
  ShapeSurface grass, dirt, stone, planks, bark, leaves, window, door;
  std::vector<ShapeSurface> walls, roofs;
};

Surfaces add_surfaces(SceneBuilder& builder, uint32_t size, uint64_t seed) {
  Surfaces s;
  s.grass = builder.add_surface(grass_texture(size, seed), 6);
  s.dirt = builder.add_surface(dirt_texture(size, seed + 1), 4);
  s.stone = builder.add_surface(stone_wall_texture(size, seed + 2), 2.4);
  s.planks = builder.add_surface(plank_texture(size, seed + 3), 1.6);
  s.bark = builder.add_surface(bark_texture(size, seed + 4), 1);
  s.leaves = builder.add_surface(leaf_texture(size, seed + 5), 1, Wrap::Clamp, 0.5f);
  s.window = builder.add_surface(window_texture(size, seed + 6), 1, Wrap::Clamp);
  s.door = builder.add_surface(door_texture(size, seed + 7), 1, Wrap::Clamp);
  s.walls = {builder.add_surface(facade_texture(size, seed + 8), 2.6),
             builder.add_surface(brick_texture(size, seed + 9), 2), s.stone};
  s.roofs = {builder.add_surface(roof_tile_texture(size, seed + 10), 2.4), s.planks};
  return s;
}

void add_terrain(SceneBuilder& builder, const Land& land, ShapeSurface grass) {
  constexpr uint32_t kCells = 64;
  constexpr double kStep = 2 * kHalf / kCells;
  builder.place({});
  builder.sheet(grass, kCells, kCells,
                [&](uint32_t i, uint32_t j) { return land.ground(i * kStep - kHalf, j * kStep - kHalf); });
}

// Adds a ribbon that lies a hand above the land, with its edges below the land.
void add_road(SceneBuilder& builder, const Land& land, uint64_t which, ShapeSurface dirt) {
  constexpr uint32_t kSteps = 96, kAcross = 4;
  constexpr double kLift = 0.12;
  auto point = [&](uint32_t step, uint32_t across) {
    double along = (2.0 * step / kSteps - 1) * kHalf;
    double offset = land.road(which, along) + (1.0 * across / kAcross - 0.5) * kRoadWidth;
    Vec3d p = which == 0 ? land.ground(along, offset) : land.ground(offset, along);
    return p + Vec3d{0, across == 0 || across == kAcross ? -kLift : kLift, 0};
  };
  builder.place({});
  if (which == 0) builder.sheet(dirt, kSteps, kAcross, point);
  if (which == 1)
    builder.sheet(dirt, kAcross, kSteps, [&](uint32_t across, uint32_t step) { return point(step, across); });
}

struct House {
  Placement at;
  double width, depth, height;
};

void add_house(SceneBuilder& builder, const House& house, Random& random, const Surfaces& s) {
  ShapeSurface wall = s.walls[random.below(static_cast<uint32_t>(s.walls.size()))];
  ShapeSurface tiles = s.roofs[random.chance(0.75) ? 0 : 1];
  Vec3d lo = {-house.width / 2, 0.35, -house.depth / 2},
        hi = {house.width / 2, house.height, house.depth / 2};
  builder.place(house.at);
  builder.box(s.stone, {lo.x - 0.12, -1.6, lo.z - 0.12}, {hi.x + 0.12, 0.35, hi.z + 0.12});
  builder.walls(wall, lo, hi);
  double rise = random.uniform(0.42, 0.6) * house.depth;
  add_gable_roof(builder, house.at, lo, hi, {.rise = rise, .overhang = 0.45, .thickness = 0.14}, tiles, wall);

  builder.place(house.at);
  double chimney = random.uniform(-0.35, 0.35) * house.width;
  builder.box(s.walls[1], {chimney - 0.3, hi.y, -0.8}, {chimney + 0.3, hi.y + rise + 0.7, -0.2});
  builder.box(s.stone, {-0.8, -1, hi.z}, {0.8, 0.35, hi.z + 0.7});  // doorstep
  builder.picture(s.door, {-0.5, 0.35, hi.z + 0.03}, {0.5, 0.35, hi.z + 0.03}, {0.5, 2.35, hi.z + 0.03},
                  {-0.5, 2.35, hi.z + 0.03});
  builder.box(s.planks, {-0.65, 2.35, hi.z}, {0.65, 2.5, hi.z + 0.1});
  for (int side = 0; side < 4; ++side) {
    Placement face = wall_of(house.at, lo, hi, side);
    bool gable = side % 2 == 1;
    for (double y = 0.75; y + 1.5 < house.height; y += 2.5) {
      double x = gable ? 0 : 0.3 * house.width;
      Window window = {.width = 0.9, .height = 1.1, .shutters = side == 0};
      add_window(builder, face.moved({-x, y, 0}), window, s.window, s.planks);
      if (!gable) add_window(builder, face.moved({x, y, 0}), window, s.window, s.planks);
    }
  }
}

// Returns houses along the roads, with their fronts towards the nearer road.
std::vector<House> find_sites(const Land& land, Random& random) {
  constexpr size_t kHouses = 32;
  constexpr double kReach = kHalf - 7, kApart = 11.5;
  std::vector<House> houses;
  for (int attempt = 0; attempt < 4000 && houses.size() < kHouses; ++attempt) {
    double x = random.uniform(-kReach, kReach), z = random.uniform(-kReach, kReach);
    double to_first = land.road(0, x) - z, to_second = land.road(1, z) - x;
    double nearest = std::min(std::abs(to_first), std::abs(to_second));
    if (nearest < 7 || nearest > 15) continue;
    bool free = std::all_of(houses.begin(), houses.end(), [&](const House& other) {
      double dx = other.at.origin.x - x, dz = other.at.origin.z - z;
      return dx * dx + dz * dz > kApart * kApart;
    });
    if (!free) continue;
    bool faces_first = std::abs(to_first) < std::abs(to_second);
    Vec2d heading = faces_first ? Vec2d{to_first > 0 ? 1.0 : -1.0, 0} : Vec2d{0, to_second > 0 ? -1.0 : 1.0};
    House house = {
        .at = Placement{land.ground(x, z), heading}.turned(unit_circle(random.uniform(-0.03, 0.03))),
        .width = random.uniform(6, 8.5),
        .depth = random.uniform(4.8, 6.2),
        .height = random.chance(0.35) ? 5.2 : random.uniform(2.7, 3.1)};
    houses.push_back(house);
  }
  return houses;
}

// Adds posts and two rails from `from` to `to`, on the ground and in the coordinates of `at`.
void add_fence(SceneBuilder& builder, const Land& land, const Placement& at, Vec2d from, Vec2d to,
               ShapeSurface wood) {
  double dx = to.x - from.x, dz = to.y - from.y, length = std::sqrt(dx * dx + dz * dz);
  int count = std::max(1, static_cast<int>(length / 1.9));
  auto post = [&](int i) {
    Vec3d p = at({from.x + dx * i / count, 0, from.y + dz * i / count});
    return land.ground(p.x, p.z);
  };
  for (int i = 0; i <= count; ++i) {
    builder.place({post(i), at.heading});
    builder.box(wood, {-0.07, -0.4, -0.07}, {0.07, 1.15, 0.07});
    if (i == count) break;
    builder.place({});
    for (double y : {0.45, 0.9}) {
      Vec3d a = post(i) + Vec3d{0, y, 0}, b = post(i + 1) + Vec3d{0, y, 0}, up = {0, 0.14, 0};
      builder.quad(wood, a, b, b + up, a + up);
      builder.quad(wood, b, a, a + up, b + up);
    }
  }
}

void add_garden(SceneBuilder& builder, const Land& land, const House& house, ShapeSurface wood) {
  double x = house.width / 2 + 1.2, z = -house.depth / 2, back = z - 4.5;
  add_fence(builder, land, house.at, {-x, z}, {-x, back}, wood);
  add_fence(builder, land, house.at, {-x, back}, {x, back}, wood);
  add_fence(builder, land, house.at, {x, back}, {x, z}, wood);
}

void add_well(SceneBuilder& builder, const Placement& at, const Surfaces& s) {
  constexpr int kSides = 16;
  builder.place(at);
  builder.cone(s.stone, 1.1, 1.1, -0.8, 0.9, kSides);
  builder.cone(s.stone, 1.1, 0.8, 0.9, 0.92, kSides);
  builder.cone(s.stone, 0.8, 0.8, 0.92, -0.8, kSides);  // its inside, which faces inwards
  for (double x : {-1.25, 1.1}) builder.box(s.planks, {x, -0.6, -0.08}, {x + 0.15, 2.3, 0.08});
  add_gable_roof(builder, at, {-1.3, 2.2, -0.9}, {1.3, 2.3, 0.9},
                 {.rise = 0.8, .overhang = 0.2, .thickness = 0.1}, s.planks, s.planks);
  builder.place(at);
  builder.block(s.planks, {-1.25, 1.7, -0.06}, {1.25, 1.82, 0.06});
}

void add_trees(SceneBuilder& builder, const Land& land, const std::vector<House>& houses, Random& random,
               const Surfaces& s) {
  constexpr int kTrees = 56;
  for (int planted = 0, attempt = 0; planted < kTrees && attempt < 4000; ++attempt) {
    double x = random.uniform(-kHalf + 2, kHalf - 2), z = random.uniform(-kHalf + 2, kHalf - 2);
    double to_road = std::min(std::abs(land.road(0, x) - z), std::abs(land.road(1, z) - x));
    bool free = to_road > 3.5 && std::all_of(houses.begin(), houses.end(), [&](const House& house) {
                  double dx = house.at.origin.x - x, dz = house.at.origin.z - z;
                  return dx * dx + dz * dz > 49;
                });
    if (!free) continue;
    add_tree(builder, {land.ground(x, z), {1, 0}}, random.uniform(4.5, 8), random, s.bark, s.leaves);
    ++planted;
  }
}

}  // namespace

Scene make_village(const VillageOptions& options) {
  Land land = {mix64(options.seed + 1)};
  Random random(land.seed);
  SceneBuilder builder;
  Surfaces s = add_surfaces(builder, options.texture_size, land.seed);
  add_terrain(builder, land, s.grass);
  add_road(builder, land, 0, s.dirt);
  add_road(builder, land, 1, s.dirt);
  std::vector<House> houses = find_sites(land, random);
  for (const House& house : houses) {
    add_house(builder, house, random, s);
    if (random.chance(0.4)) add_garden(builder, land, house, s.planks);
  }
  add_well(builder, {land.ground(land.road(1, 0) + 4.5, land.road(0, 0) + 4.5), {1, 0}}, s);
  add_trees(builder, land, houses, random, s);
  return builder.take();
}

}  // namespace vox::scene
