// The triangles that a device prepares, and the faults of a mesh, compared with loops over all triangles.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "libvox/base/geometry.h"
#include "libvox/device/cpu_device.h"
#include "libvox/voxelize/mesh_faults.h"
#include "libvox/voxelize/prepare.h"
#include "libvox/voxelize/triangle.h"
#include "tests/common/random.h"
#include "tests/voxelize/brute_force.h"
#include "tests/voxelize/soup.h"

namespace vox {
namespace {

using voxelize::TriangleShading;
using voxelize::TriangleShape;

struct PreparedCorner {
  std::array<double, 3> voxels;
  std::array<double, 2> uv;
  std::array<double, 4> color;
};

// Prepares the triangles one by one, each as a polygon that six planes clip.
class TrianglesOneByOne {
 public:
  std::vector<TriangleShape> shapes;
  std::vector<TriangleShading> shadings;

  TrianglesOneByOne(const Soup& soup, const voxelize::Grid& grid, bool solid)
      : scene_(soup.scene), indexed_(soup.indexed), grid_(grid) {
    for (const scene::Triangle& triangle : scene_.triangles) add(triangle, solid);
  }

 private:
  static constexpr double kGuard = 1 << 20;

  void add(const scene::Triangle& triangle, bool solid) {
    std::vector<PreparedCorner> polygon;
    for (size_t i = 0; i < 3; ++i) polygon.push_back(corner(triangle, i));
    for (size_t axis = 0; axis < 3; ++axis) {
      std::vector<double> along;
      for (const PreparedCorner& corner : polygon) along.push_back(corner.voxels[axis]);
      if (*std::min_element(along.begin(), along.end()) > grid_.resolution + 1.0) return;
      if (*std::max_element(along.begin(), along.end()) < -1 && !(solid && axis == 0)) return;
    }
    const scene::IndexedMaterial& material = indexed_.materials[triangle.material];
    const bool placed = triangle.texcoord[0] != scene::kNone;
    const bool textured = placed && material.texture != scene::kNone;
    if (material.invisible && !textured) return;
    const uint32_t level = textured ? level_of(polygon, indexed_.textures[material.texture].levels) : 0;
    for (size_t axis = 0; axis < 3; ++axis)
      for (double sign : {1.0, -1.0}) polygon = part_inside(polygon, axis, sign);
    const uint32_t twins = placed ? 0 : static_cast<uint32_t>(indexed_.materials.size());
    for (size_t i = 2; i < polygon.size(); ++i) {
      const PreparedCorner corners[3] = {polygon[0], polygon[i - 1], polygon[i]};
      TriangleShape& shape = shapes.emplace_back();
      TriangleShading& shading = shadings.emplace_back();
      shape.material = triangle.material + twins;
      shading.level = level;
      for (size_t c = 0; c < 3; ++c) {
        const auto& p = corners[c].voxels;
        shape.corner[c] = {units(p[0]), units(p[1]), units(p[2])};
        shading.texcoord[c] = {float(corners[c].uv[0]), float(corners[c].uv[1])};
        auto byte = [&](size_t channel) { return uint8_t(std::lround(corners[c].color[channel])); };
        shading.color[c] = {byte(0), byte(1), byte(2), byte(3)};
      }
    }
  }

  PreparedCorner corner(const scene::Triangle& triangle, size_t i) const {
    const Vec3d p = scene_.positions[triangle.position[i]];
    PreparedCorner corner = {{}, {0, 0}, {255, 255, 255, 255}};
    for (uint32_t axis = 0; axis < 3; ++axis)
      corner.voxels[axis] =
          grid_.first_voxel
              ? (std::floor(p[axis] / grid_.voxel_size[axis] * 256) + 0.5) / 256 - (*grid_.first_voxel)[axis]
              : (p[axis] - grid_.origin[axis]) / grid_.voxel_size[axis];
    if (triangle.texcoord[i] != scene::kNone)
      corner.uv = {scene_.texcoords[triangle.texcoord[i]].x, scene_.texcoords[triangle.texcoord[i]].y};
    if (scene_.colors.empty()) return corner;
    const scene::Rgba8 color = scene_.colors[triangle.position[i]];
    corner.color = {double(color.r), double(color.g), double(color.b), double(color.a)};
    return corner;
  }

