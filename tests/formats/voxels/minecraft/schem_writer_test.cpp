#include <fmt/format.h>
#include <libdeflate.h>

#include <cmath>
#include <map>
#include <set>

#include "formats/voxels/export.h"
#include "formats/voxels/minecraft/schem.h"
#include "libvox/dag/colors.h"
#include "libvox/dag/derived.h"
#include "tests/formats/voxels/export_scenes.h"

namespace vox {
namespace {

using namespace testing_export;

std::string gunzipped(const std::string& bytes, size_t most = 1 << 22) {
  std::string to(most, '\0');
  size_t size = 0;
  libdeflate_decompressor* decompressor = libdeflate_alloc_decompressor();
  EXPECT_EQ(libdeflate_gzip_decompress(decompressor, bytes.data(), bytes.size(), to.data(), to.size(), &size),
            LIBDEFLATE_SUCCESS);
  libdeflate_free_decompressor(decompressor);
  to.resize(size);
  return to;
}

// A reader of NBT that shares nothing with the library: whole numbers, texts and arrays of all tags, by their path.
struct Nbt {
  std::map<std::string, int64_t> numbers;
  std::map<std::string, std::string> texts;
  std::map<std::string, std::vector<int64_t>> arrays;

  explicit Nbt(const std::string& all) : bytes(all) {
    const int type = static_cast<int>(number(1));
    const std::string name = text();
    value(type, name);
    EXPECT_EQ(at, bytes.size()) << "bytes follow the compound";
  }

 private:
  int64_t number(int count) {
    int64_t result = static_cast<int8_t>(bytes.at(at));
    for (int i = 1; i < count; ++i) result = result * 256 + static_cast<uint8_t>(bytes.at(at + size_t(i)));
    at += size_t(count);
    return result;
  }
  std::string text() {
    const auto length = static_cast<size_t>(number(2));
    at += length;
    return bytes.substr(at - length, length);
  }
  void value(int type, const std::string& path) {
    if (type >= 1 && type <= 4) {
      numbers[path] = number(1 << (type - 1));
    } else if (type == 7 || type == 11) {
      const int64_t count = number(4);
      std::vector<int64_t>& array = arrays[path];
      for (int64_t i = 0; i < count; ++i) array.push_back(number(type == 7 ? 1 : 4));
    } else if (type == 8) {
      texts[path] = text();
    } else if (type == 10) {
      for (int next = int(number(1)); next != 0; next = int(number(1))) {
        const std::string name = text();
        value(next, path + "/" + name);
      }
    } else {
      ADD_FAILURE() << "a tag of type " << type;
    }
  }

