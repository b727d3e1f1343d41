#include "formats/voxels/binvox/binvox.h"

#include <sstream>

#include "libvox/base/error.h"
#include "tests/formats/voxels/export_scenes.h"

namespace vox {
namespace {

using namespace testing_export;

struct BinvoxFile {
  int version = 0;
  uint64_t side = 0, pairs = 0;
  Vec3d translate = {};
  double scale = 0;
  std::vector<std::pair<Int3, int>> voxels;  // filled, in the order of the file
};

BinvoxFile read_binvox(const std::filesystem::path& path) {
  std::istringstream file(read_all(path));
  BinvoxFile binvox;
  std::string word;
  uint64_t height = 0, width = 0;
  file >> word >> binvox.version;
  EXPECT_EQ(word, "#binvox");
  file >> word >> binvox.side >> height >> width;
  EXPECT_EQ(word, "dim");
  EXPECT_TRUE(height == binvox.side && width == binvox.side);
  file >> word >> binvox.translate.x >> binvox.translate.y >> binvox.translate.z;
  EXPECT_EQ(word, "translate");
  file >> word >> binvox.scale;
  EXPECT_EQ(word, "scale");
  std::getline(file >> word, word);
  uint64_t at = 0, side = binvox.side;
  for (int value; (value = file.get()) != EOF; ++binvox.pairs) {
    int count = file.get();
    EXPECT_GT(count, 0);
    for (int i = 0; i < count; ++i, ++at)
      if (value != 0)
        binvox.voxels.push_back(
            {{int32_t(at / side / side), int32_t(at % side), int32_t(at / side % side)}, value});
  }
  EXPECT_EQ(at, side * side * side);
  return binvox;
}

void expect_region(const BinvoxFile& binvox, const KnownScene& known, const VoxelBox& region) {
  for (auto [voxel, value] : binvox.voxels) {
    const int expected = known.value(region.min + voxel);
    ASSERT_EQ(value, binvox.version == 1 ? int{expected != 0} : expected);
  }
  ASSERT_EQ(binvox.voxels.size(), known.count(region));
}

class Binvox : public ExportTest {};

TEST_F(Binvox, HoldsEveryVoxelOfTheScene) {
  for (uint32_t resolution : {4u, 37u, 64u})
    for (Materials materials : {Materials::None, Materials::Sixteen})
      for (const DenseGrid& grid : {noise_grid(resolution), DenseGrid(empty_grid), DenseGrid(full_grid)}) {
        KnownScene known = known_scene(resolution, materials, grid);
        for (BinvoxValues values : {BinvoxValues::Filled, BinvoxValues::Materials}) {
          if (values == BinvoxValues::Materials && materials == Materials::None) continue;
          write_binvox(known.scene, path("a.binvox"), std::nullopt, values);
          BinvoxFile binvox = read_binvox(path("a.binvox"));
          EXPECT_EQ(binvox.side, resolution);
          EXPECT_EQ(binvox.version, values == BinvoxValues::Filled ? 1 : 2);
          expect_region(binvox, known, cube_at({0, 0, 0}, resolution));
        }
      }
}

TEST_F(Binvox, AClipBoxBecomesACubeOfItsLongestSide) {
  KnownScene known = known_scene(50, Materials::Sixteen, noise_grid(1));
  for (VoxelBox clip : {VoxelBox{{3, 5, 7}, {42, 21, 30}}, VoxelBox{{9, 13, 2}, {10, 14, 50}},
                        VoxelBox{{7, 9, 33}, {30, 50, 36}}}) {
    write_binvox(known.scene, path("a.binvox"), clip, BinvoxValues::Materials);
    BinvoxFile binvox = read_binvox(path("a.binvox"));
    Int3 size = clip.size();
    EXPECT_EQ(binvox.side, uint64_t(std::max({size.x, size.y, size.z})));
    expect_region(binvox, known, clip);
  }
}

TEST_F(Binvox, SaysWhereTheCubeLies) {
  KnownScene known = known_scene(8, Materials::Sixteen, noise_grid(3));
  known.scene.origin = {-1, 2, 0.25};
  known.scene.voxel_size = 0.5;
  write_binvox(known.scene, path("a.binvox"), VoxelBox{{2, 0, 4}, {5, 1, 8}});
  BinvoxFile binvox = read_binvox(path("a.binvox"));
  EXPECT_EQ(binvox.translate, (Vec3d{0, 2, 2.25}));
  EXPECT_EQ(binvox.scale, 2.0);
}

TEST_F(Binvox, LargePlanesAreWrittenInBands) {
  KnownScene known = repeated(known_scene(64, Materials::Sixteen, noise_grid(4)), 0b10100000, 4);
  write_binvox(known.scene, path("a.binvox"), std::nullopt, BinvoxValues::Materials);
  BinvoxFile binvox = read_binvox(path("a.binvox"));
  for (auto [voxel, value] : binvox.voxels) ASSERT_EQ(value, known.value(voxel));
  EXPECT_EQ(binvox.voxels.size(), known.scene.dag.voxels);
}

TEST_F(Binvox, EmptySpaceTakesTheLongestRuns) {
  KnownScene known = known_scene(4, Materials::Sixteen, empty_grid);
  for (uint32_t side = 4; side < 512; side *= 2)
    known.scene.dag.levels.insert(known.scene.dag.levels.begin(), dag::DagLevel{});
  known.scene.dag.resolution = 512;
  write_binvox(known.scene, path("a.binvox"), std::nullopt);
  double least = 512.0 * 512 * 512 / 255;
  EXPECT_LT(static_cast<double>(read_binvox(path("a.binvox")).pairs), 1.01 * least);
}

TEST_F(Binvox, MaterialsThatASceneDoesNotHaveAreRefused) {
  KnownScene known = known_scene(8, Materials::None, noise_grid(5));
  EXPECT_THROW(write_binvox(known.scene, path("a.binvox"), std::nullopt, BinvoxValues::Materials), Error);
  EXPECT_TRUE(folder_is_empty());
}

TEST_F(Binvox, ADiskThatIsTooSmallIsRefusedBeforeWriting) {
  KnownScene known = repeated(known_scene(64, Materials::None, noise_grid(6)), 1, 14);
  EXPECT_THROW(write_binvox(known.scene, path("a.binvox"), std::nullopt), Error);
  EXPECT_TRUE(folder_is_empty());
}

}  // namespace
}  // namespace vox
