// The boundary of the C interface: what callers pass is checked, errors are texts, calls can be ended, and nothing else than
// the functions of the header is exported.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "libvox/base/process.h"
#include "tests/capi/meshes.h"

namespace vox::test {
namespace {

class CapiMesh : public ::testing::Test {
 protected:
  // Expects that the arrays are refused, with this text in the message.
  void expect_refused(const vox_mesh_arrays& arrays, const std::string& text) {
    MeshHandle mesh;
    EXPECT_EQ(vox_mesh_create(&arrays, mesh.to()), VOX_BAD_USE) << text;
    EXPECT_EQ(static_cast<vox_mesh*>(mesh), nullptr);
    EXPECT_NE(std::string(vox_error_message()).find(text), std::string::npos) << vox_error_message();
  }

  Soup soup_ = Soup(20);
  vox_mesh_arrays arrays_ = soup_.arrays();
};

TEST_F(CapiMesh, IndicesOutOfRangeAreRefused) {
  soup_.indices[50] = 60;
  expect_refused(arrays_, "arrays->indices: triangle 16 has vertex 60, but there are 60");
  soup_.indices[50] = UINT32_MAX;
  expect_refused(arrays_, "triangle 16");
  arrays_.indices = nullptr;
  arrays_.triangles = 21;
  expect_refused(arrays_, "too few");
}

TEST_F(CapiMesh, HugeCountsAreRefused) {
  arrays_.vertices = UINT64_MAX;
  expect_refused(arrays_, "less than 2^32");
  arrays_ = soup_.arrays();
  for (const uint64_t count : {uint64_t{1} << 32, UINT64_MAX, UINT64_MAX / 3 + 1}) {
    arrays_.triangles = count;
    expect_refused(arrays_, "arrays->triangles");
  }
  arrays_ = soup_.arrays();
  arrays_.material_count = UINT32_MAX;
  const auto materials = three_materials();
  arrays_.materials = materials.data();
  expect_refused(arrays_, "arrays->material_count");
}

TEST_F(CapiMesh, MaterialsAreChecked) {
  auto materials = three_materials();
  arrays_.materials = materials.data();
  arrays_.material_count = 3;
  soup_.materials[7] = 3;
  arrays_.material_of = soup_.materials.data();
  expect_refused(arrays_, "triangle 7 has material 3, but there are 3");
  soup_.materials[7] = 2;
  materials[1].base_color[2] = std::numeric_limits<float>::quiet_NaN();
  expect_refused(arrays_, "arrays->materials[1]");
  materials = three_materials();
  const uint8_t pixel[4] = {};
  materials[2].image = pixel;
  materials[2].image_width = 1u << 31, materials[2].image_height = 1u << 31;
  expect_refused(arrays_, "pixels");
  materials = three_materials();
  materials[2].struct_size = 0;
  expect_refused(arrays_, "struct_size");
  materials[2].struct_size = sizeof(vox_material);
  materials[2].wrap_v = 3;
  expect_refused(arrays_, "wrap_v is 3, expected 0 to 2");
}

TEST_F(CapiMesh, NullsAndWrongSizesOfStructuresAreRefused) {
  MeshHandle mesh;
  EXPECT_EQ(vox_mesh_create(nullptr, mesh.to()), VOX_BAD_USE);
  EXPECT_EQ(vox_mesh_create(&arrays_, nullptr), VOX_BAD_USE);
  arrays_.positions = nullptr;
  expect_refused(arrays_, "arrays->positions is NULL");
  arrays_ = soup_.arrays();
  for (const uint64_t size : {uint64_t{0}, uint64_t{7}, uint64_t{1} << 40}) {
    arrays_.struct_size = size;
    expect_refused(arrays_, "struct_size");
  }
}

TEST_F(CapiMesh, AStructureOfALaterVersionIsTakenUnlessItSaysMore) {
  struct {
    vox_mesh_arrays arrays;
    uint64_t more = 0;
  } later = {.arrays = soup_.arrays()};
  later.arrays.struct_size = sizeof later;
  MeshHandle mesh;
  EXPECT_OK(vox_mesh_create(&later.arrays, mesh.to()));
  later.more = 1;
  expect_refused(later.arrays, "does not know");
}

TEST_F(CapiMesh, TrianglesWithPlacesThatAreNotFiniteAreLeftOut) {
  soup_.positions[0] = std::numeric_limits<float>::quiet_NaN();
  soup_.positions[9] = std::numeric_limits<float>::infinity();
  MeshHandle mesh;
  EXPECT_OK(vox_mesh_create(&arrays_, mesh.to()));
  EXPECT_EQ(vox_mesh_triangles(mesh), 18u);
  std::fill(soup_.positions.begin(), soup_.positions.end(), std::numeric_limits<float>::quiet_NaN());
  MeshHandle none;
  EXPECT_OK(vox_mesh_create(&arrays_, none.to()));
  const EngineHandle engine;
  const vox_voxelize_options options = at_resolution(64);
  SceneHandle scene;
  EXPECT_EQ(vox_voxelize(engine, none, &options, scene.to()), VOX_FAILED);
  EXPECT_STREQ(vox_error_what(), "no triangles to voxelize");
}

TEST_F(CapiMesh, PartsAreAddedWithTheirMaterials) {
  MeshHandle mesh;
  EXPECT_OK(vox_mesh_create(&arrays_, mesh.to()));
  EXPECT_OK(vox_mesh_add(mesh, &arrays_));
  EXPECT_EQ(vox_mesh_triangles(mesh), 40u);
  soup_.indices[0] = 99;
  EXPECT_EQ(vox_mesh_add(mesh, &arrays_), VOX_BAD_USE);
  EXPECT_EQ(vox_mesh_triangles(mesh), 40u);
  EXPECT_EQ(vox_mesh_add(nullptr, &arrays_), VOX_BAD_USE);
}

class CapiCalls : public CapiMesh {
 protected:
  void SetUp() override {
    EXPECT_OK(vox_mesh_create(&arrays_, mesh_.to()));
    const vox_voxelize_options options = at_resolution(64);
    EXPECT_OK(vox_voxelize(engine_, mesh_, &options, scene_.to()));
  }

