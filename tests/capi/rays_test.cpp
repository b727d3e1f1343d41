// Rays of the C interface compared with a search through all filled voxels of the scene.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "tests/capi/meshes.h"

namespace vox::test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct RayHits {
  explicit RayHits(size_t count)
      : distances(count), voxels(3 * count), materials(count), colors(4 * count), normals(3 * count) {}
  vox_hits to() {
    return {sizeof(vox_hits), distances.data(), voxels.data(),
            materials.data(), colors.data(),    normals.data()};
  }
  friend bool operator==(const RayHits&, const RayHits&) = default;

  std::vector<double> distances;
  std::vector<int32_t> voxels;
  std::vector<uint8_t> materials, colors;
  std::vector<int8_t> normals;
};

struct RayInterval {
  double begin = 0, end = kInfinity;
  bool empty() const { return !(begin < end); }
};

// Returns when a ray is in the box from `low` to `high`, each side moved outward by `more`, in multiples of its direction.
RayInterval inside(const double* from, const double* direction, Vec3d low, Vec3d high, double more) {
  RayInterval found;
  for (uint32_t axis = 0; axis < 3; ++axis) {
    double a = (low[axis] - more - from[axis]) / direction[axis];
    double b = (high[axis] + more - from[axis]) / direction[axis];
    if (a > b) std::swap(a, b);
    found.begin = std::max(found.begin, a);
    found.end = std::min(found.end, b);
  }
  return found;
}

class CapiRays : public ::testing::Test {
 protected:
  void voxelize(uint32_t materials, const double* sides) {
    const std::array<vox_material, 3> list = three_materials();
    vox_mesh_arrays arrays = soup_.arrays();
    arrays.materials = list.data(), arrays.material_count = 3, arrays.material_of = soup_.materials.data();
    EXPECT_OK(vox_mesh_create(&arrays, mesh_.to()));
    vox_voxelize_options options = at_resolution(sides == nullptr ? 40 : 0);
    options.materials = materials;
    options.sides = sides;
    EXPECT_OK(vox_voxelize(engine_, mesh_, &options, scene_.to()));
    info_ = info_of(scene_);
    const uint64_t count = info_.voxels;
    places_.resize(3 * count), materials_.resize(count), colors_.resize(3 * count);
    EXPECT_OK(vox_scene_voxels(engine_, scene_, nullptr, nullptr, count, places_.data(), materials_.data(),
                               colors_.data()));
  }

  Vec3d corner(const int32_t* voxel, int32_t beyond) const {
    Vec3d at;
    for (uint32_t axis = 0; axis < 3; ++axis)
      at[axis] = info_.origin[axis] + info_.voxel_size[axis] * (voxel[axis] + beyond);
    return at;
  }

  // Makes rays from around and inside the scene, in all directions. They begin up to `reach` times its size away.
  void make_rays(size_t count, double reach) {
    Random random(5);
    const double side = info_.resolution * info_.voxel_size[0];
    origins_.clear(), directions_.clear();
    for (size_t i = 0; i < count; ++i) {
      const Vec3d place = random.in_cube(0.5 - reach, 0.5 + reach) * side, goal = random.in_cube(0, 1) * side;
      const double length = i % 3 == 0 ? 1e-9 : i % 3 == 1 ? 1 : 1e12;
      for (uint32_t axis = 0; axis < 3; ++axis) {
        origins_.push_back(info_.origin[axis] + place[axis]);
        directions_.push_back((goal[axis] - place[axis]) * (i % 7 == 0 ? -length : length));
      }
    }
  }

  RayHits cast() {
    RayHits hits(origins_.size() / 3);
    const vox_hits to = hits.to();
    EXPECT_OK(vox_scene_rays(engine_, scene_, origins_.size() / 3, origins_.data(), directions_.data(), &to));
    return hits;
  }

