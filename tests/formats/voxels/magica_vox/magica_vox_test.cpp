#include "formats/voxels/magica_vox/magica_vox.h"

#include <array>
#include <cstring>
#include <map>
#include <tuple>

#include "libvox/base/error.h"
#include "libvox/base/progress.h"
#include "tests/formats/voxels/export_scenes.h"

namespace vox {
namespace {

using namespace testing_export;

using Dict = std::map<std::string, std::string>;

struct Reader {
  const std::string& bytes;
  size_t at, end;

  int32_t integer() {
    int32_t value = 0;
    EXPECT_LE(at + 4, end);
    std::memcpy(&value, bytes.data() + at, 4);
    at += 4;
    return value;
  }
  std::string text(size_t size) {
    EXPECT_LE(at + size, end);
    std::string value = bytes.substr(at, size);
    at += size;
    return value;
  }
  std::string string() { return text(static_cast<size_t>(integer())); }
  Dict dict() {
    Dict values;
    for (int32_t n = integer(); n > 0; --n) {
      std::string key = string();
      values[key] = string();
    }
    return values;
  }
};

struct VoxFile {
  struct Node {
    Int3 translation = {0, 0, 0};
    std::vector<int32_t> children;  // used in a transform or a group node
    int32_t model = -1;             // used in a shape node
  };
  std::vector<Int3> sizes;
  std::vector<std::vector<std::pair<Int3, int>>> models;
  std::map<int32_t, Node> nodes;
  std::vector<std::array<uint8_t, 4>> palette;
  std::vector<std::string> names;
  std::map<std::tuple<int, int, int>, int> voxels;  // absolute position, color index

