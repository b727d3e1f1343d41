#include <array>
#include <bit>
#include <cstdio>
#include <sstream>

#include "formats/voxels/voxel_formats.h"
#include "libvox/base/error.h"
#include "tests/formats/voxels/export_scenes.h"
#include "tests/formats/voxels/nanovdb/nvdb_bytes.h"

// Reads our files with NanoVDB's own headers and programs if they are installed.
#if __has_include(<nanovdb/util/GridValidator.h>)
#include <nanovdb/util/GridValidator.h>
#include <nanovdb/util/IO.h>
#define VOX_HAS_NANOVDB
#endif

namespace vox {
namespace {

using namespace testing_export;
using namespace testing_nvdb;

constexpr std::array<NvdbGrid, 4> kGrids = {NvdbGrid::Index, NvdbGrid::OnIndex, NvdbGrid::U8, NvdbGrid::Rgba};

class NvdbWriter : public ExportTest {
 protected:
  NvdbLookup written(const KnownScene& known, NvdbGrid grid, const std::optional<VoxelBox>& clip = {}) {
    write_nvdb(known.scene, path("a.nvdb"), clip, grid);
    return NvdbLookup(read_bytes(path("a.nvdb")));
  }

  // Returns the file's value for a voxel, converted to material + 1, or 0.
  static int value_in(const NvdbLookup& file, const KnownScene& known, NvdbGrid grid, Int3 voxel) {
    const std::optional<uint64_t> value = file.value(voxel);
    if (!value) return 0;
    if (grid == NvdbGrid::U8) return static_cast<int>(std::bit_cast<float>(static_cast<uint32_t>(*value)));
    if (grid == NvdbGrid::Rgba) {
      for (uint32_t i = 0; i < known.scene.palette.count; ++i) {
        const scene::Rgb8 c = known.scene.palette.colors[i];
        if (*value == (c.r | uint32_t{c.g} << 8 | uint32_t{c.b} << 16 | 0xff000000u)) return int(i) + 1;
      }
      return -1;
    }
    if (!known.scene.dag.materials) return 1;
    return static_cast<uint8_t>(file.array("materials")[*value]) + 1;
  }

