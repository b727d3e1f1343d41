// Files that other programs show: 3D Tiles, and pictures of layers, read back pixel by pixel.
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "formats/images/image.h"
#include "formats/voxels/export.h"
#include "formats/voxels/surfaces/surface.h"
#include "formats/voxels/voxel_formats.h"
#include "libvox/base/error.h"
#include "libvox/base/morton.h"
#include "libvox/dag/derived.h"
#include "tests/formats/voxels/export_scenes.h"

namespace vox {
namespace {

using namespace testing_export;

class Tiles : public ExportTest {
 protected:
  // Returns the numbers that follow a key of a text in JSON, as many as stand there in one list.
  static std::vector<double> numbers(const std::string& json, const std::string& key) {
    size_t at = json.find('"' + key + "\": ");
    EXPECT_NE(at, json.npos) << key;
    at += key.size() + 4;
    const bool is_list = json[at] == '[';
    std::vector<double> found;
    for (const char* next = json.c_str() + at + (is_list ? 1 : 0);; ++next) {
      char* end = nullptr;
      found.push_back(std::strtod(next, &end));
      EXPECT_NE(end, next) << key;
      next = end;
      if (!is_list || *next != ',') return found;
    }
  }

  // The levels of the tileset, and its box and transform.
  struct Tileset {
    uint64_t levels = 0;
    std::vector<double> transform, box;
  };
  Tileset read_tileset() const {
    const std::string file = read_bytes(path("t") / "tileset.json");
    EXPECT_NE(file.find(R"("extensionsRequired": ["3DTILES_content_voxels"])"), file.npos);
    return {static_cast<uint64_t>(numbers(file, "availableLevels")[0]), numbers(file, "transform"),
            numbers(file, "box")};
  }

  // Returns the RGBA bytes of a tile.
  std::string tile(uint32_t level, Int3 at) const {
    const std::string file =
        read_bytes(path("t") / fmt::format("tiles/{}/{}.{}.{}.glb", level, at.x, at.y, at.z));
    EXPECT_EQ(file.substr(0, 4), "glTF");
    EXPECT_EQ(number_at<uint32_t>(file, 8), file.size());
    const auto json_bytes = number_at<uint32_t>(file, 12);
    const std::string json = file.substr(20, json_bytes);
    EXPECT_EQ(numbers(json, "mode"), std::vector<double>{0x7fffffff});
    EXPECT_EQ(numbers(json, "dimensions"), (std::vector<double>{32, 32, 32}));
    std::string colors = file.substr(28 + json_bytes);
    EXPECT_EQ(number_at<uint32_t>(file, 20 + json_bytes), colors.size());
    EXPECT_EQ(colors.size(), 4u * 32 * 32 * 32);
    return colors;
  }