  void place(int32_t id, Int3 position) {
    const Node& node = nodes.at(id);
    position = position + node.translation;
    for (int32_t child : node.children) place(child, position);
    if (node.model < 0) return;
    Int3 size = sizes.at(static_cast<size_t>(node.model));
    Int3 corner = position - Int3{size.x / 2, size.y / 2, size.z / 2};
    for (auto [v, index] : models.at(static_cast<size_t>(node.model))) {
      Int3 p = corner + v;
      EXPECT_TRUE(voxels.emplace(std::tuple(p.x, p.y, p.z), index).second) << "a voxel is there twice";
    }
  }
};

void read_transform(Reader& chunk, VoxFile& vox) {
  VoxFile::Node& node = vox.nodes[chunk.integer()];
  chunk.dict();
  node.children = {chunk.integer()};
  EXPECT_EQ(chunk.integer(), -1);
  chunk.integer();
  EXPECT_EQ(chunk.integer(), 1);
  Dict frame = chunk.dict();
  if (frame.count("_t") != 0) {
    Int3& t = node.translation;
    EXPECT_EQ(std::sscanf(frame["_t"].c_str(), "%d %d %d", &t.x, &t.y, &t.z), 3);
  }
}

void read_model(Reader& chunk, VoxFile& vox) {
  auto& voxels = vox.models.emplace_back();
  Int3 size = vox.sizes.at(vox.models.size() - 1);
  for (int32_t n = chunk.integer(); n > 0; --n) {
    std::string v = chunk.text(4);
    Int3 position = {uint8_t(v[0]), uint8_t(v[1]), uint8_t(v[2])};
    EXPECT_TRUE(position.x < size.x && position.y < size.y && position.z < size.z);
    voxels.push_back({position, uint8_t(v[3])});
  }
}

void read_chunk(const std::string& id, Reader& chunk, VoxFile& vox) {
  if (id == "SIZE") {
    Int3 size = {chunk.integer(), 0, 0};
    size.y = chunk.integer();
    size.z = chunk.integer();
    EXPECT_TRUE(size.x > 0 && size.x <= 256 && size.y > 0 && size.y <= 256 && size.z > 0 && size.z <= 256);
    vox.sizes.push_back(size);
  } else if (id == "XYZI") {
    read_model(chunk, vox);
  } else if (id == "nTRN") {
    read_transform(chunk, vox);
  } else if (id == "nGRP") {
    VoxFile::Node& node = vox.nodes[chunk.integer()];
    chunk.dict();
    for (int32_t n = chunk.integer(); n > 0; --n) node.children.push_back(chunk.integer());
  } else if (id == "nSHP") {
    VoxFile::Node& node = vox.nodes[chunk.integer()];
    chunk.dict();
    EXPECT_EQ(chunk.integer(), 1);
    node.model = chunk.integer();
    chunk.dict();
  } else if (id == "RGBA") {
    for (int i = 0; i < 256; ++i) {
      std::string c = chunk.text(4);
      vox.palette.push_back({uint8_t(c[0]), uint8_t(c[1]), uint8_t(c[2]), uint8_t(c[3])});
    }
  } else if (id == "NOTE") {
    for (int32_t n = chunk.integer(); n > 0; --n) vox.names.push_back(chunk.string());
  } else {
    FAIL() << "unknown chunk " << id;
  }
  EXPECT_EQ(chunk.at, chunk.end) << id;
}

VoxFile read_vox(const std::filesystem::path& path) {
  std::string bytes = read_bytes(path);
  Reader file = {bytes, 0, bytes.size()};
  EXPECT_EQ(file.text(4), "VOX ");
  EXPECT_EQ(file.integer(), 150);
  EXPECT_EQ(file.text(4), "MAIN");
  EXPECT_EQ(file.integer(), 0);
  EXPECT_EQ(static_cast<size_t>(file.integer()), bytes.size() - 20);
  VoxFile vox;
  while (file.at < file.end) {
    std::string id = file.text(4);
    auto size = static_cast<size_t>(file.integer());
    EXPECT_EQ(file.integer(), 0);
    Reader chunk = {bytes, file.at, file.at + size};
    read_chunk(id, chunk, vox);
    file.at += size;
  }
  EXPECT_EQ(vox.sizes.size(), vox.models.size());
  vox.place(0, {0, 0, 0});
  return vox;
}

// Returns the place of the scene's voxel with z up: the rotated center of the voxel, in half voxels.
Int3 turned(Int3 v, dag::UpAxis up) {
  Int3 c = v * 2 + Int3{1, 1, 1};
  if (up == dag::UpAxis::X) c = {c.y, c.z, c.x};
  if (up == dag::UpAxis::Y) c = {c.x, -c.z, c.y};
  return {(c.x - 1) / 2, (c.y - 1) / 2, (c.z - 1) / 2};
}

void expect_region(const VoxFile& vox, const KnownScene& known, const VoxelBox& box) {
  uint64_t filled = 0;
  for (int32_t z = box.min.z; z < box.max.z; ++z)
    for (int32_t y = box.min.y; y < box.max.y; ++y)
      for (int32_t x = box.min.x; x < box.max.x; ++x) {
        int value = known.value({x, y, z});
        if (value == 0) continue;
        ++filled;
        Int3 p = turned({x, y, z}, known.scene.up);
        auto found = vox.voxels.find({p.x, p.y, p.z});
        ASSERT_NE(found, vox.voxels.end()) << x << ' ' << y << ' ' << z;
        ASSERT_EQ(found->second, value);
      }
  ASSERT_EQ(vox.voxels.size(), filled);
}

class MagicaVox : public ExportTest {};

TEST_F(MagicaVox, HoldsEveryVoxelOfTheSceneWithZUp) {
  for (uint32_t resolution : {4u, 37u, 64u})
    for (Materials materials : {Materials::None, Materials::Sixteen})
      for (dag::UpAxis up : {dag::UpAxis::X, dag::UpAxis::Y, dag::UpAxis::Z}) {
        KnownScene known = known_scene(resolution, materials, noise_grid(resolution));
        known.scene.up = up;
        write_magica_vox(known.scene, path("a.vox"), std::nullopt);
        expect_region(read_vox(path("a.vox")), known, cube_at({0, 0, 0}, resolution));
      }
}

TEST_F(MagicaVox, HoldsTheVoxelsInsideAClipBox) {
  KnownScene known = known_scene(50, Materials::Sixteen, noise_grid(1));
  for (VoxelBox clip : {VoxelBox{{3, 5, 7}, {42, 21, 30}}, VoxelBox{{9, 13, 2}, {10, 14, 50}}}) {
    write_magica_vox(known.scene, path("a.vox"), clip);
    expect_region(read_vox(path("a.vox")), known, clip);
  }
}

TEST_F(MagicaVox, FullAndEmptyScenesOpen) {
  KnownScene full = known_scene(64, Materials::Sixteen, full_grid);
  write_magica_vox(full.scene, path("a.vox"), std::nullopt);
  VoxFile vox = read_vox(path("a.vox"));
  EXPECT_EQ(vox.sizes, (std::vector<Int3>{{64, 64, 64}}));
  expect_region(vox, full, cube_at({0, 0, 0}, 64));

  KnownScene empty = known_scene(64, Materials::Sixteen, empty_grid);
  write_magica_vox(empty.scene, path("a.vox"), std::nullopt);
  vox = read_vox(path("a.vox"));
  EXPECT_EQ(vox.models.size(), 1u);
  EXPECT_TRUE(vox.voxels.empty());
}

TEST_F(MagicaVox, EveryBlockThatIsNotEmptyIsAModelCutToItsContent) {
  DenseGrid points = [](uint32_t x, uint32_t y, uint32_t z) {
    return (x == 3 && y == 9 && z == 17) || (x == 20 && y == 10 && z == 17) ? 4 : dag::kEmptyVoxel;
  };
  KnownScene known = repeated(known_scene(256, Materials::Sixteen, points), 0b10010001, 2);
  write_magica_vox(known.scene, path("a.vox"), std::nullopt);
  VoxFile vox = read_vox(path("a.vox"));
  EXPECT_EQ(vox.sizes, std::vector<Int3>(9, Int3{18, 1, 2}));
  EXPECT_EQ(vox.voxels.size(), known.scene.dag.voxels);
  for (Int3 block : {Int3{0, 0, 0}, Int3{0, 0, 1}, Int3{1, 1, 3}, Int3{3, 3, 3}}) {
    Int3 p = turned(block * 256 + Int3{20, 10, 17}, dag::UpAxis::Y);
    EXPECT_EQ(vox.voxels.count({p.x, p.y, p.z}), 1u);
  }
}

TEST_F(MagicaVox, TheColorOfMaterialMIsEntryMOfThePalette) {
  KnownScene known = known_scene(8, Materials::Sixteen, noise_grid(2));
  known.scene.palette.count = 15;
  write_magica_vox(known.scene, path("a.vox"), std::nullopt);
  VoxFile vox = read_vox(path("a.vox"));
  for (uint32_t i = 0; i < 15; ++i) {
    scene::Rgb8 color = known.scene.palette.colors[i];
    EXPECT_EQ(vox.palette[i], (std::array<uint8_t, 4>{color.r, color.g, color.b, 255}));
    EXPECT_EQ(vox.names[i], known.scene.palette.names[i]);
  }
  EXPECT_EQ(vox.names[15], "");
}

TEST_F(MagicaVox, ALargeSparseSceneIsQuick) {
  DenseGrid points = [](uint32_t x, uint32_t y, uint32_t z) {
    return x % 29 == 3 && y % 31 == 9 && z % 50 == 17 ? static_cast<int>(x % 16) : dag::kEmptyVoxel;
  };
  // The scene has (2^14)^3 voxels with 256 copies of a few along the diagonal.
  KnownScene known = repeated(known_scene(64, Materials::Sixteen, points), 0x81, 8);
  known.scene.up = dag::UpAxis::Z;
  Stopwatch watch;
  write_magica_vox(known.scene, path("a.vox"), std::nullopt);
  EXPECT_LT(watch.seconds(), 5.0);
  VoxFile vox = read_vox(path("a.vox"));
  EXPECT_EQ(vox.models.size(), 64u);
  EXPECT_EQ(vox.voxels.size(), known.scene.dag.voxels);
  for (const auto& [p, value] : vox.voxels)
    ASSERT_EQ(value, known.value({std::get<0>(p), std::get<1>(p), std::get<2>(p)}));
}

TEST_F(MagicaVox, WhatPasses2GiBIsRefusedAtOnce) {
  KnownScene solid = repeated(known_scene(64, Materials::Sixteen, full_grid), 0xff, 7);
  Stopwatch watch;
  EXPECT_THROW(write_magica_vox(solid.scene, path("a.vox"), std::nullopt), Error);
  EXPECT_LT(watch.seconds(), 5.0);
  EXPECT_TRUE(folder_is_empty());
}

}  // namespace
}  // namespace vox
