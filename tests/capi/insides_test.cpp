// Insides, shells, distances and reports of the C interface, compared with searches in dense grids and over all triangles.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "libvox/base/geometry.h"
#include "tests/capi/meshes.h"

namespace vox::test {
namespace {

constexpr int kSide = 24;
using Dense = std::vector<uint8_t>;  // 0 is empty, material m is m + 1

size_t place_of(Int3 v) {
  const int place = v.x + kSide * (v.y + kSide * v.z);
  return static_cast<size_t>(place);
}
bool in_grid(Int3 v) {
  return std::min({v.x, v.y, v.z}) >= 0 && std::max({v.x, v.y, v.z}) < kSide;
}
Int3 voxel_at(size_t place) {
  const int number = static_cast<int>(place);
  return {number % kSide, number / kSide % kSide, number / kSide / kSide};
}

// A box of triangles that face outwards, and some that stand apart.
class CapiInsides : public ::testing::Test {
 protected:
  CapiInsides() {
    for (uint32_t i = 0; i < 8; ++i)
      for (uint32_t axis = 0; axis < 3; ++axis)
        positions_.push_back((i >> axis & 1) != 0 ? 10.f - static_cast<float>(axis) : 0.25f);
    faces_ = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
              2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    materials_ = three_materials();
    make_mesh();
  }

  void make_mesh() {
    vox_mesh_arrays arrays = {};
    arrays.struct_size = sizeof arrays;
    arrays.vertices = positions_.size() / 3, arrays.triangles = faces_.size() / 3;
    arrays.positions = positions_.data(), arrays.indices = faces_.data();
    arrays.materials = materials_.data(), arrays.material_count = 3;
    EXPECT_OK(vox_mesh_create(&arrays, mesh_.to()));
  }

  Dense voxels_of(const vox_voxelize_options& options) {
    EXPECT_OK(vox_voxelize(engine_, mesh_, &options, scene_.to()));
    const std::array<int64_t, 3> low = {}, high = {kSide, kSide, kSide};
    Dense dense(size_t{kSide} * kSide * kSide);
    EXPECT_OK(
        vox_scene_dense(engine_, scene_, low.data(), high.data(), VOX_DENSE_U8, dense.data(), dense.size()));
    return dense;
  }

  vox_voxelize_options with_numbers() const {
    vox_voxelize_options options = at_resolution(kSide);
    options.materials = VOX_MATERIALS_NUMBERS;
    return options;
  }

  // Fills what no path from the grid's faces leads to.
  static Dense flooded(Dense surface, uint8_t value) {
    std::vector<uint8_t> reached(surface.size());
    std::vector<size_t> next;
    const auto reach = [&](Int3 v) {
      if (!in_grid(v) || surface[place_of(v)] != 0 || reached[place_of(v)] != 0) return;
      reached[place_of(v)] = 1;
      next.push_back(place_of(v));
    };
    for (size_t i = 0; i < surface.size(); ++i) {
      const Int3 v = voxel_at(i);
      if (std::min({v.x, v.y, v.z}) == 0 || std::max({v.x, v.y, v.z}) == kSide - 1) reach(v);
    }
    while (!next.empty()) {
      const Int3 v = voxel_at(next.back());
      next.pop_back();
      for (const Int3 step : {Int3{1, 0, 0}, Int3{0, 1, 0}, Int3{0, 0, 1}}) reach(v + step), reach(v - step);
    }
    for (size_t i = 0; i < surface.size(); ++i)
      if (surface[i] == 0 && reached[i] == 0) surface[i] = value;
    return surface;
  }

