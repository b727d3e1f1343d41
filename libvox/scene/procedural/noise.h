// Random numbers, noise and angles that are the same on every machine: integer mixing and IEEE arithmetic
// without contraction. From the mathematics library they use only floor and sqrt, which are exact.
#pragma once

#include <cstdint>

#include "libvox/base/mix.h"
#include "libvox/base/vec.h"

namespace vox::scene {

using Vec2d = Vec2<double>;

// SplitMix with our mixer. Call it once per statement, because the order in which arguments are evaluated is
// not defined.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(mix64(seed)) {}

  uint64_t bits() { return mix64(state_ += 0x9e3779b97f4a7c15ull); }
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }  // in [0, 1)
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  uint32_t below(uint32_t n) { return static_cast<uint32_t>((bits() >> 32) * n >> 32); }
  bool chance(double probability) { return uniform() < probability; }

 private:
  uint64_t state_;
};

// Returns (cos, sin) of 2π·turns, by Taylor polynomials (error below 1e-12).
Vec2d unit_circle(double turns);

// Returns smooth noise in [0, 1] with one random value per unit cube.
double value_noise(uint64_t seed, Vec3d p);
// Returns the sum of octaves of value_noise(), each half as large and twice as fine, in [0, 1].
double fractal_noise(uint64_t seed, Vec3d p, int octaves);

// Return the two kinds of noise over (u, v), with period 1 and cells_u x cells_v random values. Both counts
// must be at least 1.
double tile_noise(uint64_t seed, double u, double v, uint32_t cells_u, uint32_t cells_v);
double fractal_tile_noise(uint64_t seed, double u, double v, uint32_t cells_u, uint32_t cells_v, int octaves);

// Returns the random value in [0, 1) that belongs to a cell.
double cell_value(uint64_t seed, int64_t x, int64_t y, int64_t z = 0);

}  // namespace vox::scene
