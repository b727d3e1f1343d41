#include <fmt/format.h>
#include <libdeflate.h>

#include <algorithm>
#include <array>
#include <map>

#include "formats/voxels/minecraft/schem.h"
#include "formats/voxels/voxel_formats.h"
#include "tests/common/test_process.h"
#include "tests/formats/voxels/export_scenes.h"

namespace vox {
namespace {

using namespace testing_export;

std::string big_bytes(uint64_t value, int count) {
  std::string bytes;
  for (int shift = 8 * (count - 1); shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift);
  return bytes;
}
std::string tag_bytes(int type, const std::string& name, const std::string& value) {
  return static_cast<char>(type) + big_bytes(name.size(), 2) + name + value;
}
std::string short_tag(const std::string& name, uint64_t value) {
  return tag_bytes(2, name, big_bytes(value, 2));
}
std::string compound_tag(const std::string& name, const std::string& entries) {
  return tag_bytes(10, name, entries + '\0');
}

std::string gzipped(const std::string& bytes) {
  libdeflate_compressor* compressor = libdeflate_alloc_compressor(1);
  std::string to(libdeflate_gzip_compress_bound(compressor, bytes.size()), '\0');
  to.resize(libdeflate_gzip_compress(compressor, bytes.data(), bytes.size(), to.data(), to.size()));
  libdeflate_free_compressor(compressor);
  return to;
}

struct Build {
  Int3 size = {0, 0, 0};
  std::vector<std::string> names;
  std::vector<uint32_t> blocks;  // x fastest, then z, then y
};

// Returns an uncompressed schematic of one of the three versions.
std::string schem_bytes(const Build& build, int version) {
  std::string palette, data;
  for (size_t i = 0; i < build.names.size(); ++i) palette += tag_bytes(3, build.names[i], big_bytes(i, 4));
  for (uint32_t block : build.blocks) {
    for (; block >= 128; block >>= 7) data += static_cast<char>((block & 127) | 128);
    data += static_cast<char>(block);
  }
  const std::string array = big_bytes(data.size(), 4) + data;
  const std::string blocks =
      compound_tag("Palette", palette) + tag_bytes(7, version == 3 ? "Data" : "BlockData", array);
  const std::string entities = tag_bytes(
      9, "BlockEntities", std::string(1, '\12') + big_bytes(2, 4) + short_tag("Id", 1) + '\0' + '\0');
  std::string all =
      tag_bytes(3, "Version", big_bytes(static_cast<uint64_t>(version), 4)) +
      tag_bytes(3, "DataVersion", big_bytes(3000, 4)) +
      compound_tag("Metadata", tag_bytes(8, "Name", big_bytes(3, 2) + "hut")) +
      short_tag("Width", uint64_t(build.size.x)) + short_tag("Height", uint64_t(build.size.y)) +
      short_tag("Length", uint64_t(build.size.z)) +
      tag_bytes(11, "Offset",
                big_bytes(3, 4) + big_bytes(uint64_t(-5), 4) + big_bytes(64, 4) + big_bytes(7, 4));
  all += version == 3 ? compound_tag("Blocks", blocks + entities) : blocks + entities;
  return version == 3 ? compound_tag("", compound_tag("Schematic", all)) : compound_tag("Schematic", all);
}

class SchemRead : public ExportTest {
 protected:
  dag::VoxelScene read_of(const std::string& bytes) const {
    write_bytes(path("a.schem"), gzipped(bytes));
    ScenePlusError result = read_voxels(path("a.schem"));
    dag::verify(result.scene.dag);
    return std::move(result.scene);
  }
  std::string message_of(const std::string& bytes) const {
    try {
      read_of(bytes);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
};

Build random_build(Int3 size, std::vector<std::string> names) {
  Build build = {.size = size, .names = std::move(names), .blocks = {}};
  for (uint64_t i = 0; i < uint64_t(size.x) * uint64_t(size.y) * uint64_t(size.z); ++i)
    build.blocks.push_back(static_cast<uint32_t>(mix64(i + 1) % build.names.size()));
  return build;
}

scene::Rgb8 color_of_block(const std::string& state) {
  const std::string_view name = block_name(state);
  const auto known = known_block_color(name);
  return known ? *known : color_of_name(name);
}

void expect_build(const dag::VoxelScene& scene, const Build& build) {
  uint64_t voxels = 0;
  for (int32_t y = 0, i = 0; y < build.size.y; ++y)
    for (int32_t z = 0; z < build.size.z; ++z)
      for (int32_t x = 0; x < build.size.x; ++x, ++i) {
        const std::string& state = build.names[build.blocks[size_t(i)]];
        const int material = dag::voxel_at(scene.dag, uint32_t(x), uint32_t(y), uint32_t(z));
        ASSERT_EQ(material >= 0, !is_air(block_name(state))) << x << ' ' << y << ' ' << z;
        if (material < 0) continue;
        ++voxels;
        ASSERT_EQ(scene.palette.colors[size_t(material)], color_of_block(state)) << state;
      }
  EXPECT_EQ(scene.dag.voxels, voxels);
}

TEST_F(SchemRead, EveryBlockThatIsNotAirIsAVoxelOfItsColor) {
  const std::vector<std::string> names = {
      "minecraft:air",           "minecraft:stone",    "minecraft:oak_stairs[facing=east,half=bottom]",
      "minecraft:cave_air",      "minecraft:red_wool", "mod:blinking_thing",
      "minecraft:water[level=0]"};
  for (int version : {1, 2, 3})
    for (const Int3 size : {Int3{70, 9, 66}, Int3{1, 5, 3}, Int3{65, 130, 1}}) {
      const Build build = random_build(size, names);
      const dag::VoxelScene scene = read_of(schem_bytes(build, version));
      EXPECT_EQ(scene.origin, (Vec3d{-5, 64, 7}));
      EXPECT_EQ(scene.voxel_size, 1);
      expect_build(scene, build);
    }
}

TEST_F(SchemRead, NumbersOfLargePalettesTakeSeveralBytes) {
  std::vector<std::string> names = {"minecraft:air"};
  for (int i = 1; i < 300; ++i) names.push_back(fmt::format("minecraft:stone[age={}]", i));
  for (const Int3 size : {Int3{20, 70, 90}, Int3{1, 70, 90}, Int3{3, 11, 70}}) {
    const Build build = random_build(size, names);
    expect_build(read_of(schem_bytes(build, 2)), build);
  }
}

TEST_F(SchemRead, VeryManyShortRowsTakeLittleMemory) {
  Build build = {.size = {1, 4000, 4000}, .names = {"minecraft:air", "minecraft:stone"}, .blocks = {}};
  build.blocks.resize(16'000'000);
  build.blocks.back() = 1;
  write_bytes(path("a.schem"), gzipped(schem_bytes(build, 2)));
  // The blocks are inflated into a file that is mapped, so 16 MB of growth are theirs.
  EXPECT_LT(growth([&] { EXPECT_EQ(open_schem(path("a.schem")).cubes.size(), 1u); }), 48u << 20);
}

TEST_F(SchemRead, BlocksOfCommonOnesHaveTheirColor) {
  const auto known = [](std::string_view name) {
    return known_block_color(name).value_or(scene::Rgb8{1, 2, 3});
  };
  EXPECT_EQ(known("oak_stairs"), known("oak_planks"));
  EXPECT_EQ(known("stripped_dark_oak_log"), known("dark_oak_wood"));
  EXPECT_EQ(known("mossy_cobblestone_wall"), known("cobblestone"));
  EXPECT_EQ(known("stone_brick_slab"), known("stone_bricks"));
  EXPECT_EQ(known("light_blue_stained_glass_pane"), known("light_blue_wool"));
  EXPECT_NE(known("red_terracotta"), known("red_wool"));
  EXPECT_EQ(known("quartz_pillar"), known("quartz_pillar"));
  EXPECT_FALSE(known_block_color("blinking_thing"));
  EXPECT_EQ(color_of_name("a"), color_of_name("a"));
  EXPECT_NE(color_of_name("a"), color_of_name("b"));
}

TEST_F(SchemRead, ErrorsSayWhatIsWrong) {
  const Build good = random_build({4, 4, 4}, {"minecraft:air", "minecraft:stone"});
  Build short_of_blocks = good, strange = good, many = good;
  short_of_blocks.blocks.pop_back();
  strange.blocks[7] = 9;
  many.blocks.push_back(0);
  for (const auto& [bytes, expected] : std::vector<std::pair<std::string, std::string>>{
           {schem_bytes(good, 7), "version 7"},
           {schem_bytes(short_of_blocks, 2), "63 bytes of blocks cannot hold"},
           {schem_bytes(strange, 2), "number 9 in a palette of 2"},
           {schem_bytes(many, 3), "expected the end"},
           {compound_tag("Schematic", short_tag("Width", 3)), "Width, Height, Length"},
           {tag_bytes(8, "Schematic", big_bytes(0, 2)), "no compound"}})
    EXPECT_NE(message_of(bytes).find(expected), std::string::npos) << message_of(bytes);
  write_bytes(path("a.schem"), schem_bytes(good, 2));
  EXPECT_THROW(read_voxels(path("a.schem")), Error);
  std::string deep = std::string("\12\0\0", 3);
  for (int i = 0; i < 100'000; ++i) deep += tag_bytes(10, "a", "");
  EXPECT_NE(message_of(deep).find("nested too deeply"), std::string::npos);
}

TEST_F(SchemRead, ZerosBehindTheGzipDataAreIgnored) {
  for (const Int3 size : {Int3{2, 1, 3}, Int3{4, 4, 4}, Int3{70, 9, 106}}) {
    const Build build = random_build(size, {"minecraft:air", "minecraft:stone"});
    for (const size_t zeros : {1u, 2u, 3u, 4u, 512u}) {
      write_bytes(path("a.schem"), gzipped(schem_bytes(build, 2)) + std::string(zeros, '\0'));
      expect_build(read_voxels(path("a.schem")).scene, build);
    }
  }
  write_bytes(path("a.schem"), gzipped("") + std::string(512, '\0'));
  EXPECT_THROW(read_voxels(path("a.schem")), Error);
}

TEST_F(SchemRead, DamagedFilesAreErrorsOrScenes) {
  const Build build = random_build({5, 3, 4}, {"minecraft:air", "minecraft:stone", "minecraft:dirt"});
  const std::string good = schem_bytes(build, 3);
  for (size_t length = 0; length < good.size(); ++length)
    EXPECT_THROW(read_of(good.substr(0, length)), Error) << length;
  for (uint64_t i = 0; i < 150; ++i) {
    std::string bytes = good;
    for (uint64_t change = 0; change <= i % 2; ++change)
      bytes[mix64(2 * i + change + 1) % bytes.size()] = static_cast<char>(mix64(i + 1) >> 32);
    write_bytes(path("a.schem"), gzipped(bytes));
    is_refused(path("a.schem"), {.materials = i % 16 == 0});
  }
  expect_damage_is_survived(path("a.schem"), gzipped(good), 50);
}

using PlacedColor = std::array<int64_t, 3>;

// Reads the records of a file directly: four big-endian words each.
std::map<PlacedColor, uint32_t> records_of(const std::filesystem::path& path) {
  const std::string bytes = read_bytes(path);
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

TEST_F(Vl32, ARoundTripKeepsVoxelsColorsAndPlace) {
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
  const std::string bytes = read_bytes(path("a.vl32"));
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
