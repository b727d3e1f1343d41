#include "formats/voxels/magica_vox/magica_vox.h"

#include <cmath>
#include <map>
#include <tuple>

#include "tests/formats/voxels/export_scenes.h"

namespace vox {
namespace {

using namespace testing_export;

std::string int32_bytes(uint64_t value) {
  std::string bytes;
  for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(value >> shift);
  return bytes;
}
std::string sized_text(const std::string& text) {
  return int32_bytes(text.size()) + text;
}
using Pairs = std::vector<std::pair<std::string, std::string>>;
std::string dict_bytes(const Pairs& pairs) {
  std::string bytes = int32_bytes(pairs.size());
  for (const auto& [key, value] : pairs) bytes += sized_text(key) + sized_text(value);
  return bytes;
}
std::string chunk_bytes(const std::string& id, const std::string& content) {
  return id + int32_bytes(content.size()) + int32_bytes(0) + content;
}
std::string file_bytes(const std::string& chunks, uint64_t version = 150) {
  return "VOX " + int32_bytes(version) + "MAIN" + int32_bytes(0) + int32_bytes(chunks.size()) + chunks;
}

struct TestVoxel {
  int x, y, z, color;
};
std::string model_bytes(Int3 size, const std::vector<TestVoxel>& voxels) {
  std::string xyzi = int32_bytes(voxels.size());
  for (const TestVoxel& v : voxels)
    for (int byte : {v.x, v.y, v.z, v.color}) xyzi += static_cast<char>(byte);
  return chunk_bytes("SIZE", int32_bytes(uint64_t(size.x)) + int32_bytes(uint64_t(size.y)) +
                                 int32_bytes(uint64_t(size.z))) +
         chunk_bytes("XYZI", xyzi);
}
std::string transform_bytes(uint64_t id, uint64_t child, const Pairs& frame, const Pairs& attributes = {},
                            uint64_t layer = UINT64_MAX) {
  return chunk_bytes("nTRN", int32_bytes(id) + dict_bytes(attributes) + int32_bytes(child) +
                                 int32_bytes(UINT64_MAX) + int32_bytes(layer) + int32_bytes(1) +
                                 dict_bytes(frame));
}
std::string group_bytes(uint64_t id, const std::vector<uint64_t>& children) {
  std::string content = int32_bytes(id) + dict_bytes({}) + int32_bytes(children.size());
  for (uint64_t child : children) content += int32_bytes(child);
  return chunk_bytes("nGRP", content);
}
std::string shape_bytes(uint64_t id, uint64_t model) {
  return chunk_bytes("nSHP",
                     int32_bytes(id) + dict_bytes({}) + int32_bytes(1) + int32_bytes(model) + dict_bytes({}));
}
std::string colors_bytes(const std::vector<scene::Rgb8>& colors) {
  std::string bytes;
  for (size_t i = 0; i < 256; ++i) {
    const scene::Rgb8 color = i < colors.size() ? colors[i] : scene::Rgb8{0, 0, 0};
    for (int channel : {int{color.r}, int{color.g}, int{color.b}, 255}) bytes += static_cast<char>(channel);
  }
  return chunk_bytes("RGBA", bytes);
}

class MagicaVoxRead : public ExportTest {
 protected:
  dag::VoxelScene read(const VoxelFileOptions& options = {}) const {
    ScenePlusError result = read_voxels(path("a.vox"), options);
    dag::verify(result.scene.dag);
    return std::move(result.scene);
  }
  dag::VoxelScene read_of(const std::string& bytes) const {
    write_bytes(path("a.vox"), bytes);
    return read();
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

// The filled voxels at their places in the world, with y up, and their colors.
using WorldVoxels = std::map<std::tuple<int, int, int>, uint32_t>;

WorldVoxels world_voxels(const dag::VoxelScene& scene) {
  WorldVoxels voxels;
  const auto side = scene.dag.resolution;
  for (uint32_t z = 0; z < side; ++z)
    for (uint32_t y = 0; y < side; ++y)
      for (uint32_t x = 0; x < side; ++x)
        if (const int material = dag::voxel_at(scene.dag, x, y, z); material >= 0)
          voxels[{int(x) + int(scene.origin.x), int(y) + int(scene.origin.y), int(z) + int(scene.origin.z)}] =
              rgb_value(scene.palette.colors[size_t(material)]);
  return voxels;
}

TEST_F(MagicaVoxRead, WhatIsWrittenIsReadAgain) {
  for (uint32_t resolution : {4u, 37u, 70u})
    for (Materials materials : {Materials::None, Materials::Sixteen})
      for (dag::UpAxis up : {dag::UpAxis::X, dag::UpAxis::Y, dag::UpAxis::Z}) {
        KnownScene known = known_scene(resolution, materials, noise_grid(resolution));
        known.scene.up = up;
        known.scene.origin = {-1.5, 2, 3e6};
        known.scene.voxel_size = 0.3;
        write_magica_vox(known.scene, path("a.vox"), std::nullopt);
        const dag::VoxelScene scene = read();
        EXPECT_EQ(scene.dag.digest, known.scene.dag.digest);
        EXPECT_EQ(scene.up, up);
        EXPECT_EQ(scene.origin, known.scene.origin);
        EXPECT_EQ(scene.voxel_size, known.scene.voxel_size);
        EXPECT_EQ(scene.palette.count, known.scene.palette.count);
        EXPECT_EQ(scene.palette.colors, known.scene.palette.colors);
        EXPECT_EQ(scene.palette.names, known.scene.palette.names);
      }
}

TEST_F(MagicaVoxRead, ColorsAreReadAgainEvenIfThereIsOnlyOne) {
  const auto corner_and_more = [](uint32_t most) {
    return [most](uint32_t x, uint32_t y, uint32_t z) {
      return y == 0 && z == 0 && x <= most ? 0 : dag::kEmptyVoxel;
    };
  };
  for (const uint32_t most : {0u, 1u, 8u}) {  // neighbors along x may have one color
    const KnownScene known = known_scene(9, Materials::Colors, corner_and_more(most));
    write_magica_vox(known.scene, path("a.vox"), std::nullopt);
    const dag::VoxelScene scene = read({.colors = true});
    EXPECT_EQ(scene.dag.digest, known.scene.dag.digest);
    ASSERT_TRUE(scene.colors.has_value()) << most;
    for (uint64_t i = 0; i < scene.dag.voxels; ++i)
      EXPECT_EQ((*scene.colors)[i], (*known.scene.colors)[i]) << i;
  }
}

TEST_F(MagicaVoxRead, ModelsOfAllBlocksAreReadAgain) {
  KnownScene known = repeated(known_scene(64, Materials::Sixteen, noise_grid(3)), 0b10110101, 2);
  for (dag::UpAxis up : {dag::UpAxis::X, dag::UpAxis::Y}) {
    known.scene.up = up;
    write_magica_vox(known.scene, path("a.vox"), std::nullopt);
    const dag::VoxelScene scene = read();
    EXPECT_EQ(scene.dag.voxels, known.scene.dag.voxels);
    EXPECT_EQ(scene.dag.digest, dag::compute_digest(scene.dag));
    for (uint64_t i = 0; i < 50'000; ++i) {
      const uint64_t hash = mix64(i + 1);
      const Vec3<uint32_t> v = {uint32_t(hash) & 255, uint32_t(hash >> 20) & 255, uint32_t(hash >> 40) & 255};
      ASSERT_EQ(dag::voxel_at(scene.dag, v.x, v.y, v.z) + 1, known.value({int(v.x), int(v.y), int(v.z)}));
    }
  }
}

TEST_F(MagicaVoxRead, AClipBoxLiesWhereItWas) {
  KnownScene known = known_scene(50, Materials::Sixteen, noise_grid(1));
  known.scene.origin = {10, 20, 30};
  const VoxelBox clip = {{3, 5, 7}, {42, 21, 30}};
  for (dag::UpAxis up : {dag::UpAxis::X, dag::UpAxis::Y, dag::UpAxis::Z}) {
    known.scene.up = up;
    write_magica_vox(known.scene, path("a.vox"), clip);
    const dag::VoxelScene scene = read();
    EXPECT_EQ(scene.dag.resolution, 50u);
    EXPECT_EQ(scene.origin, known.scene.origin);
    EXPECT_EQ(scene.dag.voxels, known.count(clip));
    for (int32_t z = clip.min.z; z < clip.max.z; ++z)
      for (int32_t y = clip.min.y; y < clip.max.y; ++y)
        for (int32_t x = clip.min.x; x < clip.max.x; ++x)
          ASSERT_EQ(dag::voxel_at(scene.dag, uint32_t(x), uint32_t(y), uint32_t(z)) + 1,
                    known.value({x, y, z}));
  }
}

TEST_F(MagicaVoxRead, AFileWithoutASceneGraphIsTurnedSoThatYIsUp) {
  const std::string model = model_bytes({9, 7, 5}, {{1, 2, 3, 1}, {8, 6, 4, 2}});
  for (uint64_t version : {150, 200}) {
    const auto voxels =
        world_voxels(read_of(file_bytes(model + colors_bytes({{10, 20, 30}, {40, 50, 60}}), version)));
    EXPECT_EQ(voxels, (WorldVoxels{{{1, 3, -3}, 0x0a141e}, {{8, 4, -7}, 0x28323c}}));
  }
}

// There are 24 rotations and 24 mirrored ones, each for even and odd sizes.
TEST_F(MagicaVoxRead, RotationsAreAboutTheMiddleRoundedDown) {
  for (const Int3 size : {Int3{5, 6, 7}, Int3{4, 3, 2}})
    for (uint32_t bits = 0; bits < 128; ++bits) {
      const uint32_t columns[] = {bits & 3, bits >> 2 & 3, 3 - (bits & 3) - (bits >> 2 & 3)};
      if (columns[0] == 3 || columns[1] == 3 || columns[0] == columns[1]) continue;
      const std::vector<TestVoxel> voxels = {
          {0, 0, 0, 1}, {1, 2, 1, 2}, {size.x - 1, size.y - 1, size.z - 1, 3}};
      WorldVoxels expected;
      for (const TestVoxel& v : voxels) {
        const Int3 half = {size.x / 2, size.y / 2, size.z / 2};  // rounded down
        const double from_middle[] = {v.x + 0.5 - half.x, v.y + 0.5 - half.y, v.z + 0.5 - half.z};
        int at[3];
        for (int row = 0; row < 3; ++row) {
          const double value = from_middle[columns[row]] * (bits >> (4 + row) & 1 ? -1 : 1);
          at[row] = static_cast<int>(std::floor(value)) + 10 * (row + 1);
        }
        expected[{at[0], at[2], -1 - at[1]}] = static_cast<uint32_t>(v.color) * 0x010101;
      }
      const std::string graph = transform_bytes(0, 1, {}) + group_bytes(1, {2}) +
                                transform_bytes(2, 3, {{"_r", std::to_string(bits)}, {"_t", "10 20 30"}}) +
                                shape_bytes(3, 0);
      const std::string colors = colors_bytes({{1, 1, 1}, {2, 2, 2}, {3, 3, 3}});
      EXPECT_EQ(world_voxels(read_of(file_bytes(model_bytes(size, voxels) + graph + colors))), expected)
          << bits;
    }
}

TEST_F(MagicaVoxRead, TransformsOfGroupsAreBelowEachOther) {
  // Row 0 takes -y, row 1 x, row 2 z, which is a quarter turn about z.
  const std::string quarter = std::to_string(1 | 0 << 2 | 1 << 4);
  const std::string graph = transform_bytes(0, 1, {}) + group_bytes(1, {2, 4}) +
                            transform_bytes(2, 3, {{"_r", quarter}, {"_t", "100 0 0"}}) +
                            group_bytes(3, {6}) + transform_bytes(4, 5, {{"_t", "0 0 50"}}) +
                            shape_bytes(5, 0) + transform_bytes(6, 7, {{"_t", "7 0 0"}}) + shape_bytes(7, 0);
  const auto voxels = world_voxels(read_of(file_bytes(model_bytes({1, 1, 1}, {{0, 0, 0, 1}}) + graph)));
  // In the turned model, (7.5, 0.5, 0.5) becomes (-0.5, 7.5, 0.5), and then (99.5, 7.5, 0.5).
  EXPECT_EQ(voxels, (WorldVoxels{{{99, 0, -8}, 0xffffff}, {{0, 50, -1}, 0xffffff}}));
}

TEST_F(MagicaVoxRead, WhatIsHiddenIsLeftOut) {
  const std::string graph =
      transform_bytes(0, 1, {}) + group_bytes(1, {2, 4, 6}) +
      transform_bytes(2, 3, {{"_t", "1 0 0"}}, {{"_hidden", "1"}}) + shape_bytes(3, 0) +
      transform_bytes(4, 5, {{"_t", "2 0 0"}}, {}, 7) + shape_bytes(5, 0) +
      transform_bytes(6, 8, {{"_t", "3 0 0"}}, {{"_hidden", "0"}}, 8) + shape_bytes(8, 0) +
      chunk_bytes("LAYR", int32_bytes(7) + dict_bytes({{"_hidden", "1"}}) + int32_bytes(UINT64_MAX)) +
      chunk_bytes("LAYR", int32_bytes(8) + dict_bytes({{"_name", "seen"}}) + int32_bytes(UINT64_MAX));
  const auto voxels = world_voxels(read_of(file_bytes(model_bytes({1, 1, 1}, {{0, 0, 0, 1}}) + graph)));
  EXPECT_EQ(voxels, (WorldVoxels{{{3, 0, -1}, 0xffffff}}));
}

TEST_F(MagicaVoxRead, OfSeveralModelsThatNothingPlacesTheFirstIsTaken) {
  const std::string models = chunk_bytes("PACK", int32_bytes(2)) + model_bytes({1, 1, 1}, {{0, 0, 0, 1}}) +
                             model_bytes({2, 1, 1}, {{1, 0, 0, 1}});
  EXPECT_EQ(read_of(file_bytes(models)).dag.voxels, 1u);
}

TEST_F(MagicaVoxRead, TwoHundredColorsBecomeSixteen) {
  std::vector<TestVoxel> voxels;
  std::vector<scene::Rgb8> colors;
  for (int i = 0; i < 200; ++i) {
    voxels.push_back({i, 0, 0, i + 1});
    colors.push_back({uint8_t(i), uint8_t(255 - i), 90});
  }
  const dag::VoxelScene scene = read_of(file_bytes(model_bytes({200, 1, 1}, voxels) + colors_bytes(colors)));
  EXPECT_EQ(scene.palette.count, 16u);
  for (uint32_t x = 0; x < 200; ++x) {
    const scene::Rgb8 color = scene.palette.colors[size_t(dag::voxel_at(scene.dag, x, 0, 0))];
    EXPECT_LT(std::abs(color.r - int(x)), 16) << x;
  }
}

TEST_F(MagicaVoxRead, WithoutColorsInTheFileItsDefaultOnesAreTaken) {
  const dag::VoxelScene scene = read_of(file_bytes(
      model_bytes({6, 1, 1}, {{0, 0, 0, 1}, {1, 0, 0, 2}, {2, 0, 0, 37}, {3, 0, 0, 216}, {4, 0, 0, 255}})));
  // The specification lists these as 0xffffffff, 0xffccffff, 0xffffffcc, 0xff0000ee and 0xff111111.
  const WorldVoxels expected = {{{0, 0, -1}, 0xffffff},
                                {{1, 0, -1}, 0xffffcc},
                                {{2, 0, -1}, 0xccffff},
                                {{3, 0, -1}, 0xee0000},
                                {{4, 0, -1}, 0x111111}};
  EXPECT_EQ(world_voxels(scene), expected);
}

TEST_F(MagicaVoxRead, GraphsThatAreNoTreesAreRefused) {
  const std::string model = model_bytes({1, 1, 1}, {{0, 0, 0, 1}});
  EXPECT_NE(
      message_of(file_bytes(model + transform_bytes(0, 1, {}) + group_bytes(1, {0}))).find("not a tree"),
      std::string::npos);
  EXPECT_NE(message_of(file_bytes(model + transform_bytes(0, 1, {}))).find("no node 1"), std::string::npos);
  EXPECT_NE(message_of(file_bytes(model + transform_bytes(0, 1, {}) + shape_bytes(1, 5))).find("a model 5"),
            std::string::npos);
  std::string doubling = transform_bytes(0, 1, {});
  for (uint64_t i = 1; i < 60; ++i) doubling += group_bytes(i, {i + 1, i + 1});
  EXPECT_NE(message_of(file_bytes(model + doubling + shape_bytes(60, 0))).find("not a tree"),
            std::string::npos);
}

TEST_F(MagicaVoxRead, ErrorsSayWhatIsWrong) {
  const std::string model = model_bytes({2, 2, 2}, {{0, 0, 0, 1}});
  for (const auto& [bytes, expected] : std::vector<std::pair<std::string, std::string>>{
           {"RIFF and so on", "no MagicaVoxel"},
           {file_bytes(model, 7), "version 7"},
           {file_bytes(model_bytes({2, 2, 2}, {{2, 0, 0, 1}})), "2 x 2 x 2"},
           {file_bytes(model.substr(24)), "but no size"},
           {file_bytes(model + transform_bytes(0, 1, {{"_r", "3"}})), "'_r'"},
           {file_bytes(model + transform_bytes(0, 1, {{"_t", "1 2"}})), "'_t'"},
           {file_bytes(model + transform_bytes(0, 2, {}) + group_bytes(2, {3, 4}) +
                       transform_bytes(3, 5, {{"_t", "-2000000000 0 0"}}) + shape_bytes(5, 0) +
                       transform_bytes(4, 6, {{"_t", "2000000000 0 0"}}) + shape_bytes(6, 0)),
            "spread over"}}) {
    EXPECT_NE(message_of(bytes).find(expected), std::string::npos) << message_of(bytes);
    EXPECT_NE(message_of(bytes).find("a.vox"), std::string::npos);
  }
}

TEST_F(MagicaVoxRead, DamagedFilesAreErrorsOrScenes) {
  const std::string good = file_bytes(
      model_bytes({3, 3, 3}, {{0, 0, 0, 1}, {2, 1, 2, 9}, {1, 1, 1, 20}}) +
      model_bytes({1, 1, 1}, {{0, 0, 0, 2}}) + transform_bytes(0, 1, {}) + group_bytes(1, {2, 4}) +
      transform_bytes(2, 3, {{"_r", "17"}, {"_t", "5 -3 2"}}, {{"_name", "a"}}, 0) + shape_bytes(3, 0) +
      transform_bytes(4, 5, {{"_t", "1 1 1"}}) + shape_bytes(5, 1) +
      chunk_bytes("LAYR", int32_bytes(0) + dict_bytes({{"_name", "0"}}) + int32_bytes(UINT64_MAX)));
  expect_damage_is_survived(path("a.vox"), good, 300);

  KnownScene known = known_scene(6, Materials::Sixteen, noise_grid(3));
  write_magica_vox(known.scene, path("a.vox"), std::nullopt);
  const std::string ours = read_bytes(path("a.vox"));
  const size_t graph = ours.find("nTRN");
  for (uint64_t i = 0; i < 100; ++i) {
    std::string bytes = ours;
    bytes[graph + mix64(i + 1) % 260] = static_cast<char>(mix64(i + 1) >> 32);
    write_bytes(path("a.vox"), bytes);
    is_refused(path("a.vox"), {.materials = i % 16 == 0});
  }
}

}  // namespace
}  // namespace vox
