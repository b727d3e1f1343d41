// Distances to a mesh, and the materials beside them, in .vdb and .nvdb files.
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <cstring>

#include "formats/voxels/export.h"
#include "formats/voxels/openvdb/vdb.h"
#include "formats/voxels/voxel_formats.h"
#include "libvox/scene/palette.h"
#include "libvox/voxelize/distances.h"
#include "tests/common/random.h"
#include "tests/formats/voxels/export_scenes.h"
#include "tests/formats/voxels/nanovdb/nvdb_bytes.h"
#include "tests/formats/voxels/openvdb/read_vdb.h"

namespace vox {
namespace {

using namespace testing_export;
using namespace testing_vdb;

using DistanceFiles = ExportTest;

// Distances to sixty triangles of three materials, on a grid of 140³ voxels.
struct KnownDistances {
  static constexpr uint32_t kSide = 140;

  explicit KnownDistances(bool solid) : field(scene, indexed, grid, options(solid)) {
    const VoxelBox box = cube_at({0, 0, 0}, kSide);
    field.distance_volume().read(box, reinterpret_cast<std::byte*>(distances.data()));
    field.material_volume().read(box, reinterpret_cast<std::byte*>(materials.data()));
  }
  static scene::Scene triangles() {
    Random random(5);
    scene::Scene scene;
    for (const char* name : {"a", "b", "c"}) scene.materials.push_back({.name = name});
    for (uint32_t i = 0; i < 60; ++i) {
      const Vec3d middle = random.in_cube(0, 70);
      for (uint32_t corner = 0; corner < 3; ++corner)
        scene.positions.push_back(middle + random.in_cube(-9, 9));
      scene.triangles.push_back(
          {{3 * i, 3 * i + 1, 3 * i + 2}, {scene::kNone, scene::kNone, scene::kNone}, i % 3});
    }
    return scene;
  }
  static voxelize::DistanceOptions options(bool solid) {
    voxelize::DistanceOptions options = {.band = 2.5};
    if (solid) options.inside = voxelize::InsideRule::Parity;
    return options;
  }
  static size_t place(Int3 at) {
    return static_cast<size_t>(at.x) + kSide * (static_cast<size_t>(at.y) + kSide * size_t(at.z));
  }