  // Returns the bit of a tile in the list of its subtree.
  bool is_available(uint32_t level, Int3 at) const {
    const uint32_t below = level % 4, top = level - below;
    const auto file_path = path("t") / fmt::format("subtrees/{}/{}.{}.{}.subtree", top, at.x >> below,
                                                   at.y >> below, at.z >> below);
    if (!std::filesystem::exists(file_path)) return false;
    const std::string file = read_bytes(file_path);
    EXPECT_EQ(file.substr(0, 4), "subt");
    const auto json_bytes = number_at<uint64_t>(file, 8), data_bytes = number_at<uint64_t>(file, 16);
    EXPECT_EQ(file.size(), 24 + json_bytes + data_bytes);
    const auto part = [&](int32_t v) { return static_cast<uint32_t>(v) & ((1u << below) - 1); };
    const uint64_t bit =
        ((uint64_t{1} << 3 * below) - 1) / 7 + morton_encode(part(at.x), part(at.y), part(at.z));
    return (static_cast<uint8_t>(file[24 + json_bytes + bit / 8]) >> bit % 8 & 1) != 0;
  }
};

TEST_F(Tiles, HaveTheVoxelsOfAllLevels) {
  for (const uint32_t resolution : {5u, 32u, 100u}) {
    const KnownScene known =
        known_scene(resolution, Materials::Sixteen, [](uint32_t x, uint32_t y, uint32_t z) {
          return x / 3 == y / 2 && z % 5 < 2 ? static_cast<int>((x + z) % 16) : dag::kEmptyVoxel;
        });
    write_tiles(known.scene, path("t") / "tileset.json", std::nullopt, {});
    const Tileset tileset = read_tileset();
    for (uint32_t level = 0; level < tileset.levels; ++level) {
      const auto halvings = static_cast<uint32_t>(tileset.levels) - 1 - level;
      const dag::FrozenDag dag = halvings == 0 ? known.scene.dag : dag::coarser(known.scene.dag, halvings);
      const int32_t tiles = 1 << level, side = 32 * tiles;
      for (int32_t z = 0; z < tiles; ++z)
        for (int32_t y = 0; y < tiles; ++y)
          for (int32_t x = 0; x < tiles; ++x) {
            const Int3 place = {x, tiles - 1 - z, y};  // in the axes of 3D Tiles
            uint64_t filled = 0;
            std::string expected;
            for (int32_t v = 0; v < 32 * 32 * 32; ++v) {
              const Int3 at = Int3{x, y, z} * 32 + Int3{v % 32, v / 32 % 32, v / 1024};
              const bool inside = std::max({at.x, at.y, at.z}) < static_cast<int32_t>(dag.resolution);
              const int material = inside ? dag::voxel_at(dag, uint32_t(at.x), uint32_t(at.y), uint32_t(at.z))
                                          : dag::kEmptyVoxel;
              if (material == dag::kEmptyVoxel) {
                expected += std::string(4, '\0');
                continue;
              }
              const scene::Rgb8 color = known.scene.palette.colors[size_t(material)];
              expected += {char(color.r), char(color.g), char(color.b), '\xff'};
              ++filled;
            }
            ASSERT_EQ(is_available(level, place), filled > 0) << level << ' ' << x << ' ' << y << ' ' << z;
            if (filled == 0) continue;
            ASSERT_TRUE(tile(level, place) == expected);
          }
      EXPECT_GE(side, static_cast<int32_t>(dag.resolution));
    }
    std::filesystem::remove_all(path("t"));
  }
}

TEST_F(Tiles, OfManyLevelsHaveSubtreesBelowSubtrees) {
  const KnownScene known = repeated(known_scene(32, Materials::Sixteen, diagonal_grid), 0b10000001, 5);
  write_tiles(known.scene, path("t") / "tileset.json", std::nullopt, {});
  EXPECT_EQ(read_tileset().levels, 6u);
  for (int32_t i = 0; i < 32; ++i)
    for (int32_t y = 0; y < 32; ++y) EXPECT_EQ(is_available(5, {i, y, i}), y == 31 - i);
  const std::string root = read_bytes(path("t") / "subtrees/0/0.0.0.subtree");
  const std::string json = root.substr(24, number_at<uint64_t>(root, 8));
  EXPECT_EQ(numbers(json, "availableCount")[0], 1 + 2 + 4 + 8);
  EXPECT_EQ(numbers(json.substr(json.find("childSubtreeAvailability")), "availableCount")[0], 16);
}

TEST_F(Tiles, OfAClipBoxHaveItsVoxelsAlone) {
  const KnownScene known = known_scene(64, Materials::None, full_grid);
  write_tiles(known.scene, path("t") / "tileset.json", VoxelBox{{0, 0, 0}, {32, 32, 32}}, {});
  for (int32_t i = 0; i < 8; ++i) EXPECT_EQ(is_available(1, {i & 1, i >> 1 & 1, i >> 2}), i == 2) << i;
  EXPECT_EQ(tile(1, {0, 1, 0}).substr(0, 4), "\xc8\xc8\xc8\xff");
}

TEST_F(Tiles, OfNoVoxelsHaveASubtreeWithoutTiles) {
  const KnownScene known = known_scene(
      64, Materials::None, [](uint32_t x, uint32_t, uint32_t) { return x < 8 ? 0 : dag::kEmptyVoxel; });
  write_tiles(known.scene, path("t") / "tileset.json", VoxelBox{{32, 0, 0}, {64, 64, 64}}, {});
  EXPECT_FALSE(is_available(0, {0, 0, 0}));
  const std::string root = read_bytes(path("t") / "subtrees/0/0.0.0.subtree");
  EXPECT_EQ(numbers(root, "availableCount"), std::vector<double>{0});
}

// The frame at a place is compared with the ellipsoid: up is its normal, and north is the direction in which the latitude
// grows.
TEST_F(Tiles, LieAtTheirPlaceOnTheEarth) {
  KnownScene known = known_scene(64, Materials::Sixteen, noise_grid(3));
  known.scene.origin = {10, 20, 30};
  known.scene.voxel_size = {0.5, 0.25, 1};
  constexpr double kLatitude = 48.5, kLongitude = -11.25, kHeight = 520;
  write_tiles(known.scene, path("t") / "tileset.json", std::nullopt,
              {.origin = EarthPlace{kLatitude, kLongitude, kHeight}});
  const Tileset tileset = read_tileset();
  const std::vector<double>& m = tileset.transform;
  const auto place = [](double latitude, double longitude, double height) {
    constexpr double kA = 6378137, kB = 6356752.314245;
    const double f = M_PI / 180, c = std::cos(latitude * f), s = std::sin(latitude * f);
    const double n = kA * kA / std::sqrt(kA * kA * c * c + kB * kB * s * s);
    return Vec3d{(n + height) * c * std::cos(longitude * f), (n + height) * c * std::sin(longitude * f),
                 (kB * kB / (kA * kA) * n + height) * s};
  };
  const auto direction = [&](double latitude, double longitude, double height) {
    const Vec3d step = place(kLatitude + latitude, kLongitude + longitude, kHeight + height) -
                       place(kLatitude - latitude, kLongitude - longitude, kHeight - height);
    return step * (1 / std::sqrt(step.x * step.x + step.y * step.y + step.z * step.z));
  };
  const Vec3d expected[] = {direction(0, 1e-4, 0), direction(1e-4, 0, 0), direction(0, 0, 1),
                            place(kLatitude, kLongitude, kHeight)};
  for (uint32_t column = 0; column < 4; ++column)
    for (uint32_t row = 0; row < 3; ++row)
      EXPECT_NEAR(m[4 * column + row], expected[column][row], column == 3 ? 1e-3 : 1e-6) << column << row;
  // 64 voxels along x, y and z are 32, 16 and 64 wide; the axes are x, -z and y.
  EXPECT_EQ(tileset.box, (std::vector<double>{26, -62, 28, 16, 0, 0, 0, 32, 0, 0, 0, 8}));
}

TEST_F(Tiles, AreWrittenIntoAFolderOfTheirOwn) {
  const KnownScene known = known_scene(8, Materials::Sixteen, noise_grid(3));
  EXPECT_THROW(check_tiles_folder("tileset.json", Overwrite::OwnFiles), UsageError);
  export_scene(known.scene, path("t") / "tileset.json", std::nullopt);
  check_tiles_folder(path("t") / "tileset.json", Overwrite::OwnFiles);
  export_scene(known.scene, path("t") / "tileset.json", std::nullopt);
  std::ofstream(path("t") / "notes.txt") << "mine";
  EXPECT_THROW(check_tiles_folder(path("t") / "tileset.json", Overwrite::OwnFiles), Error);
}

TEST_F(Tiles, ModelsInAFolderOfTheirNameAreKept) {
  for (const char* model :
       {"tiles/house.glb", "tiles/2/house.glb", "tiles/a/0.0.0.glb", "subtrees/my.subtree"}) {
    const std::filesystem::path file = path("t") / model;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << "mine";
    EXPECT_THROW(check_tiles_folder(path("t") / "tileset.json", Overwrite::OwnFiles), Error) << model;
    std::filesystem::remove_all(path("t"));
  }
}

// Pictures of layers, read back pixel by pixel.

class Slices : public ExportTest {
 protected:
  void write(const KnownScene& known, const LayerOptions& options,
             const std::optional<VoxelBox>& clip = std::nullopt) const {
    write_slices(known.scene, path("layers/%03d.png"), clip, options);
  }