  // Compares a ray's hit with all filled voxels. `hair` is the error that a ray may have.
  void check(size_t i, const RayHits& hits, double hair) const {
    const double *from = &origins_[3 * i], *direction = &directions_[3 * i];
    const double length = std::hypot(direction[0], direction[1], direction[2]);
    const int32_t* hit = &hits.voxels[3 * i];
    const double reached = hits.distances[i] / length;
    std::optional<size_t> found;
    for (size_t voxel = 0; voxel < materials_.size(); ++voxel) {
      const int32_t* at = &places_[3 * voxel];
      if (std::equal(at, at + 3, hit)) found = voxel;
      const RayInterval surely = inside(from, direction, corner(at, 0), corner(at, 1), -hair);
      if (surely.empty()) continue;
      ASSERT_LE(reached, surely.begin + hair / length) << "ray " << i << " passes voxel " << voxel;
    }
    if (hits.distances[i] == kInfinity) {
      EXPECT_EQ(std::vector<int32_t>(hit, hit + 3), std::vector<int32_t>(3, -1));
      EXPECT_EQ(hits.materials[i], 255);
      EXPECT_EQ(hits.colors[4 * i + 3], 0);
      return;
    }
    ASSERT_TRUE(found) << "ray " << i << " hits an empty voxel";
    const RayInterval about = inside(from, direction, corner(hit, 0), corner(hit, 1), hair);
    ASSERT_FALSE(about.empty()) << "ray " << i;
    EXPECT_NEAR(reached * length, about.begin * length, 4 * hair * length / shortest_part(direction))
        << "ray " << i;
    EXPECT_EQ(hits.materials[i], materials_[*found]);
    EXPECT_TRUE(std::equal(&colors_[3 * *found], &colors_[3 * *found] + 3, &hits.colors[4 * i]));
    EXPECT_EQ(hits.colors[4 * i + 3], 255);
    check_normal(i, hits, hair);
  }

  void check_normal(size_t i, const RayHits& hits, double hair) const {
    const int8_t* normal = &hits.normals[3 * i];
    const int32_t* hit = &hits.voxels[3 * i];
    const double *from = &origins_[3 * i], *direction = &directions_[3 * i];
    const double length = std::hypot(direction[0], direction[1], direction[2]);
    uint32_t parts = 0;
    for (uint32_t axis = 0; axis < 3; ++axis) {
      if (normal[axis] == 0) continue;
      ++parts;
      const double at = from[axis] + direction[axis] / length * hits.distances[i];
      EXPECT_NEAR(at, corner(hit, normal[axis] > 0 ? 1 : 0)[axis], 4 * hair) << "ray " << i;
      EXPECT_LT(normal[axis] * direction[axis], 0);
    }
    EXPECT_EQ(parts, hits.distances[i] == 0 ? 0u : 1u) << "ray " << i;
  }

  static double shortest_part(const double* direction) {
    return std::min({std::fabs(direction[0]), std::fabs(direction[1]), std::fabs(direction[2])});
  }

  void compare(double reach, double hair) {
    make_rays(600, reach);
    const RayHits hits = cast();
    for (size_t i = 0; i < hits.distances.size(); ++i) check(i, hits, hair * info_.voxel_size[0]);
    const auto missed = std::ranges::count(hits.distances, kInfinity);
    EXPECT_GT(missed, 50);
    EXPECT_LT(missed, 550);
  }

  Soup soup_ = Soup(60);
  EngineHandle engine_;
  MeshHandle mesh_;
  SceneHandle scene_;
  vox_info info_ = {};
  std::vector<int32_t> places_;
  std::vector<uint8_t> materials_, colors_;
  std::vector<double> origins_, directions_;
};

TEST_F(CapiRays, HitTheFirstOfAllFilledVoxels) {
  for (const uint32_t materials : {VOX_MATERIALS_MESH, VOX_MATERIALS_COLORS, VOX_MATERIALS_NONE}) {
    voxelize(materials, nullptr);
    compare(0.5, 1e-4);
    compare(3, 1e-4);
  }
}

TEST_F(CapiRays, ComeFromFarAway) {
  voxelize(VOX_MATERIALS_MESH, nullptr);
  compare(100, 1e-4);
  compare(1e7, 1e-3);
}

TEST_F(CapiRays, HitVoxelsThatAreNoCubes) {
  const double sides[3] = {0.5, 0.25, 0.7};
  voxelize(VOX_MATERIALS_MESH, sides);
  compare(2, 1e-4);
}

