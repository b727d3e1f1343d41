#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "formats/voxels/export.h"
#include "formats/voxels/openvdb/vdb.h"
#include "formats/voxels/voxel_file.h"
#include "formats/voxels/voxel_formats.h"
#include "libvox/base/error.h"
#include "libvox/dag/colors.h"
#include "libvox/dag/walk.h"
#include "libvox/scene/palette.h"
#include "libvox/voxelize/distances.h"
#include "tests/common/random.h"
#include "tests/formats/voxels/export_scenes.h"
#include "tests/formats/voxels/nanovdb/nvdb_bytes.h"
#include "tests/formats/voxels/openvdb/read_vdb.h"

namespace vox {
namespace {

using namespace testing_export;

class Export : public ExportTest {};

TEST_F(Export, KnowsItsExtensions) {
  for (const char* name :
       {"a.nrrd", "b/c.VOX", "a.h5.binvox", "a.obj", "a.GLB", "a.ply", "a.vtkhdf", "a.nvdb"})
    EXPECT_TRUE(is_export_path(name)) << name;
  for (const char* name : {"a.h5", "vox", ".vox", "a.nrrd/b", "a."})
    EXPECT_FALSE(is_export_path(name)) << name;
}

TEST_F(Export, LeavesTheTargetAsItWasWhenTheDiskIsFull) {
  KnownScene known = known_scene(100, Materials::Sixteen, noise_grid(7));
  for (const char* name : {"a.nrrd", "a.vox", "a.binvox", "a.obj", "a.glb", "a.ply", "a.vtkhdf", "a.nvdb"}) {
    FileSizeLimit limit(100'000);
    EXPECT_THROW(export_scene(known.scene, path(name), std::nullopt), Error) << name;
    EXPECT_TRUE(folder_is_empty()) << name;
  }
}

TEST_F(Export, FilesAreWrittenAfterOnesForWhichTheDiskWasTooFull) {
  KnownScene known = known_scene(100, Materials::Sixteen, noise_grid(7));
  export_scene(known.scene, path("first.vtkhdf"), std::nullopt);
  const std::string first = read_bytes(path("first.vtkhdf"));
  for (uint64_t most = 2'000; most < first.size(); most += first.size() / 20) {
    {
      FileSizeLimit limit(most);
      EXPECT_THROW(export_scene(known.scene, path("a.vtkhdf"), std::nullopt), Error) << most;
    }
    export_scene(known.scene, path("a.vtkhdf"), std::nullopt);
    EXPECT_EQ(read_bytes(path("a.vtkhdf")), first) << most;
  }
}

TEST_F(Export, ReplacesAnOlderFile) {
  KnownScene large = known_scene(40, Materials::Sixteen, noise_grid(8)),
             small = known_scene(5, Materials::Sixteen, noise_grid(9));
  std::filesystem::create_directories(path("fresh"));
  for (const char* name : {"a.nrrd", "a.vox", "a.binvox", "a.obj", "a.glb", "a.ply", "a.vtkhdf", "a.nvdb"}) {
    export_scene(large.scene, path(name), std::nullopt);
    export_scene(small.scene, path(name), std::nullopt);
    const std::filesystem::path fresh = path("fresh") / name;
    export_scene(small.scene, fresh, std::nullopt);
    EXPECT_EQ(read_bytes(path(name)), read_bytes(fresh));
  }
}

// A scene file may state a wrong number of voxels, which its digest does not tell.
TEST_F(Export, ListsOfVoxelsAreNotLongerOrShorterThanTheySay) {
  KnownScene known = known_scene(40, Materials::Sixteen, noise_grid(8));
  for (const uint64_t wrong : {known.scene.dag.voxels + 1, known.scene.dag.voxels - 1}) {
    known.scene.dag.voxels = wrong;
    EXPECT_THROW(export_scene(known.scene, path("a.npz"), std::nullopt), Error) << wrong;
    EXPECT_THROW(export_scene(known.scene, path("a.ply"), std::nullopt, {.ply = PlyContent::Points}), Error);
    EXPECT_TRUE(folder_is_empty());
  }
}

TEST_F(Export, ErrorsNameTheTarget) {
  KnownScene known = known_scene(8, Materials::Sixteen, noise_grid(8));
  std::filesystem::create_directories(path("folder.nrrd"));
  for (const char* name : {"no/such/folder/a.nrrd", "folder.nrrd", "a.png"}) {
    try {
      export_scene(known.scene, path(name), std::nullopt);
      ADD_FAILURE() << name;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(path(name).string()), std::string::npos) << error.what();
    }
  }
  for (const char* name : {"a.nrrd", "a.vox", "a.binvox", "a.obj", "a.glb", "a.ply", "a.vtkhdf", "a.nvdb"}) {
    try {
      export_scene(known.scene, path(name), VoxelBox{{8, 0, 0}, {9, 9, 9}});
      ADD_FAILURE() << name;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(path(name).string()), std::string::npos) << error.what();
    }
  }
}

using ScenePointer = std::shared_ptr<const dag::VoxelScene>;

ScenePointer placed_scene(KnownScene known, Vec3d origin, const VoxelSize& voxel_size) {
  known.scene.origin = origin;
  known.scene.voxel_size = voxel_size;
  return std::make_shared<const dag::VoxelScene>(std::move(known.scene));
}

// Returns the voxels of a scene on a grid: -1 or a material.
std::vector<int> dense_on_grid(const dag::VoxelScene& scene, const voxelize::Grid& grid) {
  const auto side = static_cast<int32_t>(grid.resolution);
  std::vector<int> values(size_t(side) * size_t(side) * size_t(side), -1);
  const auto value_at = [&](Int3 v) -> int& {
    const int32_t place = (v.z * side + v.y) * side + v.x;
    return values[static_cast<size_t>(place)];
  };
  const bool larger = scene.voxel_size.x > grid.voxel_size.x;
  // The loop tests the centers of the smaller voxels, those of a scene in Morton order.
  const uint64_t count = larger ? values.size() : 1 << 18;
  for (uint64_t i = 0; i < count; ++i) {
    const auto at = static_cast<int32_t>(i);
    const Int3 voxel = larger ? Int3{at % side, at / side % side, at / side / side} : morton_decode(i);
    const Vec3d middle = {voxel.x + 0.5, voxel.y + 0.5, voxel.z + 0.5};
    const Vec3d world =
        larger ? grid.origin + middle * grid.voxel_size : scene.origin + middle * scene.voxel_size;
    const Vec3d to = larger ? scene.origin : grid.origin;
    const double size = larger ? scene.voxel_size.x : grid.voxel_size.x;
    const Int3 other = {static_cast<int32_t>(std::floor((world.x - to.x) / size)),
                        static_cast<int32_t>(std::floor((world.y - to.y) / size)),
                        static_cast<int32_t>(std::floor((world.z - to.z) / size))};
    const Int3 from = larger ? other : voxel, target = larger ? voxel : other;
    if (std::min({from.x, from.y, from.z}) < 0 || std::min({target.x, target.y, target.z}) < 0) continue;
    if (std::max({target.x, target.y, target.z}) >= side) continue;
    const int value = dag::voxel_at(scene.dag, uint32_t(from.x), uint32_t(from.y), uint32_t(from.z));
    if (value >= 0) value_at(target) = value;
  }
  return values;
}

TEST(ComposedVoxels, AreThoseOfTheLastSceneThatFillsAPlace) {
  const KnownScene noise = known_scene(37, Materials::Sixteen, noise_grid(1));
  const KnownScene full = known_scene(9, Materials::Sixteen, full_grid);
  const voxelize::Grid grid = {.resolution = 80, .origin = {-3, 2, 1}, .voxel_size = 0.5};
  // The scenes have equal, larger and smaller voxels, aligned with the grid and not, and reach beyond its
  // sides.
  for (const auto& [size, origin] : std::vector<std::pair<double, Vec3d>>{{0.5, {-1, 4, 6}},
                                                                          {0.5, {-6.25, 1.125, 3}},
                                                                          {1.25, {-20, -3.5, 2}},
                                                                          {1, {-3, 2, 1}},
                                                                          {0.125, {1, 5, 2.0625}},
                                                                          {3, {0.25, -40, -31}},
                                                                          {0.375, {-3, 2.5, 1}},
                                                                          {40, {-100, -90, -95}}}) {
    const ScenePointer below = placed_scene(noise, origin, size);
    const ScenePointer above = placed_scene(full, {5, 6, 7}, 0.75);
    const VoxelFile file = composed_voxels({below, above}, grid);
    const dag::VoxelScene scene = scene_of_voxels(file, {}, "composed").scene;
    dag::verify(scene.dag);
    EXPECT_EQ(scene.palette.colors, noise.scene.palette.colors);
    const std::vector<int> lower = dense_on_grid(*below, grid), upper = dense_on_grid(*above, grid);
    for (size_t i = 0; i < lower.size(); ++i)
      ASSERT_EQ(dag::voxel_at(scene.dag, uint32_t(i % 80), uint32_t(i / 80 % 80), uint32_t(i / 6400)),
                upper[i] >= 0 ? upper[i] : lower[i])
          << size << ' ' << i;
  }
}

TEST(ComposedVoxels, OnTheGridOfASceneAreTheScene) {
  KnownScene known = known_scene(70, Materials::Sixteen, noise_grid(2));
  const ScenePointer scene = placed_scene(known, {0.1, 7e5, -3.3}, 0.3);
  const voxelize::Grid grid = {.resolution = 70, .origin = scene->origin, .voxel_size = 0.3};
  EXPECT_EQ(scene_of_voxels(composed_voxels({scene}, grid), {}, "one").scene.dag.digest,
            known.scene.dag.digest);
}

TEST(ComposedVoxels, DifferentPalettesBecomeOne) {
  KnownScene red = known_scene(4, Materials::Sixteen, full_grid), blue = red, bare = red;
  red.scene.palette = {.count = 8};
  blue.scene.palette = {.count = 9};
  red.scene.palette.colors[7] = {200, 10, 20};
  blue.scene.palette.colors[7] = {0, 20, 220};
  bare.scene.palette = {};
  const VoxelFile file = composed_voxels(
      {placed_scene(red, {0, 0, 0}, 1), placed_scene(blue, {4, 0, 0}, 1), placed_scene(bare, {8, 0, 0}, 1)},
      {.resolution = 12, .origin = {0, 0, 0}, .voxel_size = 1});
  const dag::VoxelScene scene = scene_of_voxels(file, {}, "three").scene;
  EXPECT_EQ(scene.palette.count, 3u);
  const auto color_at = [&](uint32_t x) {
    return scene.palette.colors[size_t(dag::voxel_at(scene.dag, x, 0, 0))];
  };
  EXPECT_EQ(color_at(3), red.scene.palette.colors[7]);
  EXPECT_EQ(color_at(4), blue.scene.palette.colors[7]);
  EXPECT_EQ(color_at(11), (scene::Rgb8{200, 200, 200}));
}

TEST(ComposedVoxels, KeepTheColorsOfTheirScenes) {
  KnownScene colored = known_scene(40, Materials::Colors, noise_grid(1));
  const KnownScene full = known_scene(9, Materials::Sixteen, full_grid),
                   bare = known_scene(3, Materials::None, full_grid);
  const auto file = [&](const Vec3d& origin) {
    return composed_voxels({placed_scene(colored, {0, 0, 0}, 1), placed_scene(full, origin, 1),
                            placed_scene(bare, {41, 0, 0}, 1)},
                           {.resolution = 44, .origin = {0, 0, 0}, .voxel_size = 1});
  };
  const dag::VoxelScene scene = scene_of_voxels(file({20, 7, 11}), {.colors = true}, "colors").scene;
  ASSERT_TRUE(scene.colors);
  const dag::LeafColors colors(scene);
  uint64_t seen = 0;
  dag::for_each_leaf(scene.dag, cube_at({0, 0, 0}, 44), [&](Int3 corner, uint64_t mask, const uint32_t*) {
    const std::array<uint32_t, 64> of_leaf = colors(corner);
    for (; mask != 0; mask &= mask - 1, ++seen) {
      const auto bit = static_cast<uint32_t>(lowest_bit(mask));
      const Int3 at = corner + cube_place(bit);
      const bool is_above = full.value(at - Int3{20, 7, 11}) != 0;
      const uint32_t expected = is_above     ? scene::packed_color(full.scene.palette.colors[7])
                                : at.x >= 41 ? scene::packed_color({200, 200, 200})
                                             : colored.color(at);
      ASSERT_EQ(of_leaf[bit], expected) << at.x << ' ' << at.y << ' ' << at.z;
    }
  });
  EXPECT_EQ(seen, scene.dag.voxels);
  EXPECT_GT(seen, colored.scene.dag.voxels);
  // Without --materials colors they are matched to a palette.
  const dag::VoxelScene matched = scene_of_voxels(file({20, 7, 11}), {}, "palette").scene;
  EXPECT_FALSE(matched.colors);
  EXPECT_EQ(matched.palette.count, 16u);
}

TEST(ComposedVoxels, TheFilledBoxIsThatOfTheVoxels) {
  const auto few = [](uint32_t x, uint32_t y, uint32_t z) {
    return (x == 3 && y == 9 && z == 17) || (x == 30 && y == 7 && z == 18) ? 0 : dag::kEmptyVoxel;
  };
  const auto box = filled_box(*placed_scene(known_scene(40, Materials::Sixteen, few), {10, 20, 30}, 2));
  EXPECT_EQ(box.min, (Vec3d{16, 34, 64}));
  EXPECT_EQ(box.max, (Vec3d{72, 40, 68}));
  const auto all = filled_box(*placed_scene(known_scene(37, Materials::Sixteen, full_grid), {0, 0, 0}, 1));
  EXPECT_EQ(all.min, (Vec3d{0, 0, 0}));
  EXPECT_EQ(all.max, (Vec3d{37, 37, 37}));
}

}  // namespace

// Distances to a mesh, and the materials beside them, in .vdb and .nvdb files.

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
