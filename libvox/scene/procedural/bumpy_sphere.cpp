#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "libvox/base/geometry.h"
#include "libvox/base/loops.h"
#include "libvox/scene/procedural/procedural.h"
#include "libvox/scene/procedural/shapes.h"

namespace vox::scene {
namespace {

// The number of squares along x, y, z of the box that is inflated to a sphere.
using Grid = std::array<uint32_t, 3>;

uint64_t triangle_count(const Grid& n) {
  return 4 * (uint64_t{n[0]} * n[1] + uint64_t{n[1]} * n[2] + uint64_t{n[2]} * n[0]);
}

// Returns the grid a x b x c whose count is nearest to `triangles`, among all with a ≤ b within 15 % of a
// cube's side. c follows from a, b and the count, and is at most 2 b.
Grid choose_grid(uint64_t triangles) {
  auto distance = [&](const Grid& n) {
    uint64_t count = triangle_count(n);
    return count > triangles ? count - triangles : triangles - count;
  };
  double side = std::sqrt(static_cast<double>(triangles) / 12);
  auto low = std::max(1u, static_cast<uint32_t>(side * 0.85)), high = static_cast<uint32_t>(side * 1.15) + 1;
  high = std::min(high, low + 200);  // 20,000 grids reach any count of a large sphere
  Grid best = {low, low, low};
  for (uint32_t a = low; a <= high; ++a)
    for (uint32_t b = a; b <= high; ++b) {
      double rest = (static_cast<double>(triangles) / 4 - static_cast<double>(a) * b) / (a + b);
      Grid grid = {a, b, static_cast<uint32_t>(std::clamp(std::floor(rest + 0.5), 1.0, 2.0 * b))};
      if (distance(grid) < distance(best)) best = grid;
    }
  return best;
}

// Returns the sphere's point in this direction, rounded so that files hold it exactly, also as 32-bit floats.
Vec3d bump(Vec3d direction, uint64_t seed) {
  direction = direction * (1 / length(direction));
  double coarse = fractal_noise(seed, direction * 3, 3), fine = fractal_noise(seed + 9, direction * 24, 4);
  double radius = 0.82 + 0.3 * coarse + 0.06 * fine;
  auto round = [&](double x) { return std::floor(x * radius * 0x1p20 + 0.5) * 0x1p-20; };
  return {round(direction.x), round(direction.y), round(direction.z)};
}

// Numbers the lattice points on the surface of the box, each once even if several faces meet there.
class Lattice {
 public:
  explicit Lattice(const Grid& n) : n_(n) {}

  // The bottom and top layers are complete; the layers between them are rings.
  uint64_t index(const Grid& p) const {
    uint64_t layer = uint64_t{n_[0] + 1} * (n_[2] + 1), ring = 2 * (uint64_t{n_[0]} + n_[2]);
    if (p[1] == 0) return uint64_t{p[2]} * (n_[0] + 1) + p[0];
    if (p[1] == n_[1]) return layer + (n_[1] - 1) * ring + uint64_t{p[2]} * (n_[0] + 1) + p[0];
    return layer + (p[1] - 1) * ring + around(p[0], p[2]);
  }
  uint64_t size() const {
    return 2 * uint64_t{n_[0] + 1} * (n_[2] + 1) + (n_[1] - 1) * 2 * (uint64_t{n_[0]} + n_[2]);
  }