  EngineHandle engine_;
  MeshHandle mesh_;
  SceneHandle scene_;
};

TEST_F(CapiCalls, DeletingTwiceOrNothingIsSafe) {
  vox_scene* scene = nullptr;
  EXPECT_OK(vox_scene_copy(scene_, &scene));
  vox_scene_delete(&scene);
  EXPECT_EQ(scene, nullptr);
  vox_scene_delete(&scene);
  vox_scene_delete(nullptr);
  vox_mesh_delete(nullptr);
  vox_engine_delete(nullptr);
  vox_engine_cancel(nullptr);
  EXPECT_STREQ(vox_engine_device(nullptr), "");
  EXPECT_STREQ(vox_scene_palette_name(nullptr, 0), "");
  EXPECT_EQ(vox_mesh_triangles(nullptr), 0u);
}

TEST_F(CapiCalls, NullsAreErrorsEverywhere) {
  SceneHandle made;
  const vox_voxelize_options options = at_resolution(64);
  uint64_t count = 0;
  uint8_t byte = 0;
  const int64_t low[3] = {}, high[3] = {1, 1, 1};
  EXPECT_EQ(vox_voxelize(nullptr, mesh_, &options, made.to()), VOX_BAD_USE);
  EXPECT_STREQ(vox_error_what(), "engine is NULL");
  EXPECT_EQ(vox_voxelize(engine_, nullptr, &options, made.to()), VOX_BAD_USE);
  EXPECT_EQ(vox_voxelize(engine_, mesh_, nullptr, made.to()), VOX_BAD_USE);
  EXPECT_EQ(vox_voxelize(engine_, mesh_, &options, nullptr), VOX_BAD_USE);
  EXPECT_EQ(vox_voxelize_file(engine_, nullptr, &options, made.to()), VOX_BAD_USE);
  EXPECT_EQ(vox_combine(engine_, mesh_, nullptr, 0, &options, made.to()), VOX_BAD_USE);
  EXPECT_EQ(vox_scene_info(nullptr, nullptr), VOX_BAD_USE);
  EXPECT_EQ(vox_scene_info(scene_, nullptr), VOX_BAD_USE);
  EXPECT_EQ(vox_scene_count(engine_, scene_, low, nullptr, &count), VOX_BAD_USE);
  EXPECT_EQ(vox_scene_count(engine_, nullptr, low, high, &count), VOX_BAD_USE);
  EXPECT_EQ(vox_scene_count(engine_, scene_, low, high, nullptr), VOX_BAD_USE);
  EXPECT_EQ(vox_scene_dense(engine_, scene_, low, high, 0, nullptr, 1), VOX_BAD_USE);
  EXPECT_EQ(vox_scene_dense(engine_, nullptr, low, high, 0, &byte, 1), VOX_BAD_USE);
  EXPECT_EQ(vox_scene_render(engine_, scene_, nullptr, 1, 1, nullptr, 4), VOX_BAD_USE);
  EXPECT_EQ(vox_scene_edit(engine_, scene_, nullptr, nullptr), VOX_BAD_USE);
  EXPECT_EQ(vox_scene_clip(engine_, scene_, nullptr, high), VOX_BAD_USE);
  EXPECT_EQ(vox_scene_save(engine_, scene_, nullptr, 0), VOX_BAD_USE);
  EXPECT_EQ(vox_scene_stats(engine_, scene_, nullptr, 0, nullptr), VOX_BAD_USE);
  EXPECT_EQ(vox_scene_copy(nullptr, made.to()), VOX_BAD_USE);
  EXPECT_EQ(vox_engine_set_progress(nullptr, nullptr, nullptr), VOX_BAD_USE);
  EXPECT_EQ(vox_engine_create(nullptr, nullptr), VOX_BAD_USE);
  EXPECT_EQ(vox_mesh_load(nullptr, 0, nullptr), VOX_BAD_USE);
}

TEST_F(CapiCalls, OptionsOutOfRangeAreErrors) {
  const auto expect = [&](auto change, vox_status status, const char* text) {
    vox_voxelize_options options = at_resolution(64);
    change(options);
    SceneHandle made;
    EXPECT_EQ(vox_voxelize(engine_, mesh_, &options, made.to()), status) << text;
    EXPECT_NE(std::string(vox_error_message()).find(text), std::string::npos) << vox_error_message();
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double nowhere[6] = {0, 0, 0, 1, nan, 1}, inverted[6] = {0, 0, 0, 1, -1, 1};
  expect([](auto& o) { o.resolution = 3; }, VOX_BAD_USE, "4");
  expect([](auto& o) { o.resolution = UINT32_MAX; }, VOX_BAD_USE, "1048576");
  expect([](auto& o) { o.resolution = 0; }, VOX_BAD_USE,
         "one of options->resolution and options->voxel_size");
  expect([](auto& o) { o.voxel_size = 1; }, VOX_BAD_USE, "");
  expect([&](auto& o) { o.voxel_size = nan; }, VOX_BAD_USE, "voxel_size");
  expect([](auto& o) { o.coverage = 2; }, VOX_BAD_USE, "options->coverage is 2");
  expect([](auto& o) { o.materials = 5; }, VOX_BAD_USE, "options->materials");
  expect([](auto& o) { o.palette_count = 1; }, VOX_BAD_USE, "options->palette");
  expect([&](auto& o) { o.clip = nowhere; }, VOX_BAD_USE, "not finite");
  expect([&](auto& o) { o.clip = inverted; }, VOX_BAD_USE, "");
  const uint8_t palette[51] = {};
  expect([&](auto& o) { o.palette = palette, o.palette_count = 17; }, VOX_BAD_USE, "expected 1 to 16");
  vox_engine_options options = {};
  options.struct_size = sizeof options;
  options.device = "toaster";
  vox_engine* engine = nullptr;
  EXPECT_EQ(vox_engine_create(&options, &engine), VOX_BAD_USE);
  EXPECT_EQ(engine, nullptr);
}

TEST_F(CapiCalls, BoxesAndSizesOutOfRangeAreErrors) {
  std::vector<uint8_t> bytes(64);
  const auto dense = [&](std::array<int64_t, 3> low, std::array<int64_t, 3> high, uint32_t format,
                         uint64_t size) {
    return vox_scene_dense(engine_, scene_, low.data(), high.data(), format, bytes.data(), size);
  };
  EXPECT_OK(dense({0, 0, 0}, {4, 4, 4}, VOX_DENSE_U8, 64));
  EXPECT_OK(dense({0, 0, 0}, {0, 4, 4}, VOX_DENSE_U8, 0));
  EXPECT_EQ(dense({0, 0, 0}, {4, 4, 4}, VOX_DENSE_U8, 65), VOX_BAD_USE);
  EXPECT_EQ(dense({0, 0, 0}, {4, 4, 4}, VOX_DENSE_U16, 64), VOX_BAD_USE);
  EXPECT_EQ(dense({0, 0, 0}, {4, 4, 4}, 3, 64), VOX_BAD_USE);
  EXPECT_EQ(dense({-1, 0, 0}, {3, 4, 4}, VOX_DENSE_U8, 64), VOX_BAD_USE);
  EXPECT_EQ(dense({0, 0, 61}, {4, 4, 65}, VOX_DENSE_U8, 64), VOX_BAD_USE);
  EXPECT_EQ(dense({4, 0, 0}, {0, 4, 4}, VOX_DENSE_U8, 64), VOX_BAD_USE);
  EXPECT_EQ(dense({INT64_MIN, 0, 0}, {INT64_MAX, 4, 4}, VOX_DENSE_U8, 64), VOX_BAD_USE);
  int32_t places[3];
  EXPECT_EQ(vox_scene_voxels(engine_, scene_, nullptr, nullptr, 1, places, nullptr, nullptr), VOX_BAD_USE);
  EXPECT_EQ(vox_scene_render(engine_, scene_, nullptr, UINT32_MAX, 4, bytes.data(), 64), VOX_FAILED);
  EXPECT_EQ(vox_scene_render(engine_, scene_, nullptr, 4, 4, bytes.data(), 63), VOX_BAD_USE);
  vox_camera camera = {};
  camera.struct_size = sizeof camera;
  camera.view = "sideways";
  EXPECT_EQ(vox_scene_render(engine_, scene_, &camera, 4, 4, bytes.data(), 64), VOX_BAD_USE);
  EXPECT_EQ(vox_scene_coarser(engine_, scene_, 33), VOX_BAD_USE);
}

TEST_F(CapiCalls, FactsFillAsMuchAsTheCallersStructureHas) {
  struct {
    vox_info info = {};
    uint64_t more = 7;
  } later;
  later.info.struct_size = sizeof later;
  EXPECT_OK(vox_scene_info(scene_, &later.info));
  EXPECT_EQ(later.info.struct_size, sizeof later);
  EXPECT_EQ(later.info.resolution, 64u);
  EXPECT_EQ(later.more, 7u);
  vox_info part = {};
  part.struct_size = offsetof(vox_info, unique_nodes);
  EXPECT_OK(vox_scene_info(scene_, &part));
  EXPECT_EQ(part.voxels, later.info.voxels);
  EXPECT_EQ(part.unique_nodes, 0u);
  part.struct_size = 4;
  EXPECT_EQ(vox_scene_info(scene_, &part), VOX_BAD_USE);
}

TEST_F(CapiCalls, ErrorsSayWhatWhereAndWhatToDo) {
  SceneHandle made;
  const vox_voxelize_options options = at_resolution(64);
  EXPECT_EQ(vox_voxelize_file(engine_, "no such file.obj", &options, made.to()), VOX_FAILED);
  EXPECT_STREQ(vox_error_where(), "no such file.obj");
  EXPECT_STRNE(vox_error_what(), "");
  EXPECT_EQ(vox_scene_save(engine_, scene_, "a.docx", 0), VOX_BAD_USE);
  EXPECT_NE(std::string(vox_error_hint()).find(".h5"), std::string::npos);
  EXPECT_EQ(std::string(vox_error_message()),
            std::string(vox_error_where()) + ": " + vox_error_what() + " (" + vox_error_hint() + ")");
}

TEST_F(CapiCalls, AProgressFunctionEndsTheCallAndOnlyThisOne) {
  uint32_t calls = 0;
  const auto end_soon = [](void* user, const char*, double share) -> int32_t {
    EXPECT_GE(share, 0);
    EXPECT_LE(share, 1);
    return ++*static_cast<uint32_t*>(user) >= 2 ? 1 : 0;
  };
  EXPECT_OK(vox_engine_set_progress(engine_, end_soon, &calls));
  const std::string digest = info_of(scene_).digest;
  std::string script;
  for (uint32_t i = 0; i < 50; ++i) script += "sphere add center 9,9,9 radius 3 material 1\n";
  EXPECT_EQ(vox_scene_edit(engine_, scene_, script.c_str(), nullptr), VOX_CANCELLED);
  EXPECT_LT(calls, 50u);
  EXPECT_EQ(info_of(scene_).digest, digest);
  EXPECT_OK(vox_engine_set_progress(engine_, nullptr, nullptr));
  vox_engine_cancel(engine_);  // nothing runs
  EXPECT_OK(vox_scene_edit(engine_, scene_, script.c_str(), nullptr));
}

TEST_F(CapiCalls, MessagesGoToTheEngineThatTheyAreOf) {
  std::vector<std::string> texts;
  const auto add = [](void* user, int32_t, const char* text) {
    static_cast<std::vector<std::string>*>(user)->emplace_back(text);
  };
  const EngineHandle other;
  EXPECT_OK(vox_engine_set_log(engine_, add, &texts));
  const double far[6] = {900, 900, 900, 901, 901, 901};
  vox_voxelize_options options = at_resolution(64);
  options.clip = far;
  SceneHandle made;
  EXPECT_OK(vox_voxelize(other, mesh_, &options, made.to()));
  EXPECT_TRUE(texts.empty());
  EXPECT_OK(vox_voxelize(engine_, mesh_, &options, made.to()));
  EXPECT_EQ(std::ranges::count(texts, "no voxel is filled: nothing of the mesh lies inside the box"), 1);
}

// Returns the names that a library exports, sorted.
std::vector<std::string> exported_names(const std::string& library) {
  std::istringstream lines(run_program({"nm", "-D", "--defined-only", library}).output);
  std::vector<std::string> names;
  for (std::string address, type, name; lines >> address >> type >> name;)
    if (type != "A") names.push_back(name.substr(0, name.find('@')));
  std::ranges::sort(names);
  return names;
}

TEST(CapiExports, AreTheFunctionsOfTheHeaderAlone) {
  if (!program_in_path("nm")) GTEST_SKIP() << "nm is not installed";
  const char* build = std::getenv("VOX_BIN");
  const std::string library = std::string(build == nullptr ? "" : build) + "/libvox_c.so";
  if (!std::filesystem::exists(library))
    GTEST_SKIP() << "the library is static, or the tests run apart from their build";
  std::ifstream file(VOX_C_SYMBOLS);
  std::vector<std::string> expected;
  for (std::string name; std::getline(file, name);) expected.push_back(name);
  EXPECT_GT(expected.size(), 30u);
  EXPECT_EQ(exported_names(library), expected);
}

}  // namespace
}  // namespace vox::test