  static void expect_voxels(const NvdbLookup& file, const KnownScene& known, NvdbGrid grid,
                            const VoxelBox& region) {
    uint64_t filled = 0;
    const VoxelBox around = {{-2, -2, -2}, known_end(known)};
    for (int32_t z = around.min.z; z < around.max.z; ++z)
      for (int32_t y = around.min.y; y < around.max.y; ++y)
        for (int32_t x = around.min.x; x < around.max.x; ++x) {
          const bool inside = !intersection(cube_at({x, y, z}, 1), region).empty();
          const int expected = inside ? known.value({x, y, z}) : 0;
          ASSERT_EQ(value_in(file, known, grid, {x, y, z}), expected) << x << ' ' << y << ' ' << z;
          filled += expected != 0;
        }
    EXPECT_EQ(file.get<uint64_t>(16 + 24), filled);
    EXPECT_EQ(file.get<uint64_t>(file.places().tree + 56), filled);
  }
  static Int3 known_end(const KnownScene& known) {
    const auto end = static_cast<int32_t>(known.scene.dag.resolution) + 3;
    return {end, end, end};
  }
  static VoxelBox whole(const KnownScene& known) { return cube_at({0, 0, 0}, known.scene.dag.resolution); }
};

TEST_F(NvdbWriter, EveryKindOfGridHasEveryVoxelWithItsMaterial) {
  for (const uint32_t resolution : {4u, 7u, 41u}) {
    const KnownScene known = known_scene(resolution, Materials::Sixteen, noise_grid(resolution));
    for (const NvdbGrid grid : kGrids) expect_voxels(written(known, grid), known, grid, whole(known));
  }
}

TEST_F(NvdbWriter, AClipBoxCutsNodesAndTilesAndLeavesVoxelsWhereTheyAre) {
  const KnownScene known = known_scene(41, Materials::Sixteen, noise_grid(3));
  for (const NvdbGrid grid : kGrids) {
    const VoxelBox box = {{9, 3, 6}, {34, 23, 31}};
    expect_voxels(written(known, grid, box), known, grid, box);
  }
}

TEST_F(NvdbWriter, WithoutMaterialsEveryVoxelIsOneAndThereAreNoColors) {
  const KnownScene known = known_scene(20, Materials::None, noise_grid(4));
  for (const NvdbGrid grid : {NvdbGrid::Index, NvdbGrid::OnIndex, NvdbGrid::U8}) {
    const NvdbLookup file = written(known, grid);
    expect_voxels(file, known, grid, whole(known));
    EXPECT_EQ(file.array("materials"), "");
  }
  EXPECT_THROW(written(known, NvdbGrid::Rgba), Error);
}

TEST_F(NvdbWriter, AGridOfColorsHasThoseOfAllVoxels) {
  const KnownScene known = known_scene(41, Materials::Colors, noise_grid(7));
  for (const std::optional<VoxelBox>& clip : {std::optional<VoxelBox>(), {{{9, 3, 6}, {34, 23, 31}}}}) {
    const NvdbLookup file = written(known, NvdbGrid::Rgba, clip);
    for (int32_t z = 0; z < 41; ++z)
      for (int32_t y = 0; y < 41; ++y)
        for (int32_t x = 0; x < 41; ++x) {
          const bool inside = !clip || !intersection(cube_at({x, y, z}, 1), *clip).empty();
          std::optional<uint64_t> expected;
          if (inside && known.value({x, y, z}) != 0) {
            const scene::Rgb8 c = scene::unpacked_color(known.color({x, y, z}));
            expected = c.r | uint32_t{c.g} << 8 | uint32_t{c.b} << 16 | 0xff000000u;
          }
          ASSERT_EQ(file.value({x, y, z}), expected) << x << ' ' << y << ' ' << z;
        }
  }
  write_nvdb(known.scene, path("a.nvdb"), std::nullopt, NvdbGrid::Rgba);
  const dag::VoxelScene read = read_voxels(path("a.nvdb"), {.colors = true}).scene;
  EXPECT_EQ(read.dag.digest, known.scene.dag.digest);
  ASSERT_TRUE(read.colors);
  for (uint64_t i = 0; i < read.colors->count; ++i)
    ASSERT_EQ((*read.colors)[i], (*known.scene.colors)[i]) << i;
}

TEST_F(NvdbWriter, NumbersOfValuesAreEachUsedOnce) {
  const KnownScene known = known_scene(41, Materials::Sixteen, noise_grid(5));
  for (const NvdbGrid grid : {NvdbGrid::Index, NvdbGrid::OnIndex}) {
    const NvdbLookup file = written(known, grid);
    const auto count = file.get<uint64_t>(file.places().grid + 656);
    EXPECT_EQ(file.array("materials").size(), count);
    std::vector<uint64_t> uses(count);
    for (int32_t z = 0; z < 41; ++z)
      for (int32_t y = 0; y < 41; ++y)
        for (int32_t x = 0; x < 41; ++x)
          if (const auto value = file.value({x, y, z})) ++uses.at(*value);
    EXPECT_EQ(uses[0], 0u);  // the background
    for (uint64_t i = 1; i < count; ++i) EXPECT_TRUE(uses[i] == 1 || uses[i] == 512) << uses[i];
  }
}

// In a cube of 8192³ only one corner is filled, so the files are small. The corner is a tile of 4096³ or, at
// half the size, tiles of 128³.
TEST_F(NvdbWriter, WhatIsFilledWithOneMaterialIsTiles) {
  for (const uint32_t side : {4096u, 2048u}) {
    int times = 0;
    for (uint32_t s = 64; s < side; s *= 2) ++times;
    const KnownScene known =
        repeated(repeated(known_scene(64, Materials::Sixteen, full_grid), 0xff, times), 0x80, 1);
    for (const NvdbGrid grid : kGrids) {
      const NvdbLookup file = written(known, grid);
      const uint64_t tiles_at = file.places().tree + 44;
      EXPECT_EQ(file.get<uint32_t>(tiles_at), 0u);
      EXPECT_EQ(file.get<uint32_t>(tiles_at + 4), side == 4096 ? 0u : 4096u);
      EXPECT_EQ(file.get<uint32_t>(tiles_at + 8), side == 4096 ? 1u : 0u);
      EXPECT_EQ(file.get<uint64_t>(file.places().tree + 56), uint64_t{side} * side * side);
      const auto at = static_cast<int32_t>(side);
      for (const Int3 voxel : {Int3{at, at, at}, Int3{2 * at - 1, at + 77, at + 1000}})
        EXPECT_EQ(value_in(file, known, grid, voxel), 8);
      for (const Int3 voxel : {Int3{at - 1, at, at}, Int3{2 * at, at, at}})
        EXPECT_EQ(value_in(file, known, grid, voxel), 0);
      EXPECT_LT(read_bytes(path("a.nvdb")).size(), 500'000u);
    }
  }
}

TEST_F(NvdbWriter, SaysWhereTheGridIsInTheWorld) {
  KnownScene known = known_scene(16, Materials::Sixteen, [](uint32_t x, uint32_t y, uint32_t z) {
    return x == 2 && (y == 3 || y == 9) && z == 4 ? 5 : dag::kEmptyVoxel;
  });
  known.scene.origin = {-1, 2, 10};
  known.scene.voxel_size = 0.5;
  for (const NvdbGrid grid : kGrids) {
    const NvdbLookup file = written(known, grid);
    const uint64_t head = file.places().grid;
    for (uint64_t axis = 0; axis < 3; ++axis) {
      EXPECT_EQ(file.get<double>(head + 384 + 32 * axis), 0.5);  // the matrix
      EXPECT_EQ(file.get<double>(head + 456 + 32 * axis), 2);    // its inverse
      EXPECT_EQ(file.get<float>(head + 296 + 16 * axis), 0.5f);
      EXPECT_EQ(file.get<double>(head + 608 + 8 * axis), 0.5);  // the size of a voxel
    }
    const std::array<double, 6> world = {0, 3.5, 12, 0.5, 7, 12.5};
    const std::array<int32_t, 6> box = {2, 3, 4, 2, 9, 4};
    const std::array<double, 3> shift = {-1, 2, 10};
    for (uint64_t i = 0; i < 6; ++i) {
      EXPECT_EQ(file.get<double>(head + 560 + 8 * i), world[i]);
      EXPECT_EQ(file.get<double>(16 + 40 + 8 * i), world[i]);
      EXPECT_EQ(file.get<int32_t>(file.places().root + 4 * i), box[i]);
      EXPECT_EQ(file.get<int32_t>(16 + 88 + 4 * i), box[i]);
    }
    for (uint64_t i = 0; i < 3; ++i) EXPECT_EQ(file.get<double>(head + 528 + 8 * i), shift[i]);
  }
}

TEST_F(NvdbWriter, EqualScenesGiveEqualBytes) {
  const KnownScene known = known_scene(41, Materials::Sixteen, noise_grid(6));
  for (const NvdbGrid grid : kGrids) {
    write_nvdb(known.scene, path("a.nvdb"), {}, grid);
    write_nvdb(known.scene, path("b.nvdb"), {}, grid);
    EXPECT_EQ(read_bytes(path("a.nvdb")), read_bytes(path("b.nvdb")));
  }
}

class NvdbLibrary : public ExportTest {
 protected:
  static constexpr int32_t kSide = 45;

  KnownScene written(NvdbGrid grid, Materials materials = Materials::Sixteen) {
    KnownScene known = known_scene(kSide, materials, noise_grid(21));
    known.scene.voxel_size = 0.25;
    write_nvdb(known.scene, path("a.nvdb"), {}, grid);
    return known;
  }
  // Returns the shell's output followed by its exit code.
  static std::string shell(const std::string& command) {
    std::string text;
    FILE* pipe = popen((command + " 2>&1; echo \" code $?\"").c_str(), "r");
    if (pipe == nullptr) return "";
    for (int c; (c = std::fgetc(pipe)) != EOF;) text += static_cast<char>(c);
    pclose(pipe);
    return text;
  }
  static bool installed(const std::string& program) {
    return shell("command -v " + program).ends_with(" code 0\n");
  }
};

#ifdef VOX_HAS_NANOVDB
template <class Build, class Value>
void expect_same(const std::filesystem::path& file, const KnownScene& known, int32_t side, Value value) {
  const auto handle = nanovdb::io::readGrid(file.string());
  const nanovdb::NanoGrid<Build>* grid = handle.template grid<Build>();
  ASSERT_NE(grid, nullptr);
  EXPECT_EQ(nanovdb::GridValidator<Build>::check(*grid, true), "");
  const auto accessor = grid->getAccessor();
  uint64_t filled = 0;
  for (int32_t z = 0; z < side; ++z)
    for (int32_t y = 0; y < side; ++y)
      for (int32_t x = 0; x < side; ++x) {
        const nanovdb::Coord at(x, y, z);
        const int expected = known.value({x, y, z});
        ASSERT_EQ(accessor.isActive(at), expected != 0);
        ASSERT_EQ(value(*grid, accessor.getValue(at)), expected) << x << ' ' << y << ' ' << z;
        filled += expected != 0;
      }
  EXPECT_EQ(grid->activeVoxelCount(), filled);
  EXPECT_EQ(grid->voxelSize()[0], 0.25);
}

TEST_F(NvdbLibrary, ItsHeadersFindEveryMaterialOfAnIndexGrid) {
  const KnownScene known = written(NvdbGrid::Index);
  expect_same<nanovdb::ValueIndex>(path("a.nvdb"), known, kSide, [](const auto& grid, uint64_t index) {
    EXPECT_LT(index, grid.valueCount());
    return index == 0 ? 0 : int{static_cast<const uint8_t*>(grid.blindData(0))[index]} + 1;
  });
}

TEST_F(NvdbLibrary, ItsHeadersFindEveryMaterialAsAWholeNumber) {
  const KnownScene known = written(NvdbGrid::U8);
  expect_same<nanovdb::Fp8>(path("a.nvdb"), known, kSide,
                            [](const auto&, float value) { return static_cast<int>(value); });
  const auto handle = nanovdb::io::readGrid(path("a.nvdb").string());
  EXPECT_EQ(handle.grid<nanovdb::Fp8>()->tree().root().maximum(), 16);
  EXPECT_EQ(handle.grid<nanovdb::Fp8>()->tree().root().minimum(), 1);
}

TEST_F(NvdbLibrary, ItsHeadersFindEveryColor) {
  const KnownScene known = written(NvdbGrid::Rgba);
  expect_same<nanovdb::Rgba8>(path("a.nvdb"), known, kSide, [&](const auto&, nanovdb::Rgba8 value) {
    if (value.a() == 0) return 0;
    for (uint32_t i = 0; i < 16; ++i)
      if (known.scene.palette.colors[i] == scene::Rgb8{value.r(), value.g(), value.b()}) return int(i) + 1;
    return -1;
  });
}

TEST_F(NvdbLibrary, ItsHeadersAcceptASceneWithoutVoxels) {
  const KnownScene known = known_scene(8, Materials::None, empty_grid);
  write_nvdb(known.scene, path("a.nvdb"), {}, NvdbGrid::U8);
  const auto handle = nanovdb::io::readGrid(path("a.nvdb").string());
  const auto* grid = handle.grid<nanovdb::Fp8>();
  ASSERT_NE(grid, nullptr);
  EXPECT_EQ(nanovdb::GridValidator<nanovdb::Fp8>::check(*grid, true), "");
  EXPECT_TRUE(grid->tree().isEmpty());
}
#endif

TEST_F(NvdbLibrary, ItsProgramsAcceptValidateAndConvertFiles) {
  if (!installed("nanovdb_validate")) GTEST_SKIP() << "nanovdb_validate is not installed";
  const std::string file = "'" + path("a.nvdb").string() + "'";
  for (const NvdbGrid grid : {NvdbGrid::U8, NvdbGrid::Rgba}) {
    written(grid);
    const std::string validated = shell("nanovdb_validate -v " + file);
    EXPECT_NE(validated.find("passed"), std::string::npos) << validated;
    EXPECT_TRUE(validated.ends_with(" code 0\n")) << validated;
  }
  const KnownScene known = written(NvdbGrid::Index);
  const std::string printed = shell("nanovdb_print -l " + file);
  const uint64_t voxels = known.count(cube_at({0, 0, 0}, kSide));
  for (const std::string& text : {std::string("materials  Index  INDEX  32.4.2   NONE"),
                                  std::to_string(voxels), std::string("(0.25,0.25,0.25)")})
    EXPECT_NE(printed.find(text), std::string::npos) << printed;
  written(NvdbGrid::U8);
  const std::string converted = shell("nanovdb_convert -f " + file + " '" + path("a.vdb").string() + "'");
  EXPECT_TRUE(converted.ends_with(" code 0\n")) << converted;
  EXPECT_GT(std::filesystem::file_size(path("a.vdb")), 0u);
}

}  // namespace
}  // namespace vox
