// Pictures of layers, read back pixel by pixel.

#include "formats/voxels/slices/slices.h"

#include <fmt/format.h>

#include "formats/images/image.h"
#include "formats/voxels/surfaces/surface.h"
#include "libvox/base/error.h"
#include "tests/formats/voxels/export_scenes.h"

namespace vox {
namespace {

using namespace testing_export;

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
