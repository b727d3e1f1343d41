// Reads octrees of PlayCanvas by their public description, and compares each voxel.
#include "formats/voxels/dag_files/voxel_octree.h"

#include <bit>
#include <cmath>
#include <cstring>

#include "formats/voxels/export.h"
#include "tests/formats/voxels/export_scenes.h"

namespace vox {
namespace {

using namespace testing_export;

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