TEST_F(CapiRays, AlongAnAxisTheDistanceIsExact) {
  const CubeArrays cube(0, 1);
  EXPECT_OK(vox_mesh_create(&cube.arrays, mesh_.to()));
  vox_voxelize_options options = at_resolution(8);
  options.solid = VOX_SOLID;
  EXPECT_OK(vox_voxelize(engine_, mesh_, &options, scene_.to()));
  info_ = info_of(scene_);
  const double size = info_.voxel_size[0], end = info_.origin[0] + 8 * size;
  const Vec3d middle = corner(std::array<int32_t, 3>{3, 3, 3}.data(), 0) + Vec3d{size, size, size} * 0.4;
  origins_ = {end + 2, middle.y, middle.z, end + 2, middle.y, middle.z, middle.x, middle.y, middle.z};
  directions_ = {-3, 0, 0, 3, 0, 0, 0, 0, 1};
  const RayHits hits = cast();
  EXPECT_NEAR(hits.distances[0], 2, 1e-8);
  EXPECT_EQ(std::vector<int32_t>(hits.voxels.begin(), hits.voxels.begin() + 3),
            (std::vector<int32_t>{7, 3, 3}));
  EXPECT_EQ(hits.normals[0], 1);
  EXPECT_EQ(hits.distances[1], kInfinity);
  EXPECT_EQ(hits.distances[2], 0);  // it begins inside
  EXPECT_EQ(std::vector<int32_t>(hits.voxels.begin() + 6, hits.voxels.end()),
            (std::vector<int32_t>{3, 3, 3}));
}

TEST_F(CapiRays, MayLeaveOutArraysAndAreTheSameForAllThreads) {
  voxelize(VOX_MATERIALS_MESH, nullptr);
  make_rays(500, 1);
  const RayHits hits = cast();
  RayHits others(500);
  vox_hits to = {};
  to.struct_size = sizeof to;
  EXPECT_OK(vox_scene_rays(engine_, scene_, 500, origins_.data(), directions_.data(), &to));
  to.distances = others.distances.data();
  EXPECT_OK(vox_scene_rays(EngineHandle(1), scene_, 500, origins_.data(), directions_.data(), &to));
  EXPECT_EQ(others.distances, hits.distances);
  EXPECT_OK(vox_scene_rays(engine_, scene_, 0, nullptr, nullptr, &to));
}

TEST_F(CapiRays, ThatCannotBeTracedAreErrors) {
  voxelize(VOX_MATERIALS_NONE, nullptr);
  vox_hits to = {};
  const auto cast = [&] {
    return vox_scene_rays(engine_, scene_, 10, origins_.data(), directions_.data(), &to);
  };
  make_rays(10, 1);
  EXPECT_EQ(cast(), VOX_BAD_USE);  // its size is missing
  to.struct_size = sizeof to;
  EXPECT_OK(cast());
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), kInfinity, -kInfinity, 1e300}) {
    make_rays(10, 1);
    origins_[13] = bad;
    EXPECT_EQ(cast(), VOX_BAD_USE) << bad;
    EXPECT_STREQ(vox_error_where(), "ray 4");
    make_rays(10, 1);
    directions_[13] = bad;
    EXPECT_EQ(cast(), bad == 1e300 ? VOX_OK : VOX_BAD_USE) << bad;
  }
  make_rays(10, 1);
  std::fill_n(&directions_[27], 3, 0.0);
  EXPECT_EQ(cast(), VOX_BAD_USE);
  directions_[28] = 5e-324;
  EXPECT_OK(cast());
  EXPECT_EQ(vox_scene_rays(engine_, scene_, 10, nullptr, directions_.data(), &to), VOX_BAD_USE);
  EXPECT_EQ(vox_scene_rays(engine_, scene_, 10, origins_.data(), nullptr, &to), VOX_BAD_USE);
  EXPECT_EQ(vox_scene_rays(engine_, scene_, 10, origins_.data(), directions_.data(), nullptr), VOX_BAD_USE);
  EXPECT_EQ(vox_scene_rays(engine_, nullptr, 10, origins_.data(), directions_.data(), &to), VOX_BAD_USE);
}

}  // namespace
}  // namespace vox::test
