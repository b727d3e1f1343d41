#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "libvox/base/loops.h"
#include "libvox/scene/procedural/shapes.h"

namespace vox::scene {
namespace {

using namespace swatch;

constexpr std::array kGrassRamp = {kMoss, kGrass, kMeadow};
constexpr std::array kDirtRamp = {kOak, kEarth, kSand};
constexpr std::array kPlasterRamp = {kOchre, kPlaster, kWhite};
constexpr std::array kWoodRamp = {kOak, kPine, kSand};
constexpr std::array kBrickRamp = {kRust, kTerracotta, kOchre};
constexpr std::array kStoneRamp = {kSlate, kStone, kChalk};
constexpr std::array kSlateRamp = {kGlass, kSlate, kStone};
constexpr std::array kMarbleRamp = {kGlass,      kSlate, kStone, kWhite, kPlaster,
                                    kTerracotta, kRust,  kGrass, kMoss};

// Returns fractal noise spread over most of [0, 1]. (Octaves add up to a narrow bell around 1/2.)
double grain(uint64_t seed, double u, double v, uint32_t cells_u, uint32_t cells_v, int octaves) {
  return 0.5 + 1.7 * (fractal_tile_noise(seed, u, v, cells_u, cells_v, octaves) - 0.5);
}

// A point of a wall that is laid in courses: its block, and its place within the block.
struct Laid {
  int64_t column, row;
  double x, y;  // within the block, in [0, 1)
};

// Every second course is shifted by half a block.
Laid running_bond(double u, double v, uint32_t columns, uint32_t rows) {
  double y = v * rows, row = std::floor(y);
  double x = u * columns + (static_cast<int64_t>(row) % 2 == 0 ? 0.0 : 0.5);
  return {static_cast<int64_t>(std::floor(x)) % columns, static_cast<int64_t>(row), x - std::floor(x),
          y - row};
}

double to_joint(double t) {
  return std::min(t, 1 - t);
}

// Paints blocks of different shades in mortar.
Image masonry(std::string name, uint32_t size, uint64_t seed, uint32_t columns, uint32_t rows, Ramp ramp,
              Rgba8 mortar) {
  return paint(std::move(name), size, [=](double u, double v) {
    double wobble = 0.012 * (tile_noise(seed + 7, u, v, 16, 16) - 0.5);
    Laid at = running_bond(u + wobble + 1, v, columns, rows);
    double joint = std::min(to_joint(at.x) * rows / columns * 2, to_joint(at.y));
    if (joint < 0.07) return mortar;
    double shade = cell_value(seed, at.column, at.row);
    double rough = grain(seed + 1, u, v, 16, 16, 4);
    return blend(ramp, 0.1 + 0.4 * shade + 0.45 * rough - (joint < 0.14 ? 0.15 : 0));
  });
}

// Paints overlapping tiles with rounded lower edges. Each one is darker at its top, where the next course
// casts a shadow.
Image scales(std::string name, uint32_t size, uint64_t seed, Ramp ramp) {
  constexpr uint32_t kColumns = 12, kRows = 10;
  return paint(std::move(name), size, [=](double u, double v) {
    Laid at = running_bond(u, v, kColumns, kRows);
    double edge = 0.78 + 0.22 * std::sqrt(std::max(0.0, 1 - 4 * (at.x - 0.5) * (at.x - 0.5)));
    double shade = cell_value(seed, at.column, at.row);
    double rough = grain(seed + 1, u, v, 24, 24, 3);
    if (at.y > edge) return ramp.front();
    return blend(ramp, 0.4 * at.y + 0.35 * shade + 0.3 * rough - 0.05);
  });
}

// Returns the color of a point of a wall of boards that run along v.
Rgba8 board(uint64_t seed, double u, double v, uint32_t boards) {
  double x = u * boards;
  auto index = static_cast<int64_t>(std::floor(x));
  if (to_joint(x - std::floor(x)) < 0.04) return kOak;
  double shift = cell_value(seed, index, 1);
  double fibre = grain(seed + 2, u, v + shift, boards * 6, 2, 4);
  return blend(kWoodRamp, 0.1 + 0.3 * cell_value(seed, index, 0) + 0.4 * fibre);
}

Rgba8 plaster(uint64_t seed, double u, double v) {
  double stain = grain(seed, u, v, 3, 3, 4), rough = grain(seed + 9, u, v, 48, 48, 2);
  return blend(kPlasterRamp, 0.15 + 0.45 * stain + 0.25 * rough);
}

}  // namespace

Rgba8 blend(Ramp ramp, double t) {
  constexpr int kSteps = 4;
  int last = static_cast<int>(ramp.size() - 1) * kSteps;
  int step = std::clamp(static_cast<int>(std::floor(t * last + 0.5)), 0, last);
  const Rgba8& from = ramp[static_cast<size_t>(step / kSteps)];
  const Rgba8& to = ramp[static_cast<size_t>(std::min(step / kSteps + 1, last / kSteps))];
  auto channel = [&](uint8_t a, uint8_t b) {
    return static_cast<uint8_t>(a + (b - a) * (step % kSteps) / kSteps);
  };
  return {channel(from.r, to.r), channel(from.g, to.g), channel(from.b, to.b), 255};
}

Image paint(std::string name, uint32_t size, const std::function<Rgba8(double, double)>& shade) {
  Image image = {std::move(name), size, size, std::vector<Rgba8>(size_t{size} * size)};
  parallel_for(0u, size, [&](uint32_t y) {
    for (uint32_t x = 0; x < size; ++x)
      image.pixels[size_t{y} * size + x] = shade((x + 0.5) / size, (y + 0.5) / size);
  });
  return image;
}

Image grass_texture(uint32_t size, uint64_t seed) {
  return paint("grass.png", size, [=](double u, double v) {
    double patches = grain(seed, u, v, 4, 4, 3);
    double blades = grain(seed + 5, u, v, 48, 20, 2);
    return blend(kGrassRamp, 0.4 * patches + 0.6 * blades);
  });
}

Image dirt_texture(uint32_t size, uint64_t seed) {
  return paint("dirt.png", size, [=](double u, double v) {
    if (tile_noise(seed + 3, u, v, 40, 40) > 0.87) return kStone;
    return blend(kDirtRamp, 0.2 + 0.7 * grain(seed, u, v, 6, 6, 6));
  });
}

Image plaster_texture(uint32_t size, uint64_t seed) {
  return paint("plaster.png", size, [=](double u, double v) { return plaster(seed, u, v); });
}

Image plank_texture(uint32_t size, uint64_t seed) {
  return paint("planks.png", size, [=](double u, double v) { return board(seed, u, v, 8); });
}

Image bark_texture(uint32_t size, uint64_t seed) {
  return paint("bark.png", size, [=](double u, double v) {
    double ridges = std::abs(2 * grain(seed, u, v, 16, 4, 3) - 1);
    return blend(std::array{kOak, kOak, kEarth}, 2 * ridges);
  });
}

Image brick_texture(uint32_t size, uint64_t seed) {
  return masonry("brick.png", size, seed, 8, 24, kBrickRamp, kChalk);
}

Image stone_wall_texture(uint32_t size, uint64_t seed) {
  return masonry("stone_wall.png", size, seed, 4, 8, kStoneRamp, kSlate);
}

// The stones are the cells nearest to jittered grid points (Worley 1996).
Image cobble_texture(uint32_t size, uint64_t seed) {
  constexpr int64_t kCells = 14;
  return paint("cobble.png", size, [=](double u, double v) {
    double x = u * kCells, y = v * kCells, nearest = 9, second = 9, shade = 0;
    for (int64_t j = -1; j <= 1; ++j)
      for (int64_t i = -1; i <= 1; ++i) {
        int64_t cx = static_cast<int64_t>(x) + i, cy = static_cast<int64_t>(y) + j;
        int64_t wx = (cx + kCells) % kCells, wy = (cy + kCells) % kCells;
        double dx = static_cast<double>(cx) + 0.15 + 0.7 * cell_value(seed, wx, wy, 0) - x;
        double dy = static_cast<double>(cy) + 0.15 + 0.7 * cell_value(seed, wx, wy, 1) - y;
        double distance = std::sqrt(dx * dx + dy * dy);
        if (distance < nearest) shade = cell_value(seed, wx, wy, 2);
        second = std::min(second, std::max(nearest, distance));
        nearest = std::min(nearest, distance);
      }
    if (second - nearest < 0.1) return kEarth;
    double rough = grain(seed + 1, u, v, 32, 32, 3);
    return blend(kStoneRamp, 0.3 + 0.45 * shade - 0.4 * nearest + 0.35 * rough);
  });
}

Image roof_tile_texture(uint32_t size, uint64_t seed) {
  return scales("roof_tiles.png", size, seed, kBrickRamp);
}

Image slate_texture(uint32_t size, uint64_t seed) {
  return scales("slate.png", size, seed, kSlateRamp);
}

Image facade_texture(uint32_t size, uint64_t seed) {
  return paint("facade.png", size, [=](double u, double v) {
    constexpr double kBeam = 0.05;
    double brace = std::abs(std::abs(u - 0.5) - 0.5 * v);  // an A of two diagonal beams
    bool beam = to_joint(u) < kBeam || to_joint(v) < kBeam || (brace < 0.6 * kBeam && v > 0.5);
    return beam ? board(seed + 1, u, v, 4) : plaster(seed, u, v);
  });
}

Image marble_texture(uint32_t size, uint64_t seed) {
  return paint("marble.png", size, [=](double u, double v) {
    double bend = grain(seed, u, v, 4, 4, 4);
    double band = grain(seed + 11, u + 0.3 * bend, v + 0.2 * bend, 5, 5, 4);
    return blend(kMarbleRamp, 1.3 * band - 0.15);
  });
}

Image window_texture(uint32_t size, uint64_t seed) {
  return paint("window.png", size, [=](double u, double v) {
    bool frame = to_joint(u) < 0.07 || to_joint(v) < 0.06;
    bool bars = std::abs(u - 0.5) < 0.03 || std::abs(v - 0.35) < 0.02 || std::abs(v - 0.68) < 0.02;
    if (frame || bars) return kWhite;
    double sky = 0.55 - 0.5 * v + 0.5 * (grain(seed, u, v, 3, 3, 3) - 0.5);
    return blend(std::array{kGlass, kSlate, kChalk}, sky);
  });
}

Image door_texture(uint32_t size, uint64_t seed) {
  return paint("door.png", size, [=](double u, double v) {
    bool hinge = u < 0.7 && (std::abs(v - 0.2) < 0.025 || std::abs(v - 0.8) < 0.025);
    bool handle = std::abs(u - 0.85) < 0.03 && std::abs(v - 0.52) < 0.05;
    if (hinge || handle) return kGlass;
    return to_joint(u) < 0.06 || v < 0.04 ? kOak : board(seed, u, v, 5);
  });
}

Image leaf_texture(uint32_t size, uint64_t seed) {
  struct Leaf {
    Vec2d center, along;
    double length, shade;
  };
  std::vector<Leaf> leaves(220);
  Random random(seed);
  for (Leaf& leaf : leaves) {
    double distance = 0.42 * std::sqrt(random.uniform());
    Vec2d direction = unit_circle(random.uniform());
    leaf.center = {0.5 + distance * direction.x, 0.5 + distance * direction.y};
    leaf.along = unit_circle(random.uniform());
    leaf.length = random.uniform(0.035, 0.065);
    leaf.shade = random.uniform();
  }
  return paint("leaves.png", size, [&](double u, double v) {
    for (const Leaf& leaf : leaves) {
      double dx = u - leaf.center.x, dy = v - leaf.center.y;
      double a = (dx * leaf.along.x + dy * leaf.along.y) / leaf.length;
      double b = 2.2 * (dy * leaf.along.x - dx * leaf.along.y) / leaf.length;
      if (a * a + b * b < 1) return blend(kGrassRamp, std::abs(b) < 0.12 ? 0 : leaf.shade);
    }
    return Rgba8{kGrass.r, kGrass.g, kGrass.b, 0};
  });
}

}  // namespace vox::scene
