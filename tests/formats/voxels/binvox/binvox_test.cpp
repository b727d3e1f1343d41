// Voxels of binvox and of PlayCanvas, read by their public descriptions and compared voxel by voxel.
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <sstream>
#include <tuple>

#include "formats/voxels/dag_files/dag_files.h"
#include "formats/voxels/export.h"
#include "formats/voxels/voxel_formats.h"
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
  std::istringstream file(read_bytes(path));
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

class BinvoxRead : public ExportTest {
 protected:
  dag::VoxelScene read(const VoxelFileOptions& options = {}) const {
    ScenePlusError result = read_voxels(path("a.binvox"), options);
    dag::verify(result.scene.dag);
    return std::move(result.scene);
  }

  std::string message() const {
    try {
      read_voxels(path("a.binvox"));
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
};

// Returns a file with the runs that a loop over all voxels finds, in the order x, z, y. value() returns 0 for
// empty voxels.
template <class Value>
std::string file_of(int version, Int3 size, Value value) {
  std::string bytes = fmt::format("#binvox {}\ndim {} {} {}\ntranslate 1 2 3\nscale 4\ndata\n", version,
                                  size.x, size.z, size.y);
  int last = -1, run = 0;
  const auto flush = [&] {
    if (run > 0) bytes += {static_cast<char>(last), static_cast<char>(run)};
    run = 0;
  };
  for (int32_t x = 0; x < size.x; ++x)
    for (int32_t z = 0; z < size.z; ++z)
      for (int32_t y = 0; y < size.y; ++y) {
        const int now = value(x, y, z);
        if (now != last || run == 255) flush();
        last = now;
        ++run;
      }
  flush();
  return bytes;
}

TEST_F(BinvoxRead, WhatIsWrittenIsReadAgain) {
  for (uint32_t resolution : {4u, 37u, 70u})
    for (Materials materials : {Materials::None, Materials::Sixteen})
      for (const DenseGrid& grid : {noise_grid(resolution), DenseGrid(empty_grid), DenseGrid(full_grid)}) {
        KnownScene known = known_scene(resolution, materials, grid);
        known.scene.origin = {-1.5, 2, 3e6};
        known.scene.voxel_size = 0.3;
        const bool all = materials == Materials::Sixteen;
        write_binvox(known.scene, path("a.binvox"), std::nullopt,
                     all ? BinvoxValues::Materials : BinvoxValues::Filled);
        const dag::VoxelScene scene = read({.palette = known.scene.palette});
        const bool same_form = known.scene.dag.voxels > 0 || !all;  // an empty scene has no materials
        EXPECT_TRUE(!same_form || scene.dag.digest == known.scene.dag.digest);
        EXPECT_EQ(scene.dag.voxels, known.scene.dag.voxels);
        EXPECT_EQ(scene.origin, known.scene.origin);
        EXPECT_DOUBLE_EQ(scene.voxel_size.x, known.scene.voxel_size.x);
      }
}

TEST_F(BinvoxRead, AClipBoxLiesWhereItWas) {
  KnownScene known = known_scene(50, Materials::Sixteen, noise_grid(1));
  known.scene.origin = {10, 20, 30};
  known.scene.voxel_size = 0.5;
  const VoxelBox clip = {{3, 5, 7}, {42, 21, 30}};
  write_binvox(known.scene, path("a.binvox"), clip, BinvoxValues::Materials);
  const dag::VoxelScene scene = read();
  EXPECT_EQ(scene.origin, (Vec3d{11.5, 22.5, 33.5}));
  EXPECT_EQ(scene.voxel_size, 0.5);
  EXPECT_EQ(scene.dag.resolution, 39u);
  EXPECT_EQ(scene.dag.voxels, known.count(clip));
  for (uint32_t z = 0; z < 23; ++z)
    for (uint32_t y = 0; y < 16; ++y)
      for (uint32_t x = 0; x < 39; ++x)
        ASSERT_EQ(dag::voxel_at(scene.dag, x, y, z) + 1,
                  known.value(clip.min + Int3{int(x), int(y), int(z)}));
}

TEST_F(BinvoxRead, SidesMayDiffer) {
  for (const Int3 size : {Int3{70, 3, 9}, Int3{5, 200, 66}, Int3{1, 1, 300}, Int3{300, 1, 70}}) {
    const auto value = [](int32_t x, int32_t y, int32_t z) { return (x * 7 + y * 3 + z) % 5 == 0 ? 1 : 0; };
    for (int version : {1, 2}) {
      write_bytes(path("a.binvox"), file_of(version, size, value));
      const dag::VoxelScene scene = read();
      uint64_t voxels = 0;
      for (int32_t z = 0; z < size.z; ++z)
        for (int32_t y = 0; y < size.y; ++y)
          for (int32_t x = 0; x < size.x; ++x) {
            voxels += static_cast<uint64_t>(value(x, y, z));
            ASSERT_EQ(dag::voxel_at(scene.dag, uint32_t(x), uint32_t(y), uint32_t(z)), value(x, y, z) - 1);
          }
      EXPECT_EQ(scene.dag.voxels, voxels);
      EXPECT_EQ(scene.origin, (Vec3d{1, 2, 3}));
      EXPECT_EQ(scene.voxel_size, 4.0 / std::max({size.x, size.y, size.z}));
    }
  }
}

TEST_F(BinvoxRead, ShortColumnsAreFoundWithFewStarts) {
  const Int3 size = {900, 1, 700};
  write_bytes(path("a.binvox"),
              file_of(1, size, [](int32_t x, int32_t, int32_t z) { return x == z ? 1 : 0; }));
  const dag::VoxelScene scene = read();
  EXPECT_EQ(scene.dag.voxels, 700u);
  for (uint32_t i = 0; i < 700; ++i) ASSERT_EQ(dag::voxel_at(scene.dag, i, 0, i), 0);
}

TEST_F(BinvoxRead, MaterialsTakeTheColorsOfAPalette) {
  KnownScene known = known_scene(20, Materials::Sixteen, noise_grid(3));
  write_binvox(known.scene, path("a.binvox"), std::nullopt, BinvoxValues::Materials);
  EXPECT_EQ(read({.palette = known.scene.palette}).palette.colors, known.scene.palette.colors);
  scene::Palette two = {.count = 2};
  EXPECT_THROW(read({.palette = two}), Error);
  EXPECT_EQ(read().palette.count, 16u);
}

TEST_F(BinvoxRead, ValuesAboveSixteenHaveColorsThatAreMatched) {
  const auto value = [](int32_t x, int32_t, int32_t) { return x < 3 ? 200 + x : 0; };
  write_bytes(path("a.binvox"), file_of(2, {8, 8, 8}, value));
  const dag::VoxelScene scene = read();
  EXPECT_EQ(scene.palette.count, 3u);
  EXPECT_EQ(scene.dag.voxels, 3u * 64);
  EXPECT_NE(dag::voxel_at(scene.dag, 0, 0, 0), dag::voxel_at(scene.dag, 1, 0, 0));
}

TEST_F(BinvoxRead, RunsThatDoNotFitTheHeaderAreRefused) {
  const std::string good =
      file_of(1, {8, 8, 8}, [](int32_t x, int32_t y, int32_t) { return x == y ? 1 : 0; });
  for (const auto& [from, to, expected] : std::vector<std::tuple<std::string, std::string, std::string>>{
           {"dim 8 8 8", "dim 8 8 9", "576"},
           {"dim 8 8 8", "dim 8 8 7", "448"},
           {"dim 8 8 8", "dim 8 8 0", "'dim'"},
           {"dim 8 8 8", "dim 1000000 1000000 1000000", "cut off"},
           {"dim 8 8 8", "dim 8 8", "'dim'"},
           {"dim 8 8 8\n", "", "no 'dim'"},
           {"scale 4", "scale 0", "'scale'"},
           {"scale 4", "scale nan", "'scale'"},
           {"#binvox 1", "#binvox 3", "version 3"},
           {"data", "dat", "no line 'data'"}}) {
    std::string bytes = good;
    bytes.replace(bytes.find(from), from.size(), to);
    write_bytes(path("a.binvox"), bytes);
    EXPECT_NE(message().find(expected), std::string::npos) << to << ": " << message();
  }
  write_bytes(path("a.binvox"), good + std::string("\1\0", 2));
  EXPECT_NE(message().find("no voxels"), std::string::npos);
}

TEST_F(BinvoxRead, DamagedFilesAreErrorsOrScenes) {
  const std::string good =
      file_of(2, {3, 5, 70}, [](int32_t x, int32_t, int32_t z) { return (x + z / 9) % 4; });
  expect_damage_is_survived(path("a.binvox"), good, 300);
}

// Reads octrees of PlayCanvas by their public description, and compares each voxel.

struct ReadOctree {
  std::string header;
  std::vector<uint32_t> words;
  size_t node_count = 0;
  uint32_t depth = 0, solid = 0;

  double number(const std::string& key) const {
    const size_t at = header.find('"' + key + "\": ");
    EXPECT_NE(at, std::string::npos) << key;
    return std::stod(header.substr(at + key.size() + 4));
  }

  ReadOctree(const std::string& text, const std::string& bytes) : header(text), words(bytes.size() / 4) {
    EXPECT_EQ(bytes.size() % 4, 0u);
    std::memcpy(words.data(), bytes.data(), bytes.size());
    node_count = static_cast<size_t>(number("nodeCount"));
    depth = static_cast<uint32_t>(number("treeDepth"));
    EXPECT_EQ(static_cast<size_t>(number("leafDataCount")), words.size() - node_count);
    EXPECT_EQ(number("numMixedLeaves") * 2, number("leafDataCount"));
    EXPECT_EQ(number("leafSize"), 4);
    EXPECT_NE(header.find("\"version\": \"1.1\""), std::string::npos);
    for (size_t i = 0; i < node_count; ++i) solid += words[i] == 0xff000000 ? 1 : 0;
    EXPECT_EQ(number("numInteriorNodes") + number("numMixedLeaves") + solid, static_cast<double>(node_count));
  }

  bool is_solid(uint32_t x, uint32_t y, uint32_t z) const {
    if (node_count == 0) return false;
    uint32_t node = words.at(0);
    for (uint32_t level = depth;; --level) {
      if (node == 0xff000000) return true;
      if (node >> 24 == 0) break;
      const uint32_t octant =
          (x >> (level + 1) & 1) | (y >> (level + 1) & 1) << 1 | (z >> (level + 1) & 1) << 2;
      const uint32_t mask = node >> 24;
      if ((mask >> octant & 1) == 0) return false;
      const size_t child =
          (node & 0xffffff) + static_cast<size_t>(std::popcount(mask & ((1u << octant) - 1)));
      EXPECT_LT(child, node_count);
      EXPECT_GT(level, 0u);
      node = words.at(child);
    }
    const uint32_t bit = (x & 3) + 4 * (y & 3) + 16 * (z & 3);
    return (words.at(node_count + 2 * node + bit / 32) >> bit % 32 & 1) != 0;
  }
};

class VoxelOctreeWritten : public ExportTest {
 protected:
  ReadOctree expect_same(const KnownScene& known, const VoxelBox& region) const {
    ReadOctree read(read_bytes(path("a.voxel.json")), read_bytes(path("a.voxel.bin")));
    const auto side = static_cast<int32_t>(4u << read.depth);
    for (int32_t z = 0; z < side; ++z)
      for (int32_t y = 0; y < side; ++y)
        for (int32_t x = 0; x < side; ++x) {
          const VoxelBox voxel = cube_at({x, y, z}, 1);
          const bool expected = known.value({x, y, z}) != 0 && intersection(voxel, region) == voxel;
          if (read.is_solid(uint32_t(x), uint32_t(y), uint32_t(z)) != expected)
            ADD_FAILURE() << x << ' ' << y << ' ' << z;
        }
    return read;
  }
};

TEST_F(VoxelOctreeWritten, EveryVoxelIsSolid) {
  for (const Materials materials : {Materials::None, Materials::Sixteen, Materials::Colors})
    for (const uint32_t resolution : {4u, 8u, 37u, 64u}) {
      KnownScene known = known_scene(resolution, materials, noise_grid(resolution));
      known.scene.voxel_size = 0.25;
      known.scene.origin = {-3, 100.125, 7};
      write_voxel_octree(known.scene, path("a.voxel.json"), std::nullopt);
      const ReadOctree read = expect_same(known, cube_at({0, 0, 0}, resolution));
      EXPECT_EQ(read.number("voxelResolution"), 0.25);
      const size_t low = read.header.find("\"min\""), high = read.header.find("\"max\"");
      const double x = std::stod(read.header.substr(read.header.find('[', low) + 1));
      EXPECT_EQ(x, -3);
      EXPECT_EQ(std::stod(read.header.substr(read.header.find('[', high) + 1)),
                x + std::ceil(resolution / 4.0));
    }
}

TEST_F(VoxelOctreeWritten, FullPartsAreSolidLeaves) {
  for (const uint32_t resolution : {4u, 64u}) {
    const KnownScene known = known_scene(resolution, Materials::Sixteen, full_grid);
    write_voxel_octree(known.scene, path("a.voxel.json"), std::nullopt);
    EXPECT_EQ(expect_same(known, cube_at({0, 0, 0}, resolution)).node_count, resolution == 4 ? 2u : 1u);
  }
  // Different materials are one solid all the same.
  const KnownScene mixed =
      known_scene(64, Materials::Sixteen, [](uint32_t x, uint32_t, uint32_t) { return int(x % 16); });
  write_voxel_octree(mixed.scene, path("a.voxel.json"), std::nullopt);
  EXPECT_EQ(expect_same(mixed, cube_at({0, 0, 0}, 64)).node_count, 1u);
}

TEST_F(VoxelOctreeWritten, ClipBoxesKeepPlacesAndEmptyScenesHaveNoNodes) {
  const KnownScene known = known_scene(70, Materials::Sixteen, noise_grid(9));
  const VoxelBox clip = {{3, 9, 30}, {66, 50, 65}};
  write_voxel_octree(known.scene, path("a.voxel.json"), clip);
  expect_same(known, clip);
  write_voxel_octree(known_scene(16, Materials::None, empty_grid).scene, path("a.voxel.json"), std::nullopt);
  EXPECT_EQ(std::filesystem::file_size(path("a.voxel.bin")), 0u);
  EXPECT_NE(read_bytes(path("a.voxel.json")).find("\"nodeCount\": 0"), std::string::npos);
}

TEST_F(VoxelOctreeWritten, VoxelsThatAreNoCubesAreRefused) {
  KnownScene known = known_scene(16, Materials::None, full_grid);
  known.scene.voxel_size = {1, 2, 1};
  EXPECT_THROW(write_voxel_octree(known.scene, path("a.voxel.json"), std::nullopt), Error);
  EXPECT_FALSE(std::filesystem::exists(path("a.voxel.json")));
}

}  // namespace
}  // namespace vox