 private:
  uint64_t around(uint32_t x, uint32_t z) const {
    if (z == 0) return x;                            // 0 … n0
    if (z == n_[2]) return uint64_t{n_[0]} + 1 + x;  // n0 + 1 … 2 n0 + 1
    return 2 * (uint64_t{n_[0]} + 1) + 2 * (z - 1) + (x == 0 ? 0 : 1);
  }
  Grid n_;
};

// One of the box's faces: the face across `axis` at its end if `far`, otherwise at its beginning.
struct Face {
  size_t axis;
  bool far;
};

// Returns a texture coordinate, rounded like positions.
float rounded(double coordinate) {
  return static_cast<float>(std::floor(coordinate * 0x1p20 + 0.5) * 0x1p-20);
}

// Returns the texture coordinates at these shares of a face's sides. Unwrapped faces lie in three columns and two
// rows, apart from each other, so that texels between them, or coarser ones, belong to one face alone.
Vec2f texcoord_at(const Face& face, double u, double v, SphereTexcoords texcoords) {
  if (texcoords == SphereTexcoords::Repeated) return {rounded(2 * u), rounded(2 * v)};
  constexpr double kMargin = 1.0 / 32;  // of a face's part of the texture, on each side
  const auto inside = [](double share) { return kMargin + (1 - 2 * kMargin) * share; };
  return {rounded((static_cast<double>(face.axis) + inside(u)) / 3),
          rounded(((face.far ? 1 : 0) + inside(v)) / 2)};
}

void add_face(Scene& scene, const Grid& n, const Lattice& lattice, Face face, SphereTexcoords texcoords) {
  size_t u = (face.axis + 1) % 3, v = (face.axis + 2) % 3;
  auto first = static_cast<uint32_t>(scene.texcoords.size());
  for (uint32_t j = 0; j <= n[v]; ++j)
    for (uint32_t i = 0; i <= n[u]; ++i)
      scene.texcoords.push_back(
          texcoord_at(face, static_cast<double>(i) / n[u], static_cast<double>(j) / n[v], texcoords));
  auto position = [&](uint32_t i, uint32_t j) {
    Grid p;
    p[face.axis] = face.far ? n[face.axis] : 0;
    p[u] = i, p[v] = j;
    return static_cast<uint32_t>(lattice.index(p));
  };
  auto texcoord = [&](uint32_t i, uint32_t j) { return first + j * (n[u] + 1) + i; };
  auto add = [&](std::array<uint32_t, 3> p, std::array<uint32_t, 3> t) {
    if (!face.far) std::swap(p[1], p[2]), std::swap(t[1], t[2]);
    scene.triangles.push_back({p, t, 0});
  };
  for (uint32_t j = 0; j < n[v]; ++j)
    for (uint32_t i = 0; i < n[u]; ++i) {
      std::array p = {position(i, j), position(i + 1, j), position(i + 1, j + 1), position(i, j + 1)};
      std::array t = {texcoord(i, j), texcoord(i + 1, j), texcoord(i + 1, j + 1), texcoord(i, j + 1)};
      add({p[0], p[1], p[2]}, {t[0], t[1], t[2]});
      add({p[0], p[2], p[3]}, {t[0], t[2], t[3]});
    }
}

void add_positions(Scene& scene, const Grid& n, const Lattice& lattice, uint64_t seed) {
  scene.positions.resize(lattice.size());
  parallel_for(0u, n[1] + 1, [&](uint32_t y) {
    bool cap = y == 0 || y == n[1];
    for (uint32_t z = 0; z <= n[2]; ++z)
      for (uint32_t x = 0; x <= n[0]; x += cap || z == 0 || z == n[2] ? 1 : n[0]) {
        auto along = [](uint32_t i, uint32_t count) { return 2.0 * i / count - 1; };
        Vec3d direction = {along(x, n[0]), along(y, n[1]), along(z, n[2])};
        scene.positions[lattice.index({x, y, z})] = bump(direction, seed);
      }
  });
}

}  // namespace

Scene make_bumpy_sphere(const BumpySphereOptions& options) {
  uint64_t seed = mix64(options.seed + 2);
  Grid n = choose_grid(options.triangles);
  Lattice lattice(n);
  Scene scene;
  scene.images.push_back(marble_texture(options.texture_size, seed));
  scene.materials.push_back({.name = "marble", .base_color = {1, 1, 1, 1}, .image = 0});
  add_positions(scene, n, lattice, seed);
  scene.triangles.reserve(triangle_count(n));
  for (size_t axis = 0; axis < 3; ++axis)
    for (bool far : {false, true}) add_face(scene, n, lattice, {axis, far}, options.texcoords);
  return scene;
}

}  // namespace vox::scene
