#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "formats/voxels/export.h"
#include "formats/voxels/openvdb/vdb.h"
#include "formats/voxels/voxel_formats.h"
#include "libvox/scene/oklab.h"
#include "tests/formats/voxels/export_scenes.h"
#include "tests/formats/voxels/openvdb/read_vdb.h"

namespace vox {
namespace {

using namespace testing_export;
using namespace testing_vdb;

double linear(uint8_t code) {
  const double c = code / 255.0;
  return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}

// Voxels of several nodes of 128³ whose bounds begin at the grid's corner.
int sparse_grid(uint32_t x, uint32_t y, uint32_t z) {
  return (x * 7 + y * 5 + z * 3) % 31 == 0 ? static_cast<int>((x + z) % 16) : dag::kEmptyVoxel;
}

class VdbWritten : public ExportTest {
 protected:
  // Compares all grids of the file with the voxels of the region.
  void expect_grids(const KnownScene& known, const VoxelBox& region) const {
    const VdbReader file(read_bytes(path("a.vdb")));
    const bool materials = known.scene.dag.materials, colors = materials || known.scene.colors.has_value();
    EXPECT_EQ(file.grids.size(), 1u + (materials ? 1 : 0) + (colors ? 1 : 0));
    EXPECT_EQ(file.grids.at("density").type, "Tree_float_5_4_3");
    EXPECT_EQ(file.grids.at("density").metadata.at("class"), "fog volume");
    for (const auto& [name, grid] : file.grids) {
      EXPECT_EQ(grid.background, Value{});
      EXPECT_FALSE(grid.has_negative);
      for (uint32_t axis = 0; axis < 3; ++axis) {
        EXPECT_EQ(grid.sides[axis], known.scene.voxel_size[axis]);
        EXPECT_EQ(grid.shift[axis], known.scene.origin[axis] + known.scene.voxel_size[axis] * 0.5);
      }
      uint64_t voxels = 0;
      for (const ReadCube& cube : grid.cubes) {
        const VoxelBox box = cube_at(cube.corner, static_cast<uint32_t>(cube.side));
        ASSERT_EQ(intersection(box, region), box);
        voxels += box.voxels();
        for (int32_t z = box.min.z; z < box.max.z; ++z)
          for (int32_t y = box.min.y; y < box.max.y; ++y)
            for (int32_t x = box.min.x; x < box.max.x; ++x)
              if (!is_value(known, name, {x, y, z}, cube.value)) FAIL() << name << x << ' ' << y << ' ' << z;
      }
      ASSERT_EQ(voxels, known.count(region)) << name;
    }
  }

 private:
  static bool is_value(const KnownScene& known, const std::string& grid, Int3 voxel, const Value& value) {
    const int expected = known.value(voxel);
    if (expected == 0) return false;
    if (grid != "color") return value == Value{grid == "density" ? 1.0 : expected};
    const scene::Rgb8 color = known.scene.colors ? scene::unpacked_color(known.color(voxel))
                                                 : known.scene.palette.colors[size_t(expected - 1)];
    return std::abs(value[0] - linear(color.r)) < 1e-6 && std::abs(value[1] - linear(color.g)) < 1e-6 &&
           std::abs(value[2] - linear(color.b)) < 1e-6;
  }
};

TEST_F(VdbWritten, EveryVoxelStandsInEachGrid) {
  for (const Materials materials : {Materials::None, Materials::Sixteen, Materials::Colors})
    for (const uint32_t resolution : {4u, 8u, 37u}) {
      KnownScene known = known_scene(resolution, materials, noise_grid(resolution));
      known.scene.voxel_size = {0.25, 0.5, 0.75};
      known.scene.origin = {-3, 100.125, 7};
      write_vdb(known.scene, path("a.vdb"), std::nullopt);
      expect_grids(known, cube_at({0, 0, 0}, resolution));
    }
}

TEST_F(VdbWritten, OnlyVoxelsOfTheClipBoxAreWritten) {
  const KnownScene known = known_scene(70, Materials::Sixteen, noise_grid(9));
  const VoxelBox clip = {{3, 9, 30}, {66, 50, 65}};
  write_vdb(known.scene, path("a.vdb"), clip);
  expect_grids(known, clip);
}

TEST_F(VdbWritten, PartsOfOneMaterialAreTiles) {
  const KnownScene known = known_scene(256, Materials::Sixteen, [](uint32_t x, uint32_t y, uint32_t z) {
    return x < 128 && y < 128 && z < 128 ? 3 : x == 200 && y < 64 ? 4 : dag::kEmptyVoxel;
  });
  write_vdb(known.scene, path("a.vdb"), std::nullopt);
  expect_grids(known, cube_at({0, 0, 0}, 256));
  const VdbReader file(read_bytes(path("a.vdb")));
  EXPECT_EQ(file.grids.at("material").tiles, 1u);
  EXPECT_EQ(file.grids.at("material").leaves, 8u * 32u);
  EXPECT_LT(std::filesystem::file_size(path("a.vdb")), 400'000u);
}

TEST_F(VdbWritten, ASceneWithoutVoxelsHasEmptyGrids) {
  const KnownScene known = known_scene(16, Materials::Sixteen, empty_grid);
  write_vdb(known.scene, path("a.vdb"), std::nullopt);
  expect_grids(known, cube_at({0, 0, 0}, 16));
  EXPECT_TRUE(is_vdb_of_vox(path("a.vdb")));
  EXPECT_FALSE(is_vdb_of_vox(path("none.vdb")));
}

// The program reads with the OpenVDB library itself, and writes what our reader of .nvdb knows.
TEST_F(VdbWritten, TheLibraryReadsTheSameVoxels) {
  if (std::system("command -v nanovdb_convert > /dev/null 2>&1") != 0)
    GTEST_SKIP() << "nanovdb_convert is not installed";
  for (const Materials materials : {Materials::None, Materials::Sixteen, Materials::Colors}) {
    const KnownScene known = known_scene(140, materials, sparse_grid);
    write_vdb(known.scene, path("a.vdb"), std::nullopt);
    for (const char* grid : {"density", "material", "color"}) {
      if (materials == Materials::None && grid != std::string("density")) continue;
      if (materials == Materials::Colors && grid == std::string("material")) continue;
      const std::string command = fmt::format("nanovdb_convert -f -g {} '{}' '{}' > /dev/null 2>&1", grid,
                                              path("a.vdb").string(), path("a.nvdb").string());
      ASSERT_EQ(std::system(command.c_str()), 0) << grid;
      const dag::VoxelScene read = read_voxels(path("a.nvdb"), {.materials = false}).scene;
      ASSERT_EQ(read.dag.voxels, known.scene.dag.voxels) << grid;
      const VoxelBox filled = dag::filled_box(known.scene.dag);
      for (int32_t z = 0; z < 140; ++z)
        for (int32_t y = 0; y < 140; ++y)
          for (int32_t x = 0; x < 140; ++x) {
            const Int3 at = Int3{x, y, z} - filled.min;
            const bool is_filled = known.value({x, y, z}) != 0;
            ASSERT_TRUE(!is_filled ||
                        dag::voxel_at(read.dag, uint32_t(at.x), uint32_t(at.y), uint32_t(at.z)) >= 0);
          }
    }
  }
}

}  // namespace
}  // namespace vox
