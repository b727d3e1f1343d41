// Bricks of the C interface compared with those that the library makes.
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "formats/scene/scene_file.h"
#include "libvox/bricks/make_bricks.h"
#include "tests/capi/meshes.h"
#include "tests/common/test_process.h"

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

// Arrays in the memory of the engine's device, which is a GPU if the tests run on one: calls read them and fill them as
// arrays of the host.

namespace {

class CapiDeviceMemory : public ::testing::Test {
 protected:
  // An array in the memory of the device.
  template <class T>
  class Array {
   public:
    Array(vox_engine* engine, size_t size) : engine_(engine), size_(size) {
      EXPECT_OK(vox_memory_create(engine, size * sizeof(T), &memory_));
    }
    Array(vox_engine* engine, const std::vector<T>& values) : Array(engine, values.size()) {
      EXPECT_OK(vox_memory_copy(memory_, values.data(), size_ * sizeof(T)));
    }
    ~Array() { vox_memory_delete(engine_, &memory_); }
    Array(const Array&) = delete;
    Array& operator=(const Array&) = delete;

    T* data() const { return static_cast<T*>(memory_); }
    std::vector<T> values() const {
      std::vector<T> values(size_);
      EXPECT_OK(vox_memory_copy(values.data(), memory_, size_ * sizeof(T)));
      return values;
    }

   private:
    vox_engine* engine_;
    size_t size_;
    void* memory_ = nullptr;
  };

  static std::string digest_of(const vox_scene* scene) { return info_of(scene).digest; }