  static std::vector<PreparedCorner> part_inside(const std::vector<PreparedCorner>& polygon, size_t axis,
                                                 double sign) {
    std::vector<PreparedCorner> part;
    for (size_t i = 0; i < polygon.size(); ++i) {
      const PreparedCorner &from = polygon[i], &to = polygon[(i + 1) % polygon.size()];
      const double a = kGuard - sign * from.voxels[axis], b = kGuard - sign * to.voxels[axis];
      if (a >= 0) part.push_back(from);
      if ((a >= 0) == (b >= 0)) continue;
      const double t = a / (a - b);
      PreparedCorner& between = part.emplace_back(from);
      for (size_t k = 0; k < 3; ++k) between.voxels[k] += (to.voxels[k] - from.voxels[k]) * t;
      for (size_t k = 0; k < 2; ++k) between.uv[k] += (to.uv[k] - from.uv[k]) * t;
      for (size_t k = 0; k < 4; ++k) between.color[k] += (to.color[k] - from.color[k]) * t;
      between.voxels[axis] = sign * kGuard;
    }
    return part;
  }

  static uint32_t level_of(const std::vector<PreparedCorner>& t,
                           const std::vector<scene::IndexedTexture::Level>& levels) {
    auto side = [&](size_t i) {
      return Vec3d{t[i].voxels[0] - t[0].voxels[0], t[i].voxels[1] - t[0].voxels[1],
                   t[i].voxels[2] - t[0].voxels[2]};
    };
    auto uv = [&](size_t i, size_t k) { return t[i].uv[k] - t[0].uv[k]; };
    const double voxels = length(cross(side(1), side(2)));
    const double texels =
        std::abs(uv(1, 0) * uv(2, 1) - uv(1, 1) * uv(2, 0)) * levels[0].width * levels[0].height;
    uint32_t level = 0;
    while (level + 1 < levels.size() && texels >= 2 * std::pow(4.0, level) * voxels) ++level;
    return level;
  }

  int32_t units(double voxels) const {
    double k = std::floor(voxels * 256);
    if (!grid_.first_voxel && k == -1) k = 0;
    if (!grid_.first_voxel && k >= 256.0 * grid_.resolution && voxels <= grid_.resolution + 1 / 256.0)
      k = 256.0 * grid_.resolution - 1;
    return 2 * static_cast<int32_t>(k) + 1;
  }