  const std::string bytes;
  size_t at = 0;
};

// The blocks of a file by their place, without air; coordinates are those of the file.
struct Placed {
  Int3 size, offset;
  std::map<std::array<int32_t, 3>, std::string> blocks;
};

Placed placed_blocks(const std::filesystem::path& path) {
  Nbt nbt(gunzipped(read_bytes(path)));
  const std::string root = "Schematic/";
  EXPECT_EQ(nbt.numbers.at(root + "Version"), 2);
  EXPECT_GE(nbt.numbers.at(root + "DataVersion"), 2724);  // 1.17, which has all of the blocks
  EXPECT_EQ(nbt.texts.at(root + "Metadata/Generator"), "vox");
  Placed placed;
  placed.size = {int32_t(nbt.numbers.at(root + "Width")), int32_t(nbt.numbers.at(root + "Height")),
                 int32_t(nbt.numbers.at(root + "Length"))};
  const auto& offset = nbt.arrays.at(root + "Offset");
  placed.offset = {int32_t(offset.at(0)), int32_t(offset.at(1)), int32_t(offset.at(2))};
  std::map<int64_t, std::string> palette;
  for (const auto& [name, number] : nbt.numbers)
    if (name.starts_with(root + "Palette/")) palette[number] = name.substr((root + "Palette/").size());
  EXPECT_EQ(nbt.numbers.at(root + "PaletteMax"), int64_t(palette.size()));
  const auto& data = nbt.arrays.at(root + "BlockData");
  EXPECT_EQ(data.size(), size_t(placed.size.x) * size_t(placed.size.y) * size_t(placed.size.z));
  size_t i = 0;
  for (int32_t y = 0; y < placed.size.y; ++y)
    for (int32_t z = 0; z < placed.size.z; ++z)
      for (int32_t x = 0; x < placed.size.x; ++x) {
        const std::string& name = palette.at(data.at(i++));
        if (name != "minecraft:air") placed.blocks[{x, y, z}] = name;
      }
  return placed;
}

// Oklab as its author gives it, with the mathematics library.
std::array<double, 3> lab(scene::Rgb8 color) {
  const auto linear = [](uint8_t code) {
    const double c = code / 255.0;
    return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  };
  const double r = linear(color.r), g = linear(color.g), b = linear(color.b);
  const double l = std::cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const double m = std::cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const double s = std::cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return {0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
          1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
          0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
}
using LabColor = std::array<double, 3>;
double distance(const LabColor& p, const LabColor& q) {
  return std::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
}

// Expects that no building block is nearer to the color than this one.
void expect_nearest(const std::string& block, scene::Rgb8 color) {
  static const std::map<std::string_view, LabColor> labs = [] {
    std::map<std::string_view, LabColor> all;
    for (const std::string_view name : building_blocks()) all[name] = lab(*known_block_color(name));
    return all;
  }();
  static std::set<std::pair<std::string, uint32_t>> known;  // many voxels are of one color
  if (known.contains({block, scene::packed_color(color)})) return;
  const LabColor wanted = lab(color);
  double least = INFINITY;
  for (const auto& [name, of_block] : labs) least = std::min(least, distance(of_block, wanted));
  ASSERT_LE(distance(labs.at(block_name(block)), wanted), least + 1e-6) << block;
  known.emplace(block, scene::packed_color(color));
}

// Returns a place with y up.
Int3 turned(Int3 v, dag::UpAxis up) {
  if (up == dag::UpAxis::X) return {v.z, v.x, v.y};
  return up == dag::UpAxis::Z ? Int3{v.y, v.z, v.x} : v;
}

class SchemWritten : public ExportTest {
 protected:
  // Compares the file with the voxels of the region, one by one.
  void expect_blocks(const KnownScene& known, const VoxelBox& region, Int3 shift) const {
    const Placed placed = placed_blocks(path("a.schem"));
    uint64_t voxels = 0;
    for (int32_t z = region.min.z; z < region.max.z; ++z)
      for (int32_t y = region.min.y; y < region.max.y; ++y)
        for (int32_t x = region.min.x; x < region.max.x; ++x) {
          const int value = known.value({x, y, z});
          const Int3 at = turned(Int3{x, y, z} + shift, known.scene.up) - placed.offset;
          const auto found = placed.blocks.find({at.x, at.y, at.z});
          ASSERT_EQ(value != 0, found != placed.blocks.end()) << x << ' ' << y << ' ' << z;
          if (value == 0) continue;
          ++voxels;
          if (known.scene.colors)
            expect_nearest(found->second, scene::unpacked_color(known.color({x, y, z})));
          else if (known.scene.dag.materials)
            expect_nearest(found->second, known.scene.palette.colors[size_t(value - 1)]);
          else
            ASSERT_EQ(found->second, "minecraft:stone");
        }
    EXPECT_EQ(placed.blocks.size(), voxels);
  }
  std::string failure(const dag::VoxelScene& scene) const {
    try {
      write_schem(scene, path("a.schem"), std::nullopt);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
};

TEST_F(SchemWritten, EveryVoxelIsTheBlockOfTheNearestColor) {
  for (const Materials materials : {Materials::None, Materials::Sixteen, Materials::Colors})
    for (const dag::UpAxis up : {dag::UpAxis::Y, dag::UpAxis::X, dag::UpAxis::Z})
      for (const uint32_t resolution : {4u, 37u, 70u}) {
        if (resolution == 70 && up != dag::UpAxis::X) continue;
        KnownScene known = known_scene(resolution, materials, noise_grid(resolution));
        known.scene.up = up;
        write_schem(known.scene, path("a.schem"), std::nullopt);
        expect_blocks(known, cube_at({0, 0, 0}, resolution), {0, 0, 0});
      }
}

TEST_F(SchemWritten, BlocksOfSeveralPiecesAreOneStream) {
  // 18 million blocks, mostly air, with voxels in all corners and on both sides of the border between two pieces.
  constexpr uint32_t kSide = 260, kBorder = (16 << 20) / (kSide * kSide);
  const KnownScene known = known_scene(kSide, Materials::None, [](uint32_t x, uint32_t y, uint32_t z) {
    const bool is_corner = x % (kSide - 1) == 0 && y % (kSide - 1) == 0 && z % (kSide - 1) == 0;
    return is_corner || ((y + 1 == kBorder || y == kBorder) && (x + 3 * z) % 50 == 0) ? 0 : dag::kEmptyVoxel;
  });
  write_schem(known.scene, path("a.schem"), std::nullopt);
  EXPECT_EQ(gunzipped(read_bytes(path("a.schem")), 1 << 25).size() / (kSide * kSide), kSide);
  const dag::VoxelScene read = read_voxels(path("a.schem")).scene;
  EXPECT_EQ(dag::without_materials(read.dag).digest, known.scene.dag.digest);
}

TEST_F(SchemWritten, OnlyTheBoxAroundTheVoxelsAndInsideTheClipBoxIsWritten) {
  const KnownScene known = known_scene(40, Materials::Sixteen, [](uint32_t x, uint32_t y, uint32_t z) {
    return x >= 5 && x < 30 && y >= 7 && y < 9 && z == 33 ? 3 : dag::kEmptyVoxel;
  });
  write_schem(known.scene, path("a.schem"), std::nullopt);
  EXPECT_EQ(placed_blocks(path("a.schem")).size, (Int3{25, 2, 1}));
  EXPECT_EQ(placed_blocks(path("a.schem")).offset, (Int3{5, 7, 33}));
  const VoxelBox clip = {{10, 8, 3}, {60, 40, 40}};
  write_schem(known.scene, path("a.schem"), clip);
  EXPECT_EQ(placed_blocks(path("a.schem")).size, (Int3{20, 1, 1}));
  expect_blocks(known, {{10, 8, 3}, {40, 40, 40}}, {0, 0, 0});
}

TEST_F(SchemWritten, TheOffsetIsThePlaceInTheWorldIfThatIsAWholeNumberOfVoxels) {
  KnownScene known = known_scene(16, Materials::Sixteen, noise_grid(1));
  known.scene.voxel_size = 0.25;
  known.scene.origin = {-2.5, 100, 0.75};
  write_schem(known.scene, path("a.schem"), std::nullopt);
  expect_blocks(known, cube_at({0, 0, 0}, 16), {-10, 400, 3});
  known.scene.origin.y = 100.1;
  write_schem(known.scene, path("a.schem"), std::nullopt);
  expect_blocks(known, cube_at({0, 0, 0}, 16), {0, 0, 0});
}

TEST_F(SchemWritten, MaterialsWithTheNamesOfBlocksAreTheseBlocks) {
  KnownScene known = known_scene(16, Materials::Sixteen,
                                 [](uint32_t x, uint32_t y, uint32_t z) { return y + z == 0 ? int(x) : -1; });
  const std::vector<std::pair<std::string, std::string>> names = {
      {"minecraft:oak_stairs[facing=east,half=top]", "minecraft:oak_stairs[facing=east,half=top]"},
      {"some_mod:marble/white", "some_mod:marble/white"},
      {"bricks", "minecraft:bricks"},
      {"water", "minecraft:water"},
      {"red_wool", "minecraft:red_wool"},
      {"minecraft:air", ""},
      {"minecraft:oak stairs", ""},
      {"minecraft:oak[x=\n]", ""},
      {"minecraft:stone[a=1", ""},
      {":stone", ""},
      {"wall", ""},
      {"ladder", ""},
      {std::string("bricks\0", 7), ""},
      {"minecraft:" + std::string(70'000, 'a'), ""},
      {"minecraft:\xc3\xa9", ""},
      {"", ""}};
  for (size_t i = 0; i < names.size(); ++i) known.scene.palette.names[i] = names[i].first;
  write_schem(known.scene, path("a.schem"), std::nullopt);
  const Placed placed = placed_blocks(path("a.schem"));
  ASSERT_EQ(placed.blocks.size(), 16u);
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string& block = placed.blocks.at({int32_t(i), 0, 0});
    if (names[i].second.empty())
      expect_nearest(block, known.scene.palette.colors[i]);
    else
      EXPECT_EQ(block, names[i].second);
  }
}

TEST_F(SchemWritten, MaterialsBeyondThePaletteAreErrorsAndNotAir) {
  KnownScene known = known_scene(16, Materials::Sixteen, noise_grid(1));
  known.scene.palette.count = 5;
  EXPECT_THROW(write_schem(known.scene, path("a.schem"), std::nullopt), Error);
}

TEST_F(SchemWritten, OurReaderFindsTheSameVoxels) {
  for (const Materials materials : {Materials::None, Materials::Sixteen, Materials::Colors}) {
    const KnownScene known = known_scene(66, materials, noise_grid(5));
    write_schem(known.scene, path("a.schem"), std::nullopt);
    const Placed placed = placed_blocks(path("a.schem"));
    const dag::VoxelScene read = read_voxels(path("a.schem"), {.colors = true}).scene;
    EXPECT_EQ(read.dag.voxels, known.scene.dag.voxels);
    EXPECT_EQ(read.origin,
              (Vec3d{double(placed.offset.x), double(placed.offset.y), double(placed.offset.z)}));
    const dag::LeafColors colors(read);
    std::vector<uint32_t> dense(size_t{66} * 66 * 66);
    dag::write_dense_colors(read.dag, colors, cube_at({0, 0, 0}, 66), dense.data());
    for (const auto& [at, block] : placed.blocks)
      ASSERT_EQ(dense[(size_t(at[2]) * 66 + size_t(at[1])) * 66 + size_t(at[0])],
                scene::packed_color(*known_block_color(block_name(block))));
  }
}

TEST_F(SchemWritten, AnEmptySceneIsOneBlockOfAir) {
  write_schem(known_scene(16, Materials::Sixteen, empty_grid).scene, path("a.schem"), std::nullopt);
  EXPECT_EQ(placed_blocks(path("a.schem")).size, (Int3{1, 1, 1}));
  EXPECT_EQ(placed_blocks(path("a.schem")).blocks.size(), 0u);
  EXPECT_EQ(read_voxels(path("a.schem")).scene.dag.voxels, 0u);
}

TEST_F(SchemWritten, ScenesThatAreTooLargeAreRefusedWithAWayOut) {
  const KnownScene corner = known_scene(4, Materials::Sixteen, full_grid);
  const std::string wide = failure(repeated(corner, 0b00000011, 15).scene);
  EXPECT_NE(wide.find("131072 x 4 x 4 blocks, expected at most 65535 a side"), std::string::npos) << wide;
  EXPECT_NE(wide.find("a resolution of 32K makes a coarser one"), std::string::npos) << wide;
  EXPECT_NE(wide.find("pieces"), std::string::npos) << wide;
  const std::string many = failure(repeated(corner, 0b10000001, 9).scene);
  EXPECT_NE(many.find("2048 x 2048 x 2048 blocks, expected at most"), std::string::npos) << many;
  EXPECT_TRUE(folder_is_empty());
  EXPECT_EQ(failure(repeated(corner, 0b00000011, 13).scene), "");
}

TEST_F(SchemWritten, BuildingBlocksHaveDifferentNamesAndKnownColors) {
  std::set<std::string_view> names;
  for (const std::string_view name : building_blocks()) {
    EXPECT_TRUE(known_block_color(name)) << name;
    EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_TRUE(is_block_of_material(name)) << name;
  }
  EXPECT_LT(names.size(), 127u);  // numbers of one byte
}

TEST(BlockColors, OfNamesThatNoBlockHasAreNotLookedForLong) {
  std::string name = "oak_planks_slab_slab";
  EXPECT_TRUE(known_block_color(name));
  while (name.size() < 60000) name += "_slab";
  EXPECT_FALSE(known_block_color(name));
}

TEST_F(SchemWritten, FilesOfVoxAreKnown) {
  write_schem(known_scene(8, Materials::None, noise_grid(2)).scene, path("a.schem"), std::nullopt);
  EXPECT_TRUE(is_schem_of_vox(path("a.schem")));
  write_bytes(path("b.schem"), read_bytes(path("a.schem")).substr(0, 30));
  EXPECT_FALSE(is_schem_of_vox(path("b.schem")));
  EXPECT_FALSE(is_schem_of_vox(path("none.schem")));
}

}  // namespace
}  // namespace vox