  // Returns a voxel of layer n: the one at these pixels.
  static Int3 voxel_at(const VoxelBox& region, uint32_t axis, uint32_t layer, uint32_t column, uint32_t row) {
    Int3 v = region.min;
    v[axis] += static_cast<int32_t>(layer);
    v[axis == 0 ? 1 : 0] += static_cast<int32_t>(column);
    v[axis == 2 ? 1 : 2] += static_cast<int32_t>(row);
    return v;
  }

  // Compares the pixels of all layers with color_of(voxel), which is transparent black for empty ones.
  template <class Color>
  void expect_layers(const VoxelBox& region, uint32_t axis, const std::string& folder, Color color_of) const {
    const auto layers = static_cast<uint32_t>(region.size()[axis]);
    for (uint32_t layer = 0; layer < layers; ++layer) {
      const scene::Image image = read_image(path(fmt::format("{}/{:03}.png", folder, layer)));
      ASSERT_EQ(image.width, static_cast<uint32_t>(region.size()[axis == 0 ? 1 : 0]));
      ASSERT_EQ(image.height, static_cast<uint32_t>(region.size()[axis == 2 ? 1 : 2]));
      for (uint32_t row = 0; row < image.height; ++row)
        for (uint32_t column = 0; column < image.width; ++column)
          ASSERT_EQ(image.pixels[row * image.width + column],
                    color_of(voxel_at(region, axis, layer, column, row)))
              << layer << ' ' << column << ' ' << row;
    }
    EXPECT_FALSE(std::filesystem::exists(path(fmt::format("{}/{:03}.png", folder, layers))));
  }
};

scene::Rgba8 opaque(scene::Rgb8 color) {
  return {color.r, color.g, color.b, 255};
}

TEST_F(Slices, HoldEachVoxelWithTheColorOfItsMaterial) {
  for (const Materials materials : {Materials::Sixteen, Materials::None})
    for (const uint32_t axis : {0u, 1u, 2u}) {
      KnownScene known = known_scene(41, materials, noise_grid(axis));
      for (const std::optional<VoxelBox>& clip : {std::optional<VoxelBox>(), {{{3, 8, 11}, {30, 20, 40}}}}) {
        write(known, {.axis = axis, .overwrite = Overwrite::OwnFiles}, clip);
        expect_layers(clip.value_or(cube_at({0, 0, 0}, 41)), axis, "layers", [&](Int3 v) {
          const auto value = static_cast<uint8_t>(known.value(v));
          return value == 0 ? scene::Rgba8{0, 0, 0, 0} : opaque(surface_color(known.scene, value));
        });
      }
    }
}

TEST_F(Slices, HaveFewBitsForFewMaterials) {
  KnownScene known = known_scene(64, Materials::Sixteen, noise_grid(1));
  uint64_t before = 0;
  for (const uint32_t count : {1u, 3u, 15u, 16u}) {
    known.scene.palette.count = count;
    known.scene.dag = dense_dag(64, true, [&](uint32_t x, uint32_t y, uint32_t z) {
      return static_cast<int>((x * 7 + y * 5 + z * 3) % count);
    });
    write(known, {});
    const uint64_t bytes = std::filesystem::file_size(path("layers/000.png"));
    EXPECT_GT(bytes, before);
    before = bytes;
    EXPECT_EQ(read_bytes(path("layers/000.png"))[24], count == 1 ? 1 : count == 3 ? 2 : count == 15 ? 4 : 8);
  }
}

// Solid cubes are drawn by whole bytes, but the clip begins and ends within bytes.
TEST_F(Slices, HoldSolidCubes) {
  KnownScene known = known_scene(64, Materials::Sixteen, noise_grid(1));
  const VoxelBox clip = {{3, 8, 11}, {62, 50, 41}};
  for (const uint32_t count : {1u, 3u, 15u, 16u})
    for (const uint32_t axis : {0u, 1u, 2u}) {
      const auto material = [&](Int3 v) {
        const Int3 cube = {v.x / 8, v.y / 8, v.z / 8};
        return (cube.x + cube.y) % 3 == 0 ? -1 : (cube.x * 7 + cube.y * 5 + cube.z) % int(count);
      };
      known.scene.palette.count = count;
      known.scene.dag = dense_dag(64, true, [&](uint32_t x, uint32_t y, uint32_t z) {
        return material({int32_t(x), int32_t(y), int32_t(z)});
      });
      write(known, {.axis = axis, .overwrite = Overwrite::OwnFiles}, clip);
      expect_layers(clip, axis, "layers", [&](Int3 v) {
        const int found = material(v);
        return found < 0 ? scene::Rgba8{0, 0, 0, 0}
                         : opaque(surface_color(known.scene, static_cast<uint8_t>(found + 1)));
      });
    }
  write(known, {.axis = 2, .by_material = true, .overwrite = Overwrite::OwnFiles}, clip);
  expect_layers(clip, 2, "layers/material-05", [&](Int3 v) {
    const Int3 cube = {v.x / 8, v.y / 8, v.z / 8};
    const bool there = (cube.x + cube.y) % 3 != 0 && (cube.x * 7 + cube.y * 5 + cube.z) % 16 == 5;
    return there ? scene::Rgba8{255, 255, 255, 255} : scene::Rgba8{0, 0, 0, 255};
  });
}

TEST_F(Slices, OfEachMaterialAreWhiteWhereItIs) {
  const KnownScene known = known_scene(20, Materials::Sixteen, noise_grid(2));
  write(known, {.axis = 2, .by_material = true});
  for (int material = 0; material < 16; ++material)
    expect_layers(cube_at({0, 0, 0}, 20), 2, fmt::format("layers/material-{:02}", material), [&](Int3 v) {
      return known.value(v) == material + 1 ? scene::Rgba8{255, 255, 255, 255} : scene::Rgba8{0, 0, 0, 255};
    });
}

TEST_F(Slices, MaterialsBeyondThePaletteAreErrors) {
  KnownScene known = known_scene(20, Materials::Sixteen, noise_grid(2));
  known.scene.palette.count = 5;
  for (const bool by_material : {false, true})
    EXPECT_THROW(write(known, {.axis = 2, .by_material = by_material}), Error);
  EXPECT_FALSE(std::filesystem::exists(path("layers")));
}

TEST_F(Slices, HaveTheColorsOfVoxels) {
  const KnownScene known = known_scene(33, Materials::Colors, noise_grid(3));
  write(known, {.axis = 1});
  expect_layers(cube_at({0, 0, 0}, 33), 1, "layers", [&](Int3 v) {
    return known.value(v) == 0 ? scene::Rgba8{0, 0, 0, 0} : opaque(scene::unpacked_color(known.color(v)));
  });
}

TEST_F(Slices, AreDescribedAndFollowTheAxisThatPointsUp) {
  KnownScene known = known_scene(12, Materials::Sixteen, noise_grid(4));
  known.scene.up = dag::UpAxis::Z;
  known.scene.origin = {1, 2, 3};
  known.scene.voxel_size = 0.5;
  write(known, {}, VoxelBox{{0, 2, 4}, {12, 12, 12}});
  const std::string manifest = read_bytes(path("layers/slices.json"));
  for (const char* part :
       {"\"layers\": 8", "\"width\": 12", "\"height\": 10", "\"layers_along\": \"z\"",
        "\"columns_along\": \"x\"", "\"voxel_size\": 0.5", "\"first\": \"000.png\"", "color 15"})
    EXPECT_NE(manifest.find(part), std::string::npos) << part << " in " << manifest;
}

TEST_F(Slices, AppearTogetherAndReplaceOnlyWhatVoxWrote) {
  const KnownScene known = known_scene(12, Materials::None, noise_grid(5));
  write(known, {});
  write(known, {}, cube_at({0, 0, 0}, 4));
  EXPECT_TRUE(std::filesystem::exists(path("layers/003.png")));
  EXPECT_FALSE(std::filesystem::exists(path("layers/004.png")));
  write_bytes(path("layers/notes.txt"), "mine");
  EXPECT_THROW(write(known, {}), Error);
  EXPECT_EQ(read_bytes(path("layers/notes.txt")), "mine");
  EXPECT_FALSE(std::filesystem::exists(path("layers/011.png")));
}

TEST_F(Slices, OtherPicturesOfVoxAreKept) {
  const KnownScene known = known_scene(12, Materials::None, noise_grid(5));
  write(known, {});
  const std::string layer = read_bytes(path("layers/000.png"));
  for (const char* other : {"layers/view.png", "layers/views/000.png"}) {
    std::filesystem::create_directories(path(other).parent_path());
    write_bytes(path(other), layer);
    EXPECT_THROW(write(known, {}), Error) << other;
    std::filesystem::remove(path(other));
  }
  write(known, {});
  std::filesystem::remove(path("layers/slices.json"));
  EXPECT_THROW(write(known, {}), Error);
}

TEST(SliceNames, NeedAFolderAndAPlaceForANumber) {
  EXPECT_EQ(SliceNames("a/layer-%04d.png").name(37), "layer-0037.png");
  EXPECT_EQ(SliceNames("a/%d.png").name(37), "37.png");
  EXPECT_EQ(SliceNames("a/b/%2d_x.png").folder(), "a/b");
  for (const char* wrong : {"a/b.png", "%d.png", "a/%s.png", "a/%d-%d.png", "a/%0000005d.png", "a/%"})
    EXPECT_THROW(SliceNames{wrong}, UsageError) << wrong;
}

}  // namespace
}  // namespace vox
