// Reads our files with NanoVDB's own headers and programs if they are installed.
#if __has_include(<nanovdb/util/GridValidator.h>)
#include <nanovdb/util/GridValidator.h>
#include <nanovdb/util/IO.h>
#define VOX_HAS_NANOVDB
#endif

#include <array>
#include <cstdio>

#include "formats/voxels/nanovdb/nvdb_writer.h"
#include "tests/formats/voxels/export_scenes.h"

namespace vox {
namespace {

using namespace testing_export;

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

TEST_F(NvdbLibrary, ItsHeadersFindEveryColour) {
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
