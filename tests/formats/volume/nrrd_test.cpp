#include "formats/volume/nrrd.h"

#include <map>
#include <sstream>

#include "libvox/base/error.h"
#include "tests/common/thoroughness.h"
#include "tests/formats/voxels/export_scenes.h"

namespace vox {
namespace {

using namespace testing_export;

struct NrrdFile {
  std::map<std::string, std::string> fields;
  Int3 size = {};
  std::string data;

  int value(Int3 v) const {
    size_t at = (size_t(v.z) * size_t(size.y) + size_t(v.y)) * size_t(size.x) + size_t(v.x);
    return static_cast<uint8_t>(data[at]);
  }
};

NrrdFile read_nrrd(const std::filesystem::path& path) {
  std::istringstream file(read_all(path));
  NrrdFile nrrd;
  std::string line;
  std::getline(file, line);
  EXPECT_EQ(line, "NRRD0005");
  while (std::getline(file, line) && !line.empty()) {
    if (line[0] == '#') continue;
    size_t colon = line.find(": ");
    nrrd.fields[line.substr(0, colon)] = line.substr(colon + 2);
  }
  std::istringstream(nrrd.fields["sizes"]) >> nrrd.size.x >> nrrd.size.y >> nrrd.size.z;
  nrrd.data.assign(std::istreambuf_iterator<char>(file), {});
  EXPECT_EQ(nrrd.data.size(), VoxelBox({0, 0, 0}, nrrd.size).voxels());
  return nrrd;
}

void expect_region(const NrrdFile& nrrd, const KnownScene& known, const VoxelBox& region) {
  ASSERT_EQ(nrrd.size, region.size());
  for (int32_t z = 0; z < nrrd.size.z; ++z)
    for (int32_t y = 0; y < nrrd.size.y; ++y)
      for (int32_t x = 0; x < nrrd.size.x; ++x)
        ASSERT_EQ(nrrd.value({x, y, z}), known.value(region.min + Int3{x, y, z}))
            << x << ' ' << y << ' ' << z;
}

class Nrrd : public ExportTest {};

TEST_F(Nrrd, HoldsEveryVoxelOfTheScene) {
  for (uint32_t resolution : {4u, 37u, 64u})
    for (Materials materials : {Materials::None, Materials::Sixteen})
      for (const DenseGrid& grid : {noise_grid(resolution), DenseGrid(empty_grid), DenseGrid(full_grid)}) {
        KnownScene known = known_scene(resolution, materials, grid);
        write_nrrd(known.scene, path("a.nrrd"), std::nullopt);
        expect_region(read_nrrd(path("a.nrrd")), known, cube_at({0, 0, 0}, resolution));
      }
}

TEST_F(Nrrd, HoldsTheVoxelsInsideAClipBox) {
  KnownScene known = known_scene(50, Materials::Sixteen, noise_grid(1));
  for (VoxelBox clip : {VoxelBox{{3, 5, 7}, {42, 21, 30}}, VoxelBox{{9, 13, 2}, {10, 14, 50}},
                        VoxelBox{{49, 49, 49}, {50, 50, 50}}}) {
    write_nrrd(known.scene, path("a.nrrd"), clip);
    expect_region(read_nrrd(path("a.nrrd")), known, clip);
  }
}

TEST_F(Nrrd, CutsAClipBoxToTheScene) {
  KnownScene known = known_scene(37, Materials::Sixteen, noise_grid(2));
  write_nrrd(known.scene, path("a.nrrd"), VoxelBox{{-5, 30, 20}, {100, 1 << 30, 22}});
  expect_region(read_nrrd(path("a.nrrd")), known, {{0, 30, 20}, {37, 37, 22}});
  EXPECT_THROW(write_nrrd(known.scene, path("b.nrrd"), VoxelBox{{37, 0, 0}, {40, 9, 9}}), Error);
}

TEST_F(Nrrd, SaysWhereTheSamplesLie) {
  KnownScene known = known_scene(8, Materials::Sixteen, noise_grid(3));
  known.scene.origin = {-1, 2, 0.25};
  known.scene.voxel_size = 0.5;
  write_nrrd(known.scene, path("a.nrrd"), VoxelBox{{2, 0, 4}, {5, 1, 8}});
  std::map<std::string, std::string> fields = read_nrrd(path("a.nrrd")).fields;
  EXPECT_EQ(fields["type"], "uint8");
  EXPECT_EQ(fields["dimension"], "3");
  EXPECT_EQ(fields["encoding"], "raw");
  EXPECT_EQ(fields["space origin"], "(0.25,2.25,2.5)");  // centre of voxel (2, 0, 4)
  EXPECT_EQ(fields["space directions"], "(0.5,0,0) (0,0.5,0) (0,0,0.5)");
}

TEST_F(Nrrd, LayersLargerThanAPieceAreWrittenInRows) {
  // The volume is 2^20 voxels long: rows have 1 MiB, layers 21 MiB.
  KnownScene known = repeated(known_scene(64, Materials::Sixteen, noise_grid(4)), 0b11, 14);
  VoxelBox clip = {{1, 6, 15}, {(1 << 20) - 2, 27, 17}};
  write_nrrd(known.scene, path("a.nrrd"), clip);
  NrrdFile nrrd = read_nrrd(path("a.nrrd"));
  ASSERT_EQ(nrrd.size, clip.size());
  KnownScene tile = known_scene(64, Materials::Sixteen, noise_grid(4));
  for (int32_t z = 0; z < nrrd.size.z; ++z)
    for (int32_t y = 0; y < nrrd.size.y; ++y)
      for (int32_t x = z % 7; x < nrrd.size.x; x += kThoroughness == 10 ? 101 : 10001)
        ASSERT_EQ(nrrd.value({x, y, z}), tile.value({(x + 1) % 64, y + 6, z + 15}));
}

TEST_F(Nrrd, ALargeSceneNeedsAClipBox) {
  KnownScene known = repeated(known_scene(64, Materials::Sixteen, noise_grid(5)), 0x81, 8);
  try {
    write_nrrd(known.scene, path("a.nrrd"), std::nullopt);
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("a clip box"), std::string::npos);
  }
  EXPECT_TRUE(folder_is_empty());
  VoxelBox clip = {{8101, 8100, 8130}, {8240, 8220, 8250}};
  write_nrrd(known.scene, path("a.nrrd"), clip);
  expect_region(read_nrrd(path("a.nrrd")), known, clip);
}

TEST_F(Nrrd, ADiskThatIsTooSmallIsRefusedBeforeWriting) {
  KnownScene known = repeated(known_scene(64, Materials::None, noise_grid(6)), 1, 14);
  EXPECT_THROW(write_nrrd(known.scene, path("a.nrrd"), cube_at({0, 0, 0}, 1 << 20)), Error);
  EXPECT_TRUE(folder_is_empty());
}

}  // namespace
}  // namespace vox
