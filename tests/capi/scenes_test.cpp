// Scenes of the C interface compared with the library, and voxels in memory with single voxels of the DAG.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "formats/scene/scene_file.h"
#include "libvox/attributes/octahedral.h"
#include "libvox/attributes/packed_values.h"
#include "libvox/base/morton.h"
#include "libvox/dag/walk.h"
#include "libvox/engine/engine.h"
#include "libvox/scene/palette.h"
#include "tests/capi/meshes.h"
#include "tests/common/test_process.h"

namespace vox::test {
namespace {

// The same triangles as the library takes them.
scene::Scene library_scene(const Soup& soup) {
  scene::Scene scene;
  for (size_t i = 0; i < soup.positions.size(); i += 3)
    scene.positions.push_back({soup.positions[i], soup.positions[i + 1], soup.positions[i + 2]});
  for (size_t i = 0; i < soup.indices.size(); i += 3)
    scene.triangles.push_back({{soup.indices[i], soup.indices[i + 1], soup.indices[i + 2]},
                               {scene::kNone, scene::kNone, scene::kNone},
                               soup.materials[i / 3]});
  for (const vox_material& material : three_materials())
    scene.materials.push_back(
        {.name = material.name,
         .base_color = {material.base_color[0], material.base_color[1], material.base_color[2], 1}});
  return scene;
}

// Adds a message of an engine to a list of texts.
void add_text(void* texts, int32_t, const char* text) {
  static_cast<std::vector<std::string>*>(texts)->emplace_back(text);
}

class CapiScene : public ::testing::Test {
 protected:
  void voxelize(uint32_t materials, uint32_t resolution = 50) {
    const std::array<vox_material, 3> list = three_materials();
    vox_mesh_arrays arrays = soup_.arrays();
    arrays.materials = list.data();
    arrays.material_count = 3;
    arrays.material_of = soup_.materials.data();
    EXPECT_OK(vox_mesh_create(&arrays, mesh_.to()));
    vox_voxelize_options options = at_resolution(resolution);
    options.materials = materials;
    EXPECT_OK(vox_voxelize(engine_, mesh_, &options, scene_.to()));
  }

  // Reads the scene by way of a file, without the interface's own functions for voxels.
  dag::VoxelScene read_back() {
    const std::string file = (folder_.path() / "scene.h5").string();
    EXPECT_OK(vox_scene_save(engine_, scene_, file.c_str(), VOX_KEEP_OTHER_FILES));
    return read_scene(file);
  }

