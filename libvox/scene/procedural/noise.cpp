#include "libvox/scene/procedural/noise.h"

#include <array>
#include <cmath>

namespace vox::scene {
namespace {

double smooth(double t) {
  return t * t * (3 - 2 * t);
}

double mix(double a, double b, double t) {
  return a + (b - a) * t;
}

// Returns sin or cos on [-π/4, π/4] as a series of its first term and the factors between terms, which are
// -x²/(n(n+1)) with n = first, first + 2, …
double series(double term, double square, int first) {
  double sum = term;
  for (int n = first; n < first + 14; n += 2) {
    term *= -square / (n * (n + 1));
    sum += term;
  }
  return sum;
}

}  // namespace

Vec2d unit_circle(double turns) {
  constexpr double kTwoPi = 6.283185307179586;
  double quarters = std::floor(turns * 4 + 0.5);
  double angle = (turns - quarters / 4) * kTwoPi;
  double c = series(1, angle * angle, 1), s = series(angle, angle * angle, 2);
  switch (static_cast<int64_t>(quarters) & 3) {
    case 0:
      return {c, s};
    case 1:
      return {-s, c};
    case 2:
      return {-c, -s};
    default:
      return {s, -c};
  }
}

double cell_value(uint64_t seed, int64_t x, int64_t y, int64_t z) {
  uint64_t h = mix64(seed + 0x9e3779b97f4a7c15ull);
  for (int64_t coordinate : {x, y, z})
    h = mix64(h ^ static_cast<uint64_t>(coordinate)) + 0x632be59bd9b4e019ull;
  return static_cast<double>(mix64(h) >> 11) * 0x1p-53;
}

double value_noise(uint64_t seed, Vec3d p) {
  Vec3d floor = {std::floor(p.x), std::floor(p.y), std::floor(p.z)};
  Vec3d t = p - floor;
  auto x = static_cast<int64_t>(floor.x), y = static_cast<int64_t>(floor.y),
       z = static_cast<int64_t>(floor.z);
  auto along_x = [&](int64_t dy, int64_t dz) {
    return mix(cell_value(seed, x, y + dy, z + dz), cell_value(seed, x + 1, y + dy, z + dz), smooth(t.x));
  };
  double near = mix(along_x(0, 0), along_x(1, 0), smooth(t.y));
  double far = mix(along_x(0, 1), along_x(1, 1), smooth(t.y));
  return mix(near, far, smooth(t.z));
}

double fractal_noise(uint64_t seed, Vec3d p, int octaves) {
  double sum = 0, total = 0, weight = 1;
  for (int octave = 0; octave < octaves; ++octave, weight /= 2, p = p * 2.0) {
    sum += weight * value_noise(seed + static_cast<uint64_t>(octave), p);
    total += weight;
  }
  return sum / total;
}

double tile_noise(uint64_t seed, double u, double v, uint32_t cells_u, uint32_t cells_v) {
  double x = (u - std::floor(u)) * cells_u, y = (v - std::floor(v)) * cells_v;
  int64_t x0 = static_cast<int64_t>(x) % cells_u, y0 = static_cast<int64_t>(y) % cells_v;
  int64_t x1 = (x0 + 1) % cells_u, y1 = (y0 + 1) % cells_v;
  double tx = smooth(x - std::floor(x)), ty = smooth(y - std::floor(y));
  double top = mix(cell_value(seed, x0, y0), cell_value(seed, x1, y0), tx);
  double bottom = mix(cell_value(seed, x0, y1), cell_value(seed, x1, y1), tx);
  return mix(top, bottom, ty);
}

double fractal_tile_noise(uint64_t seed, double u, double v, uint32_t cells_u, uint32_t cells_v,
                          int octaves) {
  double sum = 0, total = 0, weight = 1;
  for (int octave = 0; octave < octaves; ++octave, weight /= 2, cells_u *= 2, cells_v *= 2) {
    sum += weight * tile_noise(seed + static_cast<uint64_t>(octave), u, v, cells_u, cells_v);
    total += weight;
  }
  return sum / total;
}

}  // namespace vox::scene