  scene::Scene scene = triangles();
  scene::IndexedScene indexed =
      scene::index_scene(scene, scene::mesh_palette(scene), scene::MaterialMode::Mesh);
  voxelize::Grid grid = {.resolution = kSide, .origin = {1, 2, 3}, .voxel_size = 0.5};
  voxelize::DistanceField field;
  std::vector<float> distances = std::vector<float>(size_t{kSide} * kSide * kSide);
  std::vector<uint8_t> materials = std::vector<uint8_t>(distances.size());
};

TEST_F(DistanceFiles, DistancesAndMaterialsAreThoseOfTheField) {
  for (const bool solid : {false, true}) {
    const KnownDistances known(solid);
    write_vdb(known.field, path("a.vdb"), {.has_signs = solid, .materials = true});
    const VdbReader file(read_bytes(path("a.vdb")));
    EXPECT_EQ(file.grids.at("sdf").background, Value{1.25});
    EXPECT_EQ(file.grids.at("sdf").has_negative, solid);
    EXPECT_EQ(file.grids.at("sdf").metadata.at("class"), solid ? "level set" : "unknown");
    EXPECT_EQ(file.grids.at("material").background, Value{});
    const auto near =
        std::ranges::count_if(known.distances, [](float value) { return std::abs(value) < 1.25f; });
    EXPECT_GT(near, 10'000);
    for (const auto& [name, read] : file.grids) {
      EXPECT_EQ(std::ssize(read.cubes), near);
      EXPECT_EQ(read.shift, (Vec3d{1.25, 2.25, 3.25}));
      for (const ReadCube& cube : read.cubes) {
        ASSERT_EQ(cube.side, 1);
        const size_t place = KnownDistances::place(cube.corner);
        ASSERT_LT(std::abs(known.distances[place]), 1.25f);
        ASSERT_EQ(cube.value[0], name == "sdf" ? double{known.distances[place]}
                                               : static_cast<double>(known.materials[place]));
      }
    }
  }
}

TEST_F(DistanceFiles, DistancesOfNanoVdbAreThoseOfTheField) {
  const KnownDistances known(true);
  for (const Floats floats : {Floats::F32, Floats::F16}) {
    write_nvdb(known.field, path("a.nvdb"), {.signs = DistanceSigns::Yes, .floats = floats});
    const std::string bytes = read_bytes(path("a.nvdb"));
    EXPECT_TRUE(is_nvdb_of_vox(bytes));
    testing_nvdb::NvdbLookup file(bytes);
    EXPECT_EQ(file.places().type, floats == Floats::F32 ? 1u : 15u);
    EXPECT_EQ(file.get<uint32_t>(file.places().grid + 632), 1u);  // a level set
    // Distances are those of the voxels' centers, as in a .vdb file.
    for (uint32_t axis = 0; axis < 3; ++axis)
      EXPECT_EQ(file.get<double>(file.places().grid + 528 + 8 * axis), 1.25 + axis);
    uint64_t active = 0;
    const float most = floats == Floats::F32 ? 0 : 2.5f / 65535 * 0.51f;
    for (Int3 at = {0, 0, 0}; at.z < 140; ++at.z)
      for (at.y = 0; at.y < 140; ++at.y)
        for (at.x = 0; at.x < 140; ++at.x) {
          const float expected = known.distances[KnownDistances::place(at)];
          const bool is_active = std::abs(expected) < 1.25f;
          active += is_active ? 1 : 0;
          // The first voxel of a cube without a brick decides for all of it.
          file.finds_inactive = (at.x | at.y | at.z) % 8 == 0;
          const std::optional<uint64_t> found = file.value(at);
          ASSERT_EQ(found.has_value(), is_active || file.finds_inactive);
          if (!found) continue;
          const auto low = static_cast<uint32_t>(*found);
          float value = 0;
          std::memcpy(&value, &low, sizeof value);
          ASSERT_NEAR(value, expected, most);
        }
    EXPECT_EQ(file.get<uint64_t>(file.places().tree + 56), active);
    const dag::VoxelScene read = read_voxels(path("a.nvdb"), {.materials = false}).scene;
    EXPECT_EQ(read.dag.voxels, active);
    EXPECT_EQ(read.origin, (Vec3d{1, 2, 3}));
  }
  write_nvdb(known.field, path("b.nvdb"), {});
  const testing_nvdb::NvdbLookup file(read_bytes(path("b.nvdb")));
  EXPECT_EQ(file.get<uint32_t>(file.places().grid + 632), 0u);
}

TEST_F(DistanceFiles, MaterialsOfNanoVdbAreASecondGrid) {
  const KnownDistances known(true);
  write_nvdb(known.field, path("a.nvdb"), {.signs = DistanceSigns::Yes});
  write_nvdb(known.field, path("b.nvdb"), {.signs = DistanceSigns::Yes, .materials = true});
  const std::string alone = read_bytes(path("a.nvdb")), both = read_bytes(path("b.nvdb"));
  EXPECT_TRUE(is_nvdb_of_vox(both));
  ASSERT_TRUE(both.starts_with(alone));
  testing_nvdb::NvdbLookup file(both.substr(alone.size()));
  EXPECT_EQ(file.places().type, 14u);                           // Fp8
  EXPECT_EQ(file.get<uint32_t>(file.places().grid + 632), 0u);  // of no class
  file.finds_inactive = true;
  uint64_t near = 0;
  for (Int3 at = {0, 0, 0}; at.z < 140; ++at.z)
    for (at.y = 0; at.y < 140; ++at.y)
      for (at.x = 0; at.x < 140; ++at.x) {
        const size_t place = KnownDistances::place(at);
        const bool is_near = std::abs(known.distances[place]) < 1.25f;
        const auto bits = static_cast<uint32_t>(file.value(at).value());
        float value = -1;
        std::memcpy(&value, &bits, sizeof value);
        ASSERT_EQ(value, is_near ? static_cast<float>(known.materials[place]) : 0.f);
        near += is_near ? 1 : 0;
      }
  EXPECT_EQ(file.get<uint64_t>(file.places().tree + 56), near);
  if (std::system("command -v nanovdb_validate > /dev/null 2>&1") != 0) return;
  EXPECT_EQ(std::system(fmt::format("nanovdb_validate '{}' > /dev/null", path("b.nvdb").string()).c_str()),
            0);
}

}  // namespace
}  // namespace vox