  const scene::Scene& scene_;
  const scene::IndexedScene& indexed_;
  const voxelize::Grid& grid_;
};

// Returns triangles of all sizes around the grid, some of them far larger than the guard band.
Soup random_soup(uint64_t seed, uint32_t resolution) {
  Random random(seed);
  Soup soup;
  scene::IndexedTexture& texture = soup.indexed.textures.emplace_back();
  for (uint32_t side = 64; side > 0; side /= 2) texture.levels.push_back({side, 2 * side, 0});
  texture.nibbles.resize(4096);
  const uint32_t materials[] = {0, soup.add_material({.texture = 0}), soup.add_material({.invisible = true}),
                                soup.add_material({.texture = 0, .invisible = true}),
                                soup.add_material({.vertex_colors = true})};
  for (int i = 0; i < 400; ++i) {
    const double reach = std::pow(10.0, random.uniform(0, i % 3 == 0 ? 8 : 3));
    auto point = [&] {
      auto along = [&] { return random.uniform(-reach, resolution + reach); };
      const double x = along(), y = along();
      return Vec3d{x, y, along()};
    };
    const Corners corners = {point(), point(), point()};
    const uint32_t material = materials[random.below(5)];
    auto uv = [&] { return Vec2f{float(random.uniform(-2, 2)), float(random.uniform(-2, 2))}; };
    if (random.below(3) > 0)
      soup.add(corners, {uv(), uv(), uv()}, material);
    else
      soup.add(corners, material);
  }
  if (seed % 2 == 1)
    for (size_t i = 0; i < soup.scene.positions.size(); ++i)
      soup.scene.colors.push_back({uint8_t(random.below(256)), uint8_t(random.below(256)),
                                   uint8_t(random.below(256)), uint8_t(random.below(256))});
  return soup;
}

template <class T>
std::vector<T> downloaded_triangles(const device::Buffer<T>& buffer) {
  return {buffer.data(), buffer.data() + buffer.size()};
}

void expect_prepared_as_one_by_one(const Soup& soup, const voxelize::Grid& grid, bool solid) {
  device::CpuDevice device(0, false);
  const voxelize::PreparedMaterials materials = voxelize::prepare_materials(soup.indexed);
  const voxelize::PreparedTriangles prepared =
      voxelize::prepare_triangles(device, soup.scene, materials, grid, {.solid = solid});
  const TrianglesOneByOne expected(soup, grid, solid);
  const auto shapes = downloaded_triangles(prepared.shapes);
  const auto shadings = downloaded_triangles(prepared.shadings);
  ASSERT_EQ(shapes.size(), expected.shapes.size());
  ASSERT_EQ(shadings.size(), expected.shadings.size());
  for (size_t i = 0; i < shapes.size(); ++i) {
    EXPECT_EQ(shapes[i].material, expected.shapes[i].material) << i;
    EXPECT_EQ(shadings[i].level, expected.shadings[i].level) << i;
    for (size_t c = 0; c < 3; ++c) {
      EXPECT_EQ(shapes[i].corner[c], expected.shapes[i].corner[c]) << i;
      EXPECT_EQ(shadings[i].texcoord[c], expected.shadings[i].texcoord[c]) << i;
      EXPECT_EQ(shadings[i].color[c], expected.shadings[i].color[c]) << i;
    }
  }
}

TEST(PrepareTriangles, MakesWhatALoopOverTheMeshMakes) {
  for (uint64_t seed = 0; seed < 8; ++seed) {
    const uint32_t resolution = 100;
    SCOPED_TRACE(seed);
    const Soup soup = random_soup(seed, resolution);
    const voxelize::Grid grid = {.resolution = resolution, .origin = {0.3, -1.7, 2}, .voxel_size = 0.7};
    expect_prepared_as_one_by_one(soup, grid, false);
    expect_prepared_as_one_by_one(soup, grid, true);
    voxelize::Grid snapped = {.resolution = resolution, .origin = {-3.5, 7, 14}, .voxel_size = 0.7};
    snapped.first_voxel = Vec3d{-5, 10, 20};
    expect_prepared_as_one_by_one(soup, snapped, seed % 3 == 0);
  }
}

// In steps of half a snapped unit around both ends of the grid.
TEST(Snap, MovesUpToOneStepFromOutsideOfTheGridIntoIt) {
  for (const uint32_t resolution : {4u, 100u, 1u << 20})
    for (const double end : {0.0, static_cast<double>(resolution)})
      for (int step = -8; step <= 8; ++step) {
        const double at = end + step / 512.0;
        EXPECT_EQ(voxelize::snap(at, resolution), brute::snap(at, resolution)) << resolution << ", " << at;
      }
}

TEST(PrepareTriangles, LeavesOutShadingsWhereThereAreNeitherMaterialsNorHoles) {
  Soup soup = cube(1, 7);
  device::CpuDevice device(0, false);
  const auto shadings = [&](voxelize::Attributes attributes) {
    return voxelize::prepare_triangles(device, soup.scene, voxelize::prepare_materials(soup.indexed),
                                       unit_grid(8), {.attributes = attributes})
        .shadings.size();
  };
  EXPECT_EQ(shadings(voxelize::Attributes::OfHoles), 0u);
  scene::IndexedTexture& texture = soup.indexed.textures.emplace_back();
  texture.levels = {{4, 4, 0}};
  texture.nibbles.resize(4);
  soup.indexed.materials[0].texture = 0;
  EXPECT_EQ(shadings(voxelize::Attributes::OfMaterials), 12u);
  EXPECT_EQ(shadings(voxelize::Attributes::OfHoles), 0u);
  texture.opaque.resize(1);
  EXPECT_EQ(shadings(voxelize::Attributes::OfHoles), 12u);
}

// Compares the faults that are found in a mesh with those that were made, and triangles that cross with all pairs.

using voxelize::MeshFault;

// True if the segment crosses the triangle, in extended precision (Möller and Trumbore 1997). The corners are small whole numbers, so that
// nothing is rounded but the quotient.
bool crosses_inside(const Corners& t, Vec3d from, Vec3d to) {
  const Vec3d ab = t[1] - t[0], ac = t[2] - t[0], way = to - from, side = cross(way, ac);
  const double det = dot(ab, side);
  if (det == 0) return false;
  const Vec3d start = from - t[0], turn = cross(start, ab);
  double u = dot(start, side), v = dot(way, turn), at = dot(ac, turn);
  if (det < 0) u = -u, v = -v, at = -at;
  const double all = std::abs(det);
  return u > 0 && v > 0 && u + v < all && at > 0 && at < all;
}

Corners corners_of(const scene::Scene& scene, size_t i) {
  const auto& p = scene.triangles[i].position;
  return {scene.positions[p[0]], scene.positions[p[1]], scene.positions[p[2]]};
}

TEST(MeshFaults, TrianglesCrossAsInALoopOverAllPairs) {
  for (uint64_t seed = 1; seed <= 3 * kThoroughness; ++seed) {
    Random random(seed);
    Soup soup;
    // The box has 2^12 steps a side, so that corners keep their places; many lie in one plane or coincide.
    soup.add({Vec3d{0, 0, 0}, {4096, 0, 0}, {0, 4096, 4096}});
    const uint32_t range = seed % 2 == 0 ? 12 : 4000;
    for (int i = 0; i < 150; ++i) {
      Corners corners = {};
      for (Vec3d& corner : corners)
        corner = {1. * random.below(range), 1. * random.below(range), 1. * random.below(range)};
      soup.add(corners);
    }
    std::vector<std::array<uint32_t, 2>> expected;
    for (uint32_t i = 0; i < soup.scene.triangles.size(); ++i)
      for (uint32_t k = i + 1; k < soup.scene.triangles.size(); ++k) {
        const Corners a = corners_of(soup.scene, i), b = corners_of(soup.scene, k);
        bool crosses = false;
        for (size_t c = 0; c < 3; ++c)
          crosses =
              crosses || crosses_inside(a, b[c], b[(c + 1) % 3]) || crosses_inside(b, a[c], a[(c + 1) % 3]);
        if (crosses) expected.push_back({i, k});
      }
    EXPECT_GT(expected.size(), 5u);
    EXPECT_EQ(voxelize::crossing_triangles(soup.scene), expected);
  }
}

TEST(MeshFaults, AreCountedByObjectAndSayWhereTheyAre) {
  Soup soup = bumpy_sphere({30, 30, 30}, 20, 12, 0, 1);
  const voxelize::Grid grid = unit_grid(128);
  soup.scene.materials[0].object = "ball";
  const voxelize::MeshFaults closed = voxelize::find_faults(soup.scene, grid);
  ASSERT_EQ(closed.objects.size(), 1u);
  EXPECT_EQ(closed.objects[0].counts, (std::array<uint64_t, 4>{}));
  EXPECT_EQ(closed.objects[0].triangles, soup.scene.triangles.size());

  std::swap(soup.scene.triangles[40].position[0], soup.scene.triangles[40].position[1]);
  const uint32_t fin = soup.add_material({});
  soup.scene.materials[fin].object = "fin";
  const Corners at = corners_of(soup.scene, 100);
  soup.add({at[0], at[1], at[0] + Vec3d{0, 0, 90}}, fin);
  const voxelize::MeshFaults faults = voxelize::find_faults(soup.scene, grid);
  ASSERT_EQ(faults.objects.size(), 2u);
  const auto &ball = faults.objects[0], &other = faults.objects[1];
  EXPECT_EQ(ball.name, "ball");
  EXPECT_EQ(other.name, "fin");
  // The turned triangle leaves its three edges open, and the fin the edge that it shares.
  const auto count = [](const voxelize::ObjectFaults& object, MeshFault fault) {
    return object.counts[static_cast<size_t>(fault)];
  };
  EXPECT_EQ(count(ball, MeshFault::OpenEdge), 4u);
  EXPECT_EQ(count(ball, MeshFault::NonManifoldEdge), 1u);
  EXPECT_EQ(count(ball, MeshFault::TurnedTriangle), 1u);
  EXPECT_EQ(count(other, MeshFault::OpenEdge), 2u);
  EXPECT_EQ(faults.turned, std::vector<uint32_t>{40});
  const voxelize::FaultPlace& edge = ball.places[static_cast<size_t>(MeshFault::NonManifoldEdge)].at(0);
  EXPECT_LT(length(edge.at - (at[0] + at[1]) * 0.5), 0.01);
}

TEST(MeshFaults, KeepABoundedNumberOfPlacesAndCompleteCounts) {
  Soup soup = bumpy_sphere({30, 30, 30}, 20, 40, 0, 1);
  const uint64_t half = soup.scene.triangles.size();
  for (uint64_t i = 0; i < half; ++i) {
    Corners corners = corners_of(soup.scene, i);
    for (Vec3d& corner : corners) corner.x += 10;
    soup.add(corners);
  }
  const voxelize::MeshFaults faults = voxelize::find_faults(soup.scene, unit_grid(128));
  EXPECT_GT(faults.count(MeshFault::Crossing), 150u);
  EXPECT_EQ(faults.objects[0].places[3].size(), voxelize::ObjectFaults::kMostPlaces);
  for (const voxelize::FaultPlace& place : faults.objects[0].places[3]) {
    EXPECT_NEAR(place.at.x, 35, 3);
    EXPECT_LT(place.triangle, half);
    EXPECT_GE(place.other, half);
  }
}

}  // namespace
}  // namespace vox