  EngineHandle engine_;
};

TEST_F(CapiDeviceMemory, MeshesPointsAndVolumesAreThoseOfTheHost) {
  const Soup soup(300);
  std::vector<float> uv;
  std::vector<uint8_t> colors, texels;
  for (size_t i = 0; i < soup.positions.size() / 3; ++i) {
    uv.insert(uv.end(), {static_cast<float>(i % 7) / 7, static_cast<float>(i % 5) / 5});
    colors.insert(colors.end(), {static_cast<uint8_t>(i), static_cast<uint8_t>(3 * i), 77, 255});
  }
  for (uint8_t i = 0; i < 64; ++i) texels.insert(texels.end(), {i, static_cast<uint8_t>(4 * i), 9, 255});
  const Array<float> positions_on(engine_, soup.positions), uv_on(engine_, uv);
  const Array<uint32_t> indices_on(engine_, soup.indices), materials_on(engine_, soup.materials);
  const Array<uint8_t> colors_on(engine_, colors), texels_on(engine_, texels);
  for (const bool has_texture : {false, true}) {
    std::array<vox_material, 3> materials = three_materials(), materials_of_device = materials;
    vox_mesh_arrays host = soup.arrays();
    host.material_of = soup.materials.data(), host.material_count = 3, host.materials = materials.data();
    vox_mesh_arrays device = host;
    device.positions = positions_on.data(), device.indices = indices_on.data();
    device.material_of = materials_on.data(), device.materials = materials_of_device.data();
    if (has_texture) {
      materials[1].image = texels.data(), materials_of_device[1].image = texels_on.data();
      materials[1].image_width = materials_of_device[1].image_width = 8;
      materials[1].image_height = materials_of_device[1].image_height = 8;
      host.uv = uv.data(), device.uv = uv_on.data();
    } else {
      host.colors = colors.data(), device.colors = colors_on.data();
    }
    MeshHandle of_host, of_device;
    EXPECT_OK(vox_mesh_create(&host, of_host.to()));
    EXPECT_OK(vox_mesh_create(&device, of_device.to()));
    vox_voxelize_options options = at_resolution(64);
    options.materials = VOX_MATERIALS_COLORS;
    SceneHandle expected, found;
    EXPECT_OK(vox_voxelize(engine_, of_host, &options, expected.to()));
    EXPECT_OK(vox_voxelize(engine_, of_device, &options, found.to()));
    EXPECT_EQ(digest_of(found), digest_of(expected));
    const uint64_t count = info_of(expected).voxels;
    EXPECT_GT(count, 1000);
    std::vector<uint8_t> rgb(3 * count);
    const Array<uint8_t> rgb_on(engine_, 3 * count);
    EXPECT_OK(vox_scene_voxels(engine_, expected, nullptr, nullptr, count, nullptr, nullptr, rgb.data()));
    EXPECT_OK(vox_scene_voxels(engine_, found, nullptr, nullptr, count, nullptr, nullptr, rgb_on.data()));
    EXPECT_EQ(rgb_on.values(), rgb);
  }

  vox_points points = {};
  points.struct_size = sizeof points;
  points.count = soup.positions.size() / 3;
  points.positions = soup.positions.data();
  SceneHandle expected, found;
  const vox_voxelize_options options = at_resolution(32);
  EXPECT_OK(vox_voxelize_points(engine_, &points, &options, expected.to()));
  points.positions = positions_on.data();
  EXPECT_OK(vox_voxelize_points(engine_, &points, &options, found.to()));
  EXPECT_EQ(digest_of(found), digest_of(expected));

  vox_volume volume = {};
  volume.struct_size = sizeof volume;
  volume.size[0] = 8, volume.size[1] = 8, volume.size[2] = 4;
  volume.values = texels.data(), volume.bytes = texels.size();
  EXPECT_OK(vox_voxelize_volume(engine_, &volume, expected.to()));
  volume.values = texels_on.data();
  EXPECT_OK(vox_voxelize_volume(engine_, &volume, found.to()));
  EXPECT_EQ(digest_of(found), digest_of(expected));
}

TEST_F(CapiDeviceMemory, VoxelsBoxesDistancesRaysAndPicturesAreThoseOfTheHost) {
  const CubeArrays cube(1, 3);
  MeshHandle mesh;
  SceneHandle scene;
  EXPECT_OK(vox_mesh_create(&cube.arrays, mesh.to()));
  const vox_voxelize_options options = at_resolution(16);
  EXPECT_OK(vox_voxelize(engine_, mesh, &options, scene.to()));
  const uint64_t count = info_of(scene).voxels;

  std::vector<int32_t> places(3 * count);
  const Array<int32_t> places_on(engine_, 3 * count);
  EXPECT_OK(vox_scene_voxels(engine_, scene, nullptr, nullptr, count, places.data(), nullptr, nullptr));
  EXPECT_OK(vox_scene_voxels(engine_, scene, nullptr, nullptr, count, places_on.data(), nullptr, nullptr));
  EXPECT_EQ(places_on.values(), places);

  const int64_t low[3] = {0, 1, 2}, high[3] = {16, 16, 9};
  std::vector<uint8_t> box(16 * 15 * 7);
  const Array<uint8_t> box_on(engine_, box.size());
  EXPECT_OK(vox_scene_dense(engine_, scene, low, high, VOX_DENSE_U8, box.data(), box.size()));
  EXPECT_OK(vox_scene_dense(engine_, scene, low, high, VOX_DENSE_U8, box_on.data(), box.size()));
  EXPECT_EQ(box_on.values(), box);

  std::vector<float> distances(16 * 16 * 16);
  const Array<float> distances_on(engine_, distances.size());
  const uint64_t bytes = distances.size() * sizeof(float);
  EXPECT_OK(vox_mesh_distances(engine_, mesh, &options, 3, distances.data(), bytes, nullptr));
  EXPECT_OK(vox_mesh_distances(engine_, mesh, &options, 3, distances_on.data(), bytes, nullptr));
  EXPECT_EQ(distances_on.values(), distances);

  const std::vector<double> origins = {2, 2, 9, 0, 9, 0}, directions = {0, 0, -1, 0, 1, 0};
  const Array<double> origins_on(engine_, origins), directions_on(engine_, directions), to_on(engine_, 2);
  std::vector<double> to(2);
  std::vector<int32_t> voxels(6);
  const Array<int32_t> voxels_on(engine_, 6);
  vox_hits hits = {}, hits_on = {};
  hits.struct_size = hits_on.struct_size = sizeof hits;
  hits.distances = to.data(), hits_on.distances = to_on.data();
  hits.voxels = voxels.data(), hits_on.voxels = voxels_on.data();
  EXPECT_OK(vox_scene_rays(engine_, scene, 2, origins.data(), directions.data(), &hits));
  EXPECT_OK(vox_scene_rays(engine_, scene, 2, origins_on.data(), directions_on.data(), &hits_on));
  EXPECT_EQ(to_on.values(), to);
  EXPECT_EQ(voxels_on.values(), voxels);
  EXPECT_EQ(to[0], 6);

  std::vector<uint8_t> picture(4 * 20 * 10);
  const Array<uint8_t> picture_on(engine_, picture.size());
  EXPECT_OK(vox_scene_render(engine_, scene, nullptr, 20, 10, picture.data(), picture.size()));
  EXPECT_OK(vox_scene_render(engine_, scene, nullptr, 20, 10, picture_on.data(), picture.size()));
  EXPECT_EQ(picture_on.values(), picture);
}

TEST_F(CapiDeviceMemory, IsCheckedAndDeletedOnce) {
  void* memory = &memory;
  EXPECT_EQ(vox_memory_create(engine_, UINT64_MAX / 2, &memory), VOX_NO_MEMORY);
  EXPECT_EQ(memory, nullptr);
  EXPECT_EQ(vox_memory_create(engine_, 16, nullptr), VOX_BAD_USE);
  EXPECT_EQ(vox_memory_create(nullptr, 16, &memory), VOX_BAD_USE);
  char byte = 7;
  EXPECT_EQ(vox_memory_copy(nullptr, &byte, 1), VOX_BAD_USE);
  EXPECT_EQ(vox_memory_copy(&byte, nullptr, 1), VOX_BAD_USE);
  EXPECT_OK(vox_memory_copy(nullptr, nullptr, 0));
  EXPECT_OK(vox_memory_create(engine_, 16, &memory));
  vox_memory_delete(engine_, &memory);
  EXPECT_EQ(memory, nullptr);
  vox_memory_delete(engine_, &memory);
  vox_memory_delete(engine_, nullptr);
  vox_memory_delete(nullptr, &memory);
}

// Python's collector of garbage may do this.
TEST_F(CapiDeviceMemory, IsDeletedWhileACallIsRunning) {
  struct Kept {
    vox_engine* engine;
    void* memory;
  } kept = {engine_, nullptr};
  EXPECT_OK(vox_memory_create(engine_, 1000, &kept.memory));
  const auto drop = [](void* user, const char*, double) {
    auto* const of = static_cast<Kept*>(user);
    vox_memory_delete(of->engine, &of->memory);
    return 0;
  };
  EXPECT_OK(vox_engine_set_progress(engine_, drop, &kept));
  const Soup soup(300);
  const vox_mesh_arrays arrays = soup.arrays();
  MeshHandle mesh;
  SceneHandle scene;
  EXPECT_OK(vox_mesh_create(&arrays, mesh.to()));
  const vox_voxelize_options options = at_resolution(64);
  EXPECT_OK(vox_voxelize(engine_, mesh, &options, scene.to()));
  EXPECT_OK(vox_engine_set_progress(engine_, nullptr, nullptr));
  EXPECT_EQ(kept.memory, nullptr);
}

}  // namespace
}  // namespace vox::test