  std::vector<float> positions_;
  std::vector<uint32_t> faces_;
  std::array<vox_material, 3> materials_ = {};
  EngineHandle engine_;
  MeshHandle mesh_;
  SceneHandle scene_;
};

TEST_F(CapiInsides, FloodsFillWhatNoPathLeadsTo) {
  std::swap(faces_[0], faces_[1]);  // whatever way triangles face
  make_mesh();
  vox_voxelize_options options = with_numbers();
  const Dense surface = voxels_of(options);
  options.solid = VOX_SOLID_FLOOD;
  EXPECT_EQ(voxels_of(options), flooded(surface, 1));
  options.interior = 1 + 2;
  const Dense filled = voxels_of(options);
  EXPECT_EQ(filled, flooded(surface, 3));
  EXPECT_GT(std::ranges::count(filled, 3), 1000);
  EXPECT_EQ(info_of(scene_).solid, 1u);
}

TEST_F(CapiInsides, TellWhereRulesDiffer) {
  const size_t corners = positions_.size() / 3;
  for (size_t i = 0; i < 3 * corners; ++i) positions_.push_back(positions_[i] + 3);
  for (size_t i = 0, faces = faces_.size(); i < faces; ++i)
    faces_.push_back(faces_[i] + static_cast<uint32_t>(corners));
  make_mesh();
  std::string texts;
  const auto add = [](void* to, int32_t, const char* text) { *static_cast<std::string*>(to) += text; };
  EXPECT_OK(vox_engine_set_log(engine_, add, &texts));
  vox_voxelize_options options = with_numbers();
  options.solid = VOX_SOLID;
  voxels_of(options);
  EXPECT_NE(texts.find("in several surfaces at once, and are filled"), std::string::npos) << texts;
  options.solid = VOX_SOLID_PARITY;
  voxels_of(options);
  EXPECT_NE(texts.find("in several surfaces at once, and are left empty"), std::string::npos) << texts;
  EXPECT_OK(vox_engine_set_log(engine_, nullptr, nullptr));
}

TEST_F(CapiInsides, ShellsAreDistancesToTheNearestSurfaceVoxel) {
  vox_voxelize_options options = with_numbers();
  const Dense surface = voxels_of(options);
  std::vector<Int3> surface_voxels;
  for (size_t i = 0; i < surface.size(); ++i)
    if (surface[i] != 0) surface_voxels.push_back(voxel_at(i));
  const std::array<double, 2> depths = {1.5, 4.25};
  const std::array<uint8_t, 2> numbers = {1, 0};
  options.interior = 1 + 2;
  options.shell_count = 2, options.shell_depths = depths.data(), options.shell_materials = numbers.data();
  for (const uint32_t solid : {VOX_SOLID_FLOOD, VOX_SOLID, VOX_SOLID_PARITY}) {
    options.solid = solid;
    const Dense shells = voxels_of(options);
    Dense expected = flooded(surface, 3);
    for (size_t i = 0; i < expected.size(); ++i) {
      if (surface[i] != 0 || expected[i] == 0) continue;
      int nearest = INT32_MAX;
      for (const Int3& other : surface_voxels) {
        const Int3 step = voxel_at(i) - other;
        nearest = std::min(nearest, step.x * step.x + step.y * step.y + step.z * step.z);
      }
      if (nearest <= 1.5 * 1.5)
        expected[i] = 2;
      else if (nearest <= 4.25 * 4.25)
        expected[i] = 1;
    }
    EXPECT_EQ(shells, expected) << solid;
  }
}

TEST_F(CapiInsides, GapsCloseUpToTheWidthThatIsAskedFor) {
  // The box's lid lies a voxel and a half above it, and shares no vertices with it.
  const auto lift = static_cast<float>(10 * 1.5 / kSide);
  for (const uint32_t corner : {2u, 3u, 6u, 7u}) {
    for (const uint32_t axis : {0u, 1u, 2u})
      positions_.push_back(positions_[3 * corner + axis] + (axis == 1 ? lift : 0));
  }
  for (size_t i = 18; i < 24; ++i) {
    const uint32_t corner = faces_[i];
    faces_[i] = 8 + (corner & 1) + (corner >> 1 & 2);
  }
  make_mesh();
  vox_voxelize_options options = with_numbers();
  options.solid = VOX_SOLID;
  options.close = 2;
  const auto filled = [&] {
    return std::ranges::count_if(voxels_of(options), [](uint8_t v) { return v > 0; });
  };
  const auto closed = filled();
  options.close = 0, options.solid = VOX_SURFACE;
  EXPECT_GT(closed, filled() + 3000);
}

TEST_F(CapiInsides, DistancesAreThoseToTheNearestTriangle) {
  vox_voxelize_options options = at_resolution(kSide);
  const std::array<double, 3> sides = {0.5, 0.75, 0.625};
  options.resolution = 0, options.sides = sides.data();
  vox_info grid = {};
  grid.struct_size = sizeof grid;
  EXPECT_OK(vox_mesh_distances(engine_, mesh_, &options, 2, nullptr, 0, &grid));
  const auto side = static_cast<int>(grid.resolution);
  std::vector<float> distances(size_t{grid.resolution} * grid.resolution * grid.resolution);
  const float band = 2 * 0.5f;
  for (const uint32_t solid : {VOX_SURFACE, VOX_SOLID, VOX_SOLID_PARITY}) {
    options.solid = solid;
    EXPECT_OK(vox_mesh_distances(engine_, mesh_, &options, 2, distances.data(), 4 * distances.size(), &grid));
    int inside = 0;
    for (size_t i = 0; i < distances.size(); ++i) {
      const int number = static_cast<int>(i);
      const Int3 voxel = {number % side, number / side % side, number / side / side};
      Vec3d at = {};
      bool is_inside = true;
      for (uint32_t k = 0; k < 3; ++k) {
        at[k] = grid.origin[k] + grid.voxel_size[k] * (voxel[k] + 0.5);
        is_inside = is_inside && at[k] > 0.25 && at[k] < 10 - k;
      }
      double nearest = band;
      for (size_t face = 0; face < faces_.size(); face += 3) {
        std::array<Vec3d, 3> corners = {};
        for (size_t c = 0; c < 3; ++c)
          for (uint32_t k = 0; k < 3; ++k) corners[c][k] = positions_[3 * faces_[face + c] + k];
        const Vec2<double> w = closest_weights(corners[0], corners[1], corners[2], at);
        const Vec3d closest = corners[0] + (corners[1] - corners[0]) * w.x + (corners[2] - corners[0]) * w.y;
        nearest = std::min(nearest, length(closest - at));
      }
      const bool negative = solid != VOX_SURFACE && is_inside;
      inside += negative ? 1 : 0;
      ASSERT_NEAR(distances[i], negative ? -nearest : nearest, 1e-5) << i;
    }
    EXPECT_EQ(inside > 500, solid != VOX_SURFACE);
  }
}

TEST_F(CapiInsides, ReportsCountOpenEdges) {
  const auto report = [&] {
    const vox_voxelize_options options = at_resolution(kSide);
    uint64_t bytes = 0;
    EXPECT_OK(vox_mesh_report(engine_, mesh_, &options, nullptr, 0, &bytes));
    std::string text(bytes + 1, ' ');
    EXPECT_OK(vox_mesh_report(engine_, mesh_, &options, text.data(), text.size(), &bytes));
    return text;
  };
  EXPECT_NE(report().find("\"open_edges\": 0"), std::string::npos) << report();
  faces_.resize(faces_.size() - 3);
  make_mesh();
  EXPECT_NE(report().find("\"open_edges\": 3"), std::string::npos) << report();
}

TEST_F(CapiInsides, RefuseWhatMakesNoSense) {
  const auto refused = [&](const vox_voxelize_options& options, const char* about) {
    EXPECT_EQ(vox_voxelize(engine_, mesh_, &options, scene_.to()), VOX_BAD_USE) << about;
    EXPECT_NE(std::string(vox_error_message()).find(about), std::string::npos) << vox_error_message();
  };
  const std::array<double, 2> depths = {3, 2};
  const std::array<uint8_t, 2> numbers = {1, 16};
  vox_voxelize_options options = with_numbers();
  options.interior = 1;
  refused(options, "interior");  // without a solid
  options.solid = VOX_SOLID;
  options.interior = 18;
  refused(options, "interior");
  options.interior = 4;  // the mesh has three
  refused(options, "3 materials");
  options.interior = 1, options.shell_count = 2;
  refused(options, "shell_depths is NULL");
  options.shell_depths = depths.data(), options.shell_materials = numbers.data();
  refused(options, "ascend");
  options.shell_count = 1, options.interior = 0;
  refused(options, "interior");
  options = with_numbers();
  options.close = 1;
  refused(options, "close");
  options.close = NAN;
  refused(options, "close");
  options = at_resolution(kSide);
  options.solid = VOX_SOLID_FLOOD, options.materials = VOX_MATERIALS_COLORS;
  refused(options, "VOX_SOLID_FLOOD");
  const std::array<double, 3> sides = {1, 0, 1};
  options = with_numbers();
  options.resolution = 0, options.sides = sides.data();
  refused(options, "sides[1]");
  options.voxel_size = 1;
  refused(options, "sides");
  options = at_resolution(kSide);
  float distance = 0;
  for (const double band : {0.25, 1000., double{NAN}})
    EXPECT_EQ(vox_mesh_distances(engine_, mesh_, &options, band, &distance, 4, nullptr), VOX_BAD_USE);
  EXPECT_EQ(vox_mesh_distances(engine_, mesh_, &options, 2, &distance, 4, nullptr), VOX_BAD_USE);
  options.solid = VOX_SOLID_FLOOD;
  EXPECT_EQ(vox_mesh_distances(engine_, mesh_, &options, 2, nullptr, 0, nullptr), VOX_BAD_USE);
}

}  // namespace
}  // namespace vox::test
