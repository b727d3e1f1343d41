#include "libvox/scene/procedural/shapes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "libvox/base/geometry.h"

namespace vox::scene {
namespace {

double round_to_grid(double meters) {
  return std::floor(meters * 1024 + 0.5) / 1024;
}

}  // namespace

Placement wall_of(const Placement& box, Vec3d lo, Vec3d hi, int side) {
  Vec3d middle = {(lo.x + hi.x) / 2, lo.y, (lo.z + hi.z) / 2};
  switch (side) {
    case 0:
      return box.moved({middle.x, lo.y, hi.z});
    case 1:
      return box.moved({hi.x, lo.y, middle.z}).turned({0, -1});
    case 2:
      return box.moved({middle.x, lo.y, lo.z}).turned({-1, 0});
    default:
      return box.moved({lo.x, lo.y, middle.z}).turned({0, 1});
  }
}

ShapeSurface SceneBuilder::add_surface(Image image, double meters, Wrap wrap, float alpha_cutoff) {
  Material material;
  material.name = image.name.substr(0, image.name.rfind('.'));
  material.base_color = {1, 1, 1, 1};
  material.image = static_cast<uint32_t>(scene_.images.size());
  material.wrap_u = material.wrap_v = wrap;
  material.alpha_cutoff = alpha_cutoff;
  scene_.images.push_back(std::move(image));
  scene_.materials.push_back(std::move(material));
  return {static_cast<uint32_t>(scene_.materials.size() - 1), meters};
}

void SceneBuilder::reserve(uint64_t triangles) {
  scene_.triangles.reserve(triangles);
  scene_.positions.reserve(triangles * 3 / 2);
  scene_.texcoords.reserve(triangles * 2);
}

Scene SceneBuilder::take() {
  std::ranges::stable_sort(scene_.triangles, {}, &Triangle::material);
  return std::move(scene_);
}

uint32_t SceneBuilder::add_position(Vec3d local) {
  Vec3d p = placement_(local);
  scene_.positions.push_back({round_to_grid(p.x), round_to_grid(p.y), round_to_grid(p.z)});
  return static_cast<uint32_t>(scene_.positions.size() - 1);
}

uint32_t SceneBuilder::add_texcoord(double u, double v) {
  u = std::floor(u * 4096 + 0.5) / 4096, v = std::floor(v * 4096 + 0.5) / 4096;
  scene_.texcoords.push_back({static_cast<float>(u), static_cast<float>(v)});
  return static_cast<uint32_t>(scene_.texcoords.size() - 1);
}

void SceneBuilder::add_triangle(ShapeSurface surface, std::array<uint32_t, 3> position,
                                std::array<uint32_t, 3> texcoord) {
  scene_.triangles.push_back({position, texcoord, surface.material});
}

void SceneBuilder::polygon(ShapeSurface surface, std::span<const Vec3d> corners) {
  Vec3d origin = corners[0], right = corners[1] - origin;
  right = right * (1 / length(right));
  Vec3d up = corners.back() - origin;
  up = up - right * dot(up, right);
  up = up * (1 / length(up));
  auto position = static_cast<uint32_t>(scene_.positions.size());
  auto texcoord = static_cast<uint32_t>(scene_.texcoords.size());
  for (Vec3d corner : corners) {
    add_position(corner);
    add_texcoord(dot(corner - origin, right) / surface.meters, -dot(corner - origin, up) / surface.meters);
  }
  for (uint32_t i = 2; i < corners.size(); ++i)
    add_triangle(surface, {position, position + i - 1, position + i},
                 {texcoord, texcoord + i - 1, texcoord + i});
}

void SceneBuilder::quad(ShapeSurface surface, Vec3d a, Vec3d b, Vec3d c, Vec3d d) {
  polygon(surface, std::array{a, b, c, d});
}

void SceneBuilder::face(ShapeSurface surface, std::array<uint32_t, 4> position, double width, double height) {
  uint32_t a = add_texcoord(0, height), b = add_texcoord(width, height);
  uint32_t c = add_texcoord(width, 0), d = add_texcoord(0, 0);
  add_triangle(surface, {position[0], position[1], position[2]}, {a, b, c});
  add_triangle(surface, {position[0], position[2], position[3]}, {a, c, d});
}

void SceneBuilder::picture(ShapeSurface surface, Vec3d a, Vec3d b, Vec3d c, Vec3d d) {
  face(surface, {add_position(a), add_position(b), add_position(c), add_position(d)}, 1, 1);
}

void SceneBuilder::sheet(ShapeSurface surface, uint32_t columns, uint32_t rows,
                         const std::function<Vec3d(uint32_t, uint32_t)>& point) {
  auto position = static_cast<uint32_t>(scene_.positions.size());
  auto texcoord = static_cast<uint32_t>(scene_.texcoords.size());
  for (uint32_t j = 0; j <= rows; ++j)
    for (uint32_t i = 0; i <= columns; ++i) {
      Vec3d p = point(i, j);
      add_position(p);
      add_texcoord(p.x / surface.meters, p.z / surface.meters);
    }
  auto add = [&](uint32_t a, uint32_t b, uint32_t c) {
    add_triangle(surface, {position + a, position + b, position + c},
                 {texcoord + a, texcoord + b, texcoord + c});
  };
  for (uint32_t j = 0; j < rows; ++j)
    for (uint32_t i = 0; i < columns; ++i) {
      uint32_t a = j * (columns + 1) + i, b = a + columns + 1;
      add(a, b, b + 1);
      add(a, b + 1, a + 1);
    }
}

// Corner i of a box is at hi.x if bit 0 of i is set, at hi.y if bit 1 is set, at hi.z if bit 2 is set.
void SceneBuilder::walls(ShapeSurface surface, Vec3d lo, Vec3d hi) {
  auto first = static_cast<uint32_t>(scene_.positions.size());
  for (uint32_t i = 0; i < 8; ++i)
    add_position({i & 1 ? hi.x : lo.x, i & 2 ? hi.y : lo.y, i & 4 ? hi.z : lo.z});
  double x = (hi.x - lo.x) / surface.meters, y = (hi.y - lo.y) / surface.meters;
  double z = (hi.z - lo.z) / surface.meters;
  face(surface, {first + 4, first + 5, first + 7, first + 6}, x, y);
  face(surface, {first + 5, first + 1, first + 3, first + 7}, z, y);
  face(surface, {first + 1, first, first + 2, first + 3}, x, y);
  face(surface, {first, first + 4, first + 6, first + 2}, z, y);
}

void SceneBuilder::box(ShapeSurface surface, Vec3d lo, Vec3d hi) {
  auto first = static_cast<uint32_t>(scene_.positions.size());
  walls(surface, lo, hi);
  face(surface, {first + 6, first + 7, first + 3, first + 2}, (hi.x - lo.x) / surface.meters,
       (hi.z - lo.z) / surface.meters);
}

void SceneBuilder::block(ShapeSurface surface, Vec3d lo, Vec3d hi) {
  auto first = static_cast<uint32_t>(scene_.positions.size());
  box(surface, lo, hi);
  face(surface, {first, first + 1, first + 5, first + 4}, (hi.x - lo.x) / surface.meters,
       (hi.z - lo.z) / surface.meters);
}

void SceneBuilder::cone(ShapeSurface surface, double radius_bottom, double radius_top, double y_bottom,
                        double y_top, int sides) {
  constexpr double kTwoPi = 6.283185307179586;
  double repeats = std::max(1.0, std::floor(kTwoPi * radius_bottom / surface.meters + 0.5));
  Vec3d slope = {radius_bottom - radius_top, y_top - y_bottom, 0};
  double height = length(slope) / surface.meters;
  bool pointed = radius_top == 0;
  auto position = static_cast<uint32_t>(scene_.positions.size());
  auto texcoord = static_cast<uint32_t>(scene_.texcoords.size());
  for (int i = 0; i <= sides; ++i) {
    Vec2d direction = unit_circle(static_cast<double>(i) / sides);
    if (i < sides) add_position({radius_bottom * direction.x, y_bottom, -radius_bottom * direction.y});
    if (i < sides && !pointed) add_position({radius_top * direction.x, y_top, -radius_top * direction.y});
    add_texcoord(repeats * i / sides, height);
    add_texcoord(repeats * i / sides, 0);
  }
  uint32_t apex = pointed ? add_position({0, y_top, 0}) : 0;
  auto n = static_cast<uint32_t>(sides), stride = pointed ? 1u : 2u;
  for (uint32_t i = 0; i < n; ++i) {
    uint32_t a = position + i * stride, b = position + (i + 1) % n * stride, t = texcoord + 2 * i;
    add_triangle(surface, {a, b, pointed ? apex : b + 1}, {t, t + 2, t + 3});
    if (!pointed) add_triangle(surface, {a, b + 1, a + 1}, {t, t + 3, t + 1});
  }
}

void SceneBuilder::disc(ShapeSurface surface, double radius, double y, int sides) {
  std::vector<Vec3d> corners;
  for (int i = 0; i < sides; ++i) {
    Vec2d direction = unit_circle(static_cast<double>(i) / sides);
    corners.push_back({radius * direction.x, y, -radius * direction.y});
  }
  polygon(surface, corners);
}

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

namespace {

// Adds a board whose upper corners are `top`, and whose lower corners are `down` below them: top, underside
// and the four edges.
void add_slab(SceneBuilder& builder, std::array<Vec3d, 4> top, Vec3d down, ShapeSurface above,
              ShapeSurface below) {
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

void add_gable_roof(SceneBuilder& builder, const Placement& at, Vec3d lo, Vec3d hi, Roof roof,
                    ShapeSurface tiles, ShapeSurface wall) {
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

void add_window(SceneBuilder& builder, const Placement& at, Window window, ShapeSurface glass,
                ShapeSurface frame) {
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

void add_battlement(SceneBuilder& builder, const Placement& at, double length, ShapeSurface stone) {
  constexpr double kPitch = 1.5, kMerlon = 0.9;
  builder.place(at);
  auto count = static_cast<int>(length / kPitch);
  for (int i = 0; i < count; ++i) {
    double x = (i + 0.5) * length / count;
    builder.box(stone, {x - kMerlon / 2, 0, -0.5}, {x + kMerlon / 2, 1.1, 0});
  }
}

void add_tree(SceneBuilder& builder, const Placement& at, double height, Random& random, ShapeSurface bark,
              ShapeSurface leaves) {
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
                ShapeSurface stone) {
  builder.place(at);
  for (int i = 0; i < count; ++i)
    builder.box(stone, {-width / 2, 0, -run * (i + 1)}, {width / 2, rise * (i + 1) / count, -run * i});
}

}  // namespace vox::scene
