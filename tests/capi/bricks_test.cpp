// Bricks of the C interface compared with those that the library makes.
#include <algorithm>
#include <string>
#include <vector>

#include "formats/scene/scene_file.h"
#include "libvox/bricks/make_bricks.h"
#include "tests/capi/meshes.h"
#include "tests/common/test_folder.h"

namespace vox::test {
namespace {

using BricksHandle = Owned<vox_bricks, vox_bricks_delete>;

std::vector<uint32_t> words_of(const vox_bricks* bricks, const std::string& name) {
  uint64_t count = 0;
  EXPECT_OK(vox_bricks_words(bricks, name.c_str(), nullptr, 0, &count));
  std::vector<uint32_t> words(count + 1, 77);
  if (count > 0) {
    EXPECT_EQ(vox_bricks_words(bricks, name.c_str(), words.data(), count - 1, &count), VOX_BAD_USE);
  }
  EXPECT_OK(vox_bricks_words(bricks, name.c_str(), words.data(), count, &count));
  EXPECT_EQ(words.back(), 77u);
  words.pop_back();
  return words;
}

vox_bricks_attributes described(const vox_bricks* bricks) {
  vox_bricks_attributes attributes = {};
  attributes.struct_size = sizeof attributes;
  EXPECT_OK(vox_bricks_describe(bricks, &attributes));
  return attributes;
}

class CapiBricks : public ::testing::Test {
 protected:
  void voxelize(uint32_t materials) {
    const vox_mesh_arrays arrays = soup_.arrays();
    EXPECT_OK(vox_mesh_create(&arrays, mesh_.to()));
    vox_voxelize_options options = at_resolution(50);
    options.materials = materials;
    EXPECT_OK(vox_voxelize(engine_, mesh_, &options, scene_.to()));
  }

  TestFolder folder_;
  Soup soup_ = Soup(60);
  EngineHandle engine_;
  MeshHandle mesh_;
  SceneHandle scene_;
};

TEST_F(CapiBricks, AreThoseThatTheLibraryMakes) {
  voxelize(VOX_MATERIALS_TEXTURE);
  const std::string file = (folder_.path() / "scene.h5").string();
  EXPECT_OK(vox_scene_save(engine_, scene_, file.c_str(), VOX_KEEP_OTHER_FILES));
  const dag::VoxelScene scene = read_scene(file);
  const auto engine = test_engine();
  for (const uint32_t side : {0u, 8u, 64u}) {
    bricks::BricksOptions made_with;
    made_with.log2_side = side == 0 ? 0 : side == 8 ? 3 : 6;
    made_with.types = side == 8 ? 0b1011 : bricks::kAllBrickTypes;
    const bricks::FrozenBricks expected =
        bricks::make_bricks(engine->handle(), scene, {.options = made_with, .slope = {}}).bricks;
    vox_bricks_options options = {};
    options.struct_size = sizeof options;
    options.side = side;
    options.types = side == 0 ? nullptr : side == 8 ? "list,dense,empty" : "all";
    BricksHandle bricks;
    EXPECT_OK(vox_scene_bricks(engine_, scene_, &options, bricks.to()));
    const vox_bricks_attributes told = described(bricks);
    EXPECT_EQ(told.brick_side, expected.shape().side());
    EXPECT_EQ(told.filled, scene.dag.voxels);
    EXPECT_EQ(told.entry_words, expected.entry_words);
    EXPECT_EQ(told.group_levels, 0u);
    EXPECT_EQ(told.allowed_types, made_with.types);
    EXPECT_EQ(told.type_count, bricks::kBrickTypeCount);
    EXPECT_EQ(vox_bricks_source(bricks), expected.info.source);
    for (uint32_t axis = 0; axis < 3; ++axis) {
      EXPECT_EQ(told.size[axis], 50u);
      EXPECT_EQ(told.spacing[axis], scene.voxel_size[axis]);
      EXPECT_EQ(told.origin[axis], scene.origin[axis]);
    }
    EXPECT_TRUE(std::ranges::equal(words_of(bricks, "root"), expected.root));
    for (uint32_t type = 0; type < bricks::kBrickTypeCount; ++type) {
      const std::string name = vox_bricks_type_name(bricks, type);
      EXPECT_EQ(name, bricks::BrickTypes::kNames[type]);
      EXPECT_EQ(told.counts[type], expected.counts[type]) << name;
      EXPECT_TRUE(std::ranges::equal(words_of(bricks, name), expected.data[type])) << name;
    }
    EXPECT_STREQ(vox_bricks_type_name(bricks, bricks::kBrickTypeCount), "");
  }
}

TEST_F(CapiBricks, StayWhenTheSceneIsGone) {
  voxelize(VOX_MATERIALS_NONE);
  BricksHandle bricks;
  EXPECT_OK(vox_scene_bricks(engine_, scene_, nullptr, bricks.to()));
  scene_.to();
  EXPECT_GT(described(bricks).filled, 1000u);
  EXPECT_FALSE(words_of(bricks, "root").empty());
}

TEST_F(CapiBricks, WrongArgumentsAreErrors) {
  voxelize(VOX_MATERIALS_NONE);
  BricksHandle bricks;
  vox_bricks_options options = {};
  const auto made = [&] { return vox_scene_bricks(engine_, scene_, &options, bricks.to()); };
  EXPECT_EQ(made(), VOX_BAD_USE);  // its size is missing
  options.struct_size = sizeof options;
  for (const uint32_t side : {1u, 2u, 12u, 1024u, UINT32_MAX}) {
    options.side = side;
    EXPECT_EQ(made(), VOX_BAD_USE) << side;
  }
  options.side = 8;
  for (const char* types : {"", "lists", "empty", "dense,", "empty,homogeneous"}) {
    options.types = types;
    EXPECT_EQ(made(), VOX_BAD_USE) << types;
  }
  EXPECT_EQ(vox_scene_bricks(engine_, scene_, nullptr, nullptr), VOX_BAD_USE);
  EXPECT_EQ(vox_scene_bricks(engine_, nullptr, nullptr, bricks.to()), VOX_BAD_USE);
  EXPECT_EQ(vox_scene_bricks(nullptr, scene_, nullptr, bricks.to()), VOX_BAD_USE);
  EXPECT_EQ(static_cast<vox_bricks*>(bricks), nullptr);
  EXPECT_STREQ(vox_bricks_source(nullptr), "");
  EXPECT_STREQ(vox_bricks_type_name(nullptr, 0), "");
  uint64_t count = 0;
  EXPECT_EQ(vox_bricks_words(nullptr, "root", nullptr, 0, &count), VOX_BAD_USE);
  options.types = nullptr;
  EXPECT_OK(made());
  EXPECT_EQ(vox_bricks_words(bricks, "roots", nullptr, 0, &count), VOX_BAD_USE);
  EXPECT_EQ(vox_bricks_words(bricks, "blocks0", nullptr, 0, &count), VOX_BAD_USE);
  EXPECT_EQ(vox_bricks_words(bricks, nullptr, nullptr, 0, &count), VOX_BAD_USE);
  EXPECT_EQ(vox_bricks_words(bricks, "root", nullptr, 0, nullptr), VOX_BAD_USE);
  EXPECT_EQ(vox_bricks_describe(bricks, nullptr), VOX_BAD_USE);
  voxelize(VOX_MATERIALS_COLORS);
  EXPECT_EQ(made(), VOX_BAD_USE);
  EXPECT_NE(std::string(vox_error_hint()).find("vox_scene_make_palette"), std::string::npos);
}

}  // namespace
}  // namespace vox::test
