#include "formats/voxels/vl32/vl32_writer.h"

#include <algorithm>
#include <array>
#include <map>

#include "tests/formats/voxels/export_scenes.h"
#include "tests/formats/voxels/file_bytes.h"

namespace vox {
namespace {

using namespace testing_export;

using PlacedColor = std::array<int64_t, 3>;

// Reads the records of a file directly: four big-endian words each.
std::map<PlacedColor, uint32_t> records_of(const std::filesystem::path& path) {
  const std::string bytes = read_all(path);
  EXPECT_EQ(bytes.size() % 16, 0u);
  std::map<PlacedColor, uint32_t> records;
  const auto word = [&](size_t at) {
    uint32_t value = 0;
    for (size_t i = 0; i < 4; ++i) value = value * 256 + static_cast<uint8_t>(bytes[at + i]);
    return value;
  };
  for (size_t at = 0; at < bytes.size(); at += 16) {
    const PlacedColor place = {int32_t(word(at)), int32_t(word(at + 4)), int32_t(word(at + 8))};
    EXPECT_TRUE(records.emplace(place, word(at + 12)).second) << "a voxel stands in the file twice";
  }
  return records;
}

void expect_records(const std::filesystem::path& path, const KnownScene& known, const VoxelBox& region,
                    Int3 shift) {
  const auto records = records_of(path);
  EXPECT_EQ(records.size(), known.count(region));
  for (const auto& [place, argb] : records) {
    const Int3 voxel = Int3{int32_t(place[0]), int32_t(place[1]), int32_t(place[2])} - shift;
    ASSERT_FALSE(intersection(cube_at(voxel, 1), region).empty());
    const int value = known.value(voxel);
    ASSERT_NE(value, 0);
    if (!known.scene.dag.materials) continue;
    const scene::Rgb8 c = known.scene.palette.colors[static_cast<size_t>(value - 1)];
    ASSERT_EQ(argb, 0xff000000 | uint32_t{c.r} << 16 | uint32_t{c.g} << 8 | c.b);
  }
}

class Vl32 : public ExportTest {};

TEST_F(Vl32, HasARecordForEveryVoxel) {
  for (const uint32_t resolution : {4u, 37u})
    for (const Materials materials : {Materials::None, Materials::Sixteen})
      for (const DenseGrid& grid : {noise_grid(resolution), DenseGrid(empty_grid)}) {
        const KnownScene known = known_scene(resolution, materials, grid);
        write_vl32(known.scene, path("a.vl32"), std::nullopt);
        expect_records(path("a.vl32"), known, cube_at({0, 0, 0}, resolution), {0, 0, 0});
      }
}

TEST_F(Vl32, OnlyVoxelsOfTheClipBoxAreWritten) {
  const KnownScene known = known_scene(66, Materials::Sixteen, noise_grid(3));
  const VoxelBox clip = {{9, 13, 2}, {66, 34, 50}};
  write_vl32(known.scene, path("a.vl32"), clip);
  expect_records(path("a.vl32"), known, clip, {0, 0, 0});
}

TEST_F(Vl32, CoordinatesArePlacesInTheWorldWhereThoseAreWholeNumbersOfVoxels) {
  KnownScene known = known_scene(16, Materials::Sixteen, noise_grid(3));
  known.scene.voxel_size = 0.1;
  known.scene.origin = {-0.1 * 7, 0.1 * 1000, 0};
  write_vl32(known.scene, path("a.vl32"), std::nullopt);
  expect_records(path("a.vl32"), known, cube_at({0, 0, 0}, 16), {-7, 1000, 0});
  known.scene.origin.z = 0.03;
  write_vl32(known.scene, path("a.vl32"), std::nullopt);
  expect_records(path("a.vl32"), known, cube_at({0, 0, 0}, 16), {0, 0, 0});
  known.scene.origin = {0, 1e12, 0};
  write_vl32(known.scene, path("a.vl32"), std::nullopt);
  expect_records(path("a.vl32"), known, cube_at({0, 0, 0}, 16), {0, 0, 0});
}

TEST_F(Vl32, ARoundTripKeepsVoxelsColoursAndPlace) {
  KnownScene known = known_scene(64, Materials::Sixteen, noise_grid(8));
  known.scene.origin = {-20, 5, 1000};
  write_vl32(known.scene, path("a.vl32"), std::nullopt);
  const dag::VoxelScene read = read_voxels(path("a.vl32")).scene;
  ASSERT_NO_THROW(dag::verify(read.dag));
  EXPECT_EQ(read.dag.voxels, known.scene.dag.voxels);
  for (const Int3 voxel : {Int3{8, 8, 5}, Int3{34, 23, 16}, Int3{20, 20, 10}}) {
    const Vec3d place =
        known.scene.origin + Vec3d{double(voxel.x), double(voxel.y), double(voxel.z)} - read.origin;
    const int found = dag::voxel_at(read.dag, uint32_t(place.x), uint32_t(place.y), uint32_t(place.z));
    ASSERT_GE(found, 0);
    EXPECT_EQ(read.palette.colors[static_cast<size_t>(found)], known.scene.palette.colors[11]);
  }
}

TEST_F(Vl32, TruncatedFilesAreRefusedOrHaveFewerVoxels) {
  const KnownScene known = known_scene(4, Materials::Sixteen, noise_grid(8));
  write_vl32(known.scene, path("a.vl32"), std::nullopt);
  const std::string bytes = read_all(path("a.vl32"));
  for (size_t length = 0; length < bytes.size(); ++length) {
    write_bytes(path("a.vl32"), bytes.substr(0, length));
    EXPECT_EQ(is_refused(path("a.vl32"), {}), length == 0 || length % 16 != 0) << length;
  }
}

TEST_F(Vl32, DamagedFilesAreRefusedOrReadAsScenes) {
  write_vl32(known_scene(8, Materials::Sixteen, noise_grid(8)).scene, path("a.vl32"), std::nullopt);
  expect_damage_survived(path("a.vl32"), path("a.vl32"), {.materials = false}, 150);
}

}  // namespace
}  // namespace vox