  TestFolder folder_;
  Soup soup_ = Soup(60);
  EngineHandle engine_;
  MeshHandle mesh_;
  SceneHandle scene_;
};

TEST_F(CapiScene, IsTheOneThatTheLibraryMakes) {
  voxelize(VOX_MATERIALS_MESH);
  const scene::Scene scene = library_scene(soup_);
  const scene::IndexedScene indexed =
      scene::index_scene(scene, scene::mesh_palette(scene), scene::MaterialMode::Mesh);
  const auto engine = test_engine();
  const dag::FrozenDag dag =
      engine->build(scene, indexed, voxelize::fit_grid(scene, {.resolution = 50}), {}).dag;
  const vox_info info = info_of(scene_);
  EXPECT_EQ(info.digest, dag::to_string(dag.digest));
  EXPECT_EQ(info.voxels, dag.voxels);
  EXPECT_EQ(info.resolution, 50u);
  EXPECT_EQ(info.material_bits, 4u);
  EXPECT_EQ(info.palette_count, 3u);
  EXPECT_GT(info.voxels, 1000u);
}

TEST_F(CapiScene, NumbersOfMaterialsStayThoseOfTriangles) {
  voxelize(VOX_MATERIALS_NUMBERS);
  const vox_info info = info_of(scene_);
  ASSERT_EQ(info.palette_count, 3u);
  EXPECT_STREQ(vox_scene_palette_name(scene_, 0), "red");
  EXPECT_STREQ(vox_scene_palette_name(scene_, 2), "blue");
  EXPECT_STREQ(vox_scene_palette_name(scene_, 3), "");
  EXPECT_EQ(info.palette[1][1], 255);  // green
  // With one material for each triangle alone in the scene, all voxels have its number.
  for (uint32_t number = 0; number < 3; ++number) {
    const Soup one(1);
    const std::array<vox_material, 3> list = three_materials();
    vox_mesh_arrays arrays = one.arrays();
    arrays.materials = list.data(), arrays.material_count = 3, arrays.material_of = &number;
    MeshHandle mesh;
    SceneHandle scene;
    EXPECT_OK(vox_mesh_create(&arrays, mesh.to()));
    vox_voxelize_options options = at_resolution(20);
    options.materials = VOX_MATERIALS_NUMBERS;
    EXPECT_OK(vox_voxelize(engine_, mesh, &options, scene.to()));
    uint64_t count = 0;
    EXPECT_OK(vox_scene_count(engine_, scene, nullptr, nullptr, &count));
    std::vector<uint8_t> materials(count);
    EXPECT_OK(vox_scene_voxels(engine_, scene, nullptr, nullptr, count, nullptr, materials.data(), nullptr));
    EXPECT_GT(count, 20u);
    for (const uint8_t material : materials) EXPECT_EQ(material, number);
  }
}

TEST_F(CapiScene, BoxesOfVoxelsAreThoseOfTheFile) {
  voxelize(VOX_MATERIALS_TEXTURE);
  const dag::VoxelScene file = read_back();
  Random random(7);
  for (uint32_t round = 0; round < 4 * kThoroughness; ++round) {
    int64_t low[3], high[3];
    for (uint32_t axis = 0; axis < 3; ++axis) {
      low[axis] = random.below(50);
      high[axis] = low[axis] + random.below(51 - static_cast<uint32_t>(low[axis]));
    }
    const auto size = static_cast<size_t>((high[0] - low[0]) * (high[1] - low[1]) * (high[2] - low[2]));
    std::vector<uint8_t> bytes(size), rgba(4 * size);
    std::vector<uint16_t> words(size);
    EXPECT_OK(vox_scene_dense(engine_, scene_, low, high, VOX_DENSE_U8, bytes.data(), size));
    EXPECT_OK(vox_scene_dense(engine_, scene_, low, high, VOX_DENSE_U16, words.data(), 2 * size));
    EXPECT_OK(vox_scene_dense(engine_, scene_, low, high, VOX_DENSE_RGBA, rgba.data(), 4 * size));
    size_t i = 0, filled = 0;
    for (int64_t z = low[2]; z < high[2]; ++z)
      for (int64_t y = low[1]; y < high[1]; ++y)
        for (int64_t x = low[0]; x < high[0]; ++x, ++i) {
          const int value = dag::voxel_at(file.dag, static_cast<uint32_t>(x), static_cast<uint32_t>(y),
                                          static_cast<uint32_t>(z)) +
                            1;
          ASSERT_EQ(bytes[i], value);
          ASSERT_EQ(words[i], value);
          ASSERT_EQ(rgba[4 * i + 3], value == 0 ? 0 : 255);
          if (value == 0) continue;
          ++filled;
          const scene::Rgb8 color = file.palette.colors[static_cast<size_t>(value - 1)];
          ASSERT_EQ(std::vector<uint8_t>(&rgba[4 * i], &rgba[4 * i + 3]),
                    (std::vector{color.r, color.g, color.b}));
        }
    uint64_t count = 0;
    EXPECT_OK(vox_scene_count(engine_, scene_, low, high, &count));
    ASSERT_EQ(count, filled);
    std::vector<int32_t> places(3 * count);
    std::vector<uint8_t> materials(count);
    EXPECT_OK(vox_scene_voxels(engine_, scene_, low, high, count, places.data(), materials.data(), nullptr));
    uint64_t last = 0;
    for (size_t v = 0; v < count; ++v) {
      const auto x = static_cast<uint32_t>(places[3 * v]), y = static_cast<uint32_t>(places[3 * v + 1]),
                 z = static_cast<uint32_t>(places[3 * v + 2]);
      ASSERT_EQ(dag::voxel_at(file.dag, x, y, z), materials[v]);
      const uint64_t code = morton_encode(x, y, z);
      ASSERT_TRUE(v == 0 || code > last);
      last = code;
    }
  }
}

TEST_F(CapiScene, ColorsAreThoseOfTheFile) {
  voxelize(VOX_MATERIALS_COLORS);
  const vox_info info = info_of(scene_);
  EXPECT_EQ(info.has_colors, 1u);
  const dag::VoxelScene file = read_back();
  std::vector<uint8_t> colors(3 * info.voxels), rgba(4 * 50 * 50 * 50);
  std::vector<int32_t> places(3 * info.voxels);
  EXPECT_OK(vox_scene_voxels(engine_, scene_, nullptr, nullptr, info.voxels, places.data(), nullptr,
                             colors.data()));
  EXPECT_OK(vox_scene_dense(engine_, scene_, nullptr, nullptr, VOX_DENSE_RGBA, rgba.data(), rgba.size()));
  for (uint64_t i = 0; i < info.voxels; ++i) {
    const scene::Rgb8 color = scene::unpacked_color((*file.colors)[i]);
    ASSERT_EQ(std::vector<uint8_t>(&colors[3 * i], &colors[3 * i + 3]),
              (std::vector{color.r, color.g, color.b}));
    const int32_t row = places[3 * i + 1] + 50 * places[3 * i + 2];
    const auto at = static_cast<size_t>(places[3 * i]) + 50 * static_cast<size_t>(row);
    ASSERT_EQ(std::vector<uint8_t>(&rgba[4 * at], &rgba[4 * at + 4]),
              (std::vector<uint8_t>{color.r, color.g, color.b, 255}));
  }
  EXPECT_NE(vox_scene_edit(engine_, scene_, "sphere add center 9,9,9 radius 3 material 1", nullptr), VOX_OK);
  EXPECT_STREQ(vox_error_hint(), "vox_scene_make_palette() makes one");
  std::vector<std::string> texts;
  EXPECT_OK(vox_engine_set_log(engine_, add_text, &texts));
  EXPECT_OK(vox_scene_save(engine_, scene_, (folder_.path() / "scene.nrrd").c_str(), VOX_KEEP_OTHER_FILES));
  EXPECT_OK(vox_engine_set_log(engine_, nullptr, nullptr));
  EXPECT_EQ(std::ranges::count(texts, "24-bit colors become a palette of 16 in this kind of file"), 1);
  EXPECT_OK(vox_scene_make_palette(engine_, scene_));
  EXPECT_EQ(info_of(scene_).palette_count, 3u);
}

TEST_F(CapiScene, EditsClipsAndCoarserScenesAreThoseOfTheVoxels) {
  voxelize(VOX_MATERIALS_TEXTURE, 64);
  SceneHandle copy;
  EXPECT_OK(vox_scene_copy(scene_, copy.to()));
  EXPECT_OK(vox_scene_edit(engine_, scene_, "box add min 0,0,0 max 64,64,64 material 2\n", nullptr));
  EXPECT_EQ(info_of(scene_).voxels, 64u * 64 * 64);
  EXPECT_LT(info_of(copy).voxels, 64u * 64 * 64);  // the copy stays
  const int64_t low[3] = {1, 2, 3}, high[3] = {11, 12, 13};
  EXPECT_OK(vox_scene_clip(engine_, scene_, low, high));
  EXPECT_EQ(info_of(scene_).voxels, 1000u);
  EXPECT_OK(vox_scene_coarser(engine_, scene_, 32));
  EXPECT_EQ(info_of(scene_).voxels, 6u * 5 * 6);  // 0 to 5, 1 to 5, 1 to 6
  const std::string before = info_of(scene_).digest;
  EXPECT_EQ(vox_scene_edit(engine_, scene_, "box add min 0,0,0 max 9,9,9 material 2\nbox ad", nullptr),
            VOX_FAILED);
  EXPECT_EQ(info_of(scene_).digest, before);
  EXPECT_STREQ(vox_error_where(), "script:2:5");
  EXPECT_EQ(vox_scene_edit(engine_, scene_, "save other.h5", nullptr), VOX_BAD_USE);
}

TEST_F(CapiScene, FilesAreSavedAndLoadedByTheirExtension) {
  voxelize(VOX_MATERIALS_TEXTURE);
  const std::string digest = info_of(scene_).digest;
  for (const char* name : {"a.h5", "a.vl32", "a.vox"}) {
    const std::string file = (folder_.path() / name).string();
    EXPECT_OK(vox_scene_save(engine_, scene_, file.c_str(), VOX_OVERWRITE));
    SceneHandle read;
    EXPECT_OK(vox_scene_load(engine_, file.c_str(), read.to()));
    EXPECT_EQ(info_of(read).voxels, info_of(scene_).voxels) << name;
  }
  SceneHandle read;
  EXPECT_OK(vox_scene_load(engine_, (folder_.path() / "a.h5").string().c_str(), read.to()));
  EXPECT_EQ(info_of(read).digest, digest);
  EXPECT_EQ(vox_scene_save(engine_, scene_, (folder_.path() / "a.docx").string().c_str(), 0), VOX_BAD_USE);
}

TEST_F(CapiScene, AMeshInAFileIsTheSameAsInArrays) {
  voxelize(VOX_MATERIALS_NONE);
  std::string text;
  for (size_t i = 0; i < soup_.positions.size(); i += 3)
    text += fmt::format("v {:.9g} {:.9g} {:.9g}\n", soup_.positions[i], soup_.positions[i + 1],
                        soup_.positions[i + 2]);
  for (size_t i = 1; i <= soup_.indices.size(); i += 3) text += fmt::format("f {} {} {}\n", i, i + 1, i + 2);
  const std::string file = folder_.write("mesh.obj", text).string();
  vox_voxelize_options options = at_resolution(50);
  options.materials = VOX_MATERIALS_NONE;
  SceneHandle scene, loaded;
  EXPECT_OK(vox_voxelize_file(engine_, file.c_str(), &options, scene.to()));
  EXPECT_STREQ(info_of(scene).digest, info_of(scene_).digest);
  MeshHandle mesh;
  EXPECT_OK(vox_mesh_load(file.c_str(), VOX_UP_FILE, mesh.to()));
  EXPECT_EQ(vox_mesh_triangles(mesh), 60u);
  EXPECT_OK(vox_voxelize(engine_, mesh, &options, loaded.to()));
  EXPECT_STREQ(info_of(loaded).digest, info_of(scene_).digest);
  options.point_radius = 1;
  EXPECT_EQ(vox_voxelize_file(engine_, file.c_str(), &options, scene.to()), VOX_BAD_USE);
}

TEST_F(CapiScene, PicturesAndStatisticsShowTheScene) {
  voxelize(VOX_MATERIALS_TEXTURE);
  std::vector<uint8_t> pixels(4 * 60 * 40);
  EXPECT_OK(vox_scene_render(engine_, scene_, nullptr, 60, 40, pixels.data(), pixels.size()));
  uint32_t red = 0;
  for (size_t i = 0; i < pixels.size(); i += 4)
    red += pixels[i] > 100 && pixels[i + 1] < 60 && pixels[i + 2] < 60 ? 1 : 0;
  EXPECT_GT(red, 20u);
  for (const double turn : {1e20, -3601.0, std::numeric_limits<double>::quiet_NaN()}) {
    vox_camera camera = {};
    camera.struct_size = sizeof camera;
    camera.turn = turn;
    EXPECT_EQ(vox_scene_render(engine_, scene_, &camera, 60, 40, pixels.data(), pixels.size()), VOX_BAD_USE);
    EXPECT_NE(std::string(vox_error_what()).find("camera->turn"), std::string::npos) << turn;
  }
  uint64_t length = 0;
  EXPECT_OK(vox_scene_stats(engine_, scene_, nullptr, 0, &length));
  std::vector<char> text(length + 1);
  EXPECT_EQ(vox_scene_stats(engine_, scene_, text.data(), length, &length), VOX_BAD_USE);
  EXPECT_OK(vox_scene_stats(engine_, scene_, text.data(), length + 1, &length));
  for (const std::string& part :
       {fmt::format("\"voxels\": {}", info_of(scene_).voxels), std::string("\"coverage\": \"conservative\""),
        std::string("\"solid\": false"), std::string("\"dedup\": 1."), std::string("\"up\": \"y\""),
        std::string("\"end\": [")})
    EXPECT_NE(std::string(text.data()).find(part), std::string::npos) << part;
}

TEST_F(CapiScene, CombinedMeshesAreTheirUnionLessTheirInsides) {
  const auto box = [](double low, double high, MeshHandle& mesh) {
    const CubeArrays cube(low, high);
    EXPECT_OK(vox_mesh_create(&cube.arrays, mesh.to()));
  };
  MeshHandle first, second;
  box(0, 4, first);
  box(2, 6, second);
  const vox_voxelize_options options = at_resolution(60);
  SceneHandle all, common, rest;
  EXPECT_OK(vox_combine(engine_, first, second, VOX_UNION, &options, all.to()));
  EXPECT_OK(vox_combine(engine_, first, second, VOX_INTERSECT, &options, common.to()));
  EXPECT_OK(vox_combine(engine_, first, second, VOX_SUBTRACT, &options, rest.to()));
  const auto at = [&](const vox_scene* scene, int64_t v) {
    const int64_t low[3] = {v, 30, 30}, high[3] = {v + 1, 31, 31};
    uint8_t value = 0;
    EXPECT_OK(vox_scene_dense(engine_, scene, low, high, VOX_DENSE_U8, &value, 1));
    return value != 0;
  };
  // Along x at y = z = 3, the first box's faces are at 0 and 4, the second's at 2 and 6.
  EXPECT_EQ((std::array{at(all, 0), at(all, 20), at(all, 40), at(all, 59)}),
            (std::array{true, false, false, true}));
  EXPECT_EQ((std::array{at(common, 0), at(common, 20), at(common, 40), at(common, 59)}),
            (std::array{false, true, true, false}));
  EXPECT_EQ((std::array{at(rest, 0), at(rest, 20), at(rest, 40), at(rest, 59)}),
            (std::array{true, true, false, false}));
}

TEST_F(CapiScene, TellsThatTheNormalsOfAFileAreLeftOut) {
  voxelize(VOX_MATERIALS_MESH);
  const dag::VoxelScene scene = read_back();
  const attributes::PackedValues normals =
      attributes::packed_values(std::vector<uint32_t>(scene.dag.voxels, 1), attributes::kDirectionBits);
  const std::string file = (folder_.path() / "normals.h5").string();
  write_scene(scene, file, {.normals = &normals});
  std::vector<std::string> texts;
  EXPECT_OK(vox_engine_set_log(engine_, add_text, &texts));
  SceneHandle loaded;
  EXPECT_OK(vox_scene_load(engine_, file.c_str(), loaded.to()));
  EXPECT_OK(vox_engine_set_log(engine_, nullptr, nullptr));
  EXPECT_EQ(std::ranges::count(texts, "the normals of " + file + " are left out"), 1);
  EXPECT_EQ(std::string(info_of(loaded).digest), info_of(scene_).digest);
}

TEST(CapiThreads, TwoEnginesWorkSideBySide) {
  const auto digests = [](uint64_t seed, uint32_t threads) {
    EngineHandle engine(threads);
    std::vector<std::string> found;
    for (uint32_t round = 0; round < 3; ++round) {
      const Soup soup(300, seed);
      const vox_mesh_arrays arrays = soup.arrays();
      MeshHandle mesh;
      SceneHandle scene;
      EXPECT_OK(vox_mesh_create(&arrays, mesh.to()));
      const vox_voxelize_options options = at_resolution(128 + round);
      EXPECT_OK(vox_voxelize(engine, mesh, &options, scene.to()));
      EXPECT_OK(vox_scene_edit(engine, scene, "sphere add center 50,50,50 radius 20 material 1", nullptr));
      found.push_back(info_of(scene).digest);
    }
    return found;
  };
  const std::vector<std::string> first = digests(1, 0), second = digests(2, 1);
  std::vector<std::string> first_again, second_again;
  std::thread other([&] { second_again = digests(2, 2); });
  first_again = digests(1, 1);
  other.join();
  EXPECT_EQ(first_again, first);
  EXPECT_EQ(second_again, second);
  EXPECT_NE(first, second);
}

}  // namespace
}  // namespace vox::test
