// Meshes of arrays with textures, vertex colors and materials of all kinds, whose voxels are compared with known
// colors, and the options of voxelizing, reading and rendering that other tests do not use.
#include <algorithm>
#include <functional>
#include <limits>
#include <map>

#include "tests/capi/meshes.h"
#include "tests/common/test_process.h"

namespace vox::test {
namespace {

using Color = std::array<uint8_t, 3>;
constexpr Color kRed = {255, 0, 0}, kGreen = {0, 255, 0}, kBlue = {0, 0, 255}, kWhite = {255, 255, 255};

// A square from (0, 0) to (8, 8) in the plane z = 0. Vertices that its triangles share have the numbers 2 and 5.
class CapiArrays : public ::testing::Test {
 protected:
  CapiArrays() {
    arrays_.struct_size = sizeof arrays_;
    arrays_.vertices = 6, arrays_.triangles = 2;
    arrays_.positions = kPositions, arrays_.indices = kIndices;
    material_.struct_size = sizeof material_;
    material_.image = kFour, material_.image_width = 2, material_.image_height = 2;
  }

  // Returns the colors of the voxels in the layer of the square by column and row, each half a unit wide.
  std::map<std::pair<int, int>, Color> colors() {
    MeshHandle mesh;
    SceneHandle scene;
    EXPECT_OK(vox_mesh_create(&arrays_, mesh.to()));
    vox_voxelize_options options = at_resolution(16);
    options.materials = VOX_MATERIALS_COLORS;
    EXPECT_OK(vox_voxelize(engine_, mesh, &options, scene.to()));
    const uint64_t count = info_of(scene).voxels;
    std::vector<int32_t> places(3 * count);
    std::vector<uint8_t> rgb(3 * count);
    EXPECT_OK(vox_scene_voxels(engine_, scene, nullptr, nullptr, count, places.data(), nullptr, rgb.data()));
    std::map<std::pair<int, int>, Color> found;
    for (uint64_t i = 0; i < count; ++i)
      found[{places[3 * i], places[3 * i + 1]}] = {rgb[3 * i], rgb[3 * i + 1], rgb[3 * i + 2]};
    return found;
  }
  // Expects the colors of the four quarters: lower left, lower right, upper left, upper right.
  void expect_quarters(const std::array<Color, 4>& expected, const char* what) {
    const auto found = colors();
    const int places[4][2] = {{3, 3}, {12, 3}, {3, 12}, {12, 12}};
    for (size_t i = 0; i < 4; ++i)
      EXPECT_EQ(found.at({places[i][0], places[i][1]}), expected[i]) << what << i;
  }
  void expect_refused(const std::string& text) {
    MeshHandle mesh;
    EXPECT_EQ(vox_mesh_create(&arrays_, mesh.to()), VOX_BAD_USE) << text;
    EXPECT_NE(std::string(vox_error_message()).find(text), std::string::npos) << vox_error_message();
  }
  void use_material() { arrays_.materials = &material_, arrays_.material_count = 1; }

  static constexpr float kPositions[] = {9, 9, 9, 0, 0, 0, 8, 8, 0, 8, 0, 0, 9, 9, 9, 0, 8, 0};
  static constexpr uint32_t kIndices[] = {1, 3, 2, 2, 5, 1};
  // The texture coordinates of the vertices, with v upwards, and the same for each corner.
  static constexpr float kUv[] = {0, 0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 1};
  static constexpr float kCornerUv[] = {0, 0, 1, 0, 1, 1, 1, 1, 0, 1, 0, 0};
  // Top left and right, bottom left and right. The last one is transparent.
  static constexpr uint8_t kFour[] = {255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 255, 255, 255, 100};

  EngineHandle engine_;
  vox_mesh_arrays arrays_ = {};
  vox_material material_ = {};
};

TEST_F(CapiArrays, TexturesLieWhereTheirCoordinatesSay) {
  use_material();
  arrays_.uv = kUv;
  arrays_.v_direction = VOX_V_UP;
  expect_quarters({kBlue, kWhite, kRed, kGreen}, "v up ");
  arrays_.v_direction = VOX_V_DOWN;
  expect_quarters({kRed, kGreen, kBlue, kWhite}, "v down ");
  arrays_.uv = nullptr;
  arrays_.corner_uv = kCornerUv;
  arrays_.v_direction = VOX_V_UP;
  expect_quarters({kBlue, kWhite, kRed, kGreen}, "corners ");
}

TEST_F(CapiArrays, TexturesWrapAsTheMaterialSays) {
  use_material();
  std::vector<float> moved(std::begin(kUv), std::end(kUv));
  for (float& coordinate : moved) coordinate += 1;
  arrays_.uv = moved.data();
  expect_quarters({kRed, kGreen, kBlue, kWhite}, "repeat ");
  material_.wrap_u = VOX_WRAP_MIRROR, material_.wrap_v = VOX_WRAP_REPEAT;
  expect_quarters({kGreen, kRed, kWhite, kBlue}, "mirror u ");
  material_.wrap_u = VOX_WRAP_REPEAT, material_.wrap_v = VOX_WRAP_CLAMP;
  expect_quarters({kBlue, kWhite, kBlue, kWhite}, "clamp v ");
}

TEST_F(CapiArrays, TransparentTexelsAreHolesBelowTheCutoff) {
  use_material();
  arrays_.uv = kUv;
  EXPECT_TRUE(colors().contains({12, 12}));
  material_.alpha_cutoff = 0.5f;
  const auto found = colors();
  EXPECT_FALSE(found.contains({12, 12}));
  EXPECT_TRUE(found.contains({3, 12}));
}

TEST_F(CapiArrays, VertexColorsAreKept) {
  std::vector<uint8_t> rgba;
  for (int i = 0; i < 6; ++i) rgba.insert(rgba.end(), {10, 200, 30, 255});
  arrays_.colors = rgba.data();
  for (const auto& [place, color] : colors()) EXPECT_EQ(color, (Color{10, 200, 30}));
}

TEST_F(CapiArrays, ABaseColorOfZerosIsWhiteAndAnyOtherIsTaken) {
  material_.image = nullptr;
  use_material();
  for (const auto& [place, color] : colors()) EXPECT_EQ(color, kWhite);
  material_.base_color[0] = 0.25f, material_.base_color[3] = 1;
  for (const auto& [place, color] : colors()) EXPECT_EQ(color, (Color{137, 0, 0}));
  material_.base_color[3] = 0.125f;
  for (const auto& [place, color] : colors()) EXPECT_EQ(color, (Color{137, 0, 0}));
}

TEST_F(CapiArrays, MaterialsOfALaterVersionFollowEachOtherAtTheirSize) {
  struct Later {
    vox_material material;
    uint64_t more = 0;
  };
  const std::array<vox_material, 3> three = three_materials();
  std::array<Later, 3> later;
  for (size_t i = 0; i < 3; ++i) {
    later[i].material = three[i];
    later[i].material.struct_size = sizeof(Later);
  }
  const std::array<uint32_t, 2> numbers = {1, 2};
  arrays_.materials = &later[0].material, arrays_.material_count = 3;
  arrays_.material_of = numbers.data();
  const auto found = colors();
  EXPECT_EQ(found.at({12, 3}), kGreen);
  EXPECT_EQ(found.at({3, 12}), kBlue);
}

TEST_F(CapiArrays, WrongMaterialsAreRefused) {
  use_material();
  material_.image_width = 0;
  expect_refused("the image has 0 x 2 pixels");
  material_.image_width = 2, material_.image_height = 0;
  expect_refused("the image has 2 x 0 pixels");
  material_.image_height = 2;
  for (const float cutoff : {-0.1f, 1.1f, std::numeric_limits<float>::quiet_NaN()}) {
    material_.alpha_cutoff = cutoff;
    expect_refused("alpha_cutoff");
  }
}

TEST(CapiFiles, MeshesAreTurnedUpAsIsAskedFor) {
  const TestFolder folder;
  const EngineHandle engine;
  const std::string file =
      folder.write("a.obj", "v 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 4\nf 1 2 3\nf 1 2 4\n").string();
  const vox_voxelize_options options = at_resolution(16);
  for (const auto& [up, height] : {std::pair{VOX_UP_FILE, 2}, {VOX_UP_Y, 2}, {VOX_UP_Z, 4}, {VOX_UP_X, 1}}) {
    MeshHandle mesh;
    SceneHandle scene;
    EXPECT_OK(vox_mesh_load(file.c_str(), static_cast<uint32_t>(up), mesh.to()));
    EXPECT_OK(vox_voxelize(engine, mesh, &options, scene.to()));
    const auto count_from = [&](int64_t y) {
      const int64_t low[3] = {0, std::min<int64_t>(y, 16), 0}, high[3] = {16, 16, 16};
      uint64_t count = 0;
      EXPECT_OK(vox_scene_count(engine, scene, low, high, &count));
      return count;
    };
    EXPECT_GT(count_from(4 * height - 2), 0u) << up;
    EXPECT_EQ(count_from(4 * height + 1), 0u) << up;
    EXPECT_EQ(info_of(scene).up, unsigned{VOX_UP_Y});
  }
}

TEST(CapiFiles, PointsHaveTheirRadiusAndOptionsWithoutEffectAreErrors) {
  const TestFolder folder;
  const EngineHandle engine;
  const std::string points = folder.write("a.xyz", "0 0 0 255 0 0\n8 0 0 255 0 0\n").string();
  vox_voxelize_options options = {};
  options.struct_size = sizeof options;
  options.voxel_size = 1;
  SceneHandle scene;
  EXPECT_OK(vox_voxelize_file(engine, points.c_str(), &options, scene.to()));
  EXPECT_EQ(info_of(scene).voxels, 2u);
  options.point_radius = 2;
  EXPECT_OK(vox_voxelize_file(engine, points.c_str(), &options, scene.to()));
  EXPECT_EQ(info_of(scene).origin[0], -2);  // the whole ball is in the grid
  EXPECT_GT(info_of(scene).voxels, 2u * 20);
  options.point_radius = -1;
  EXPECT_EQ(vox_voxelize_file(engine, points.c_str(), &options, scene.to()), VOX_BAD_USE);
  options.point_radius = 0, options.solid = VOX_SOLID;
  EXPECT_EQ(vox_voxelize_file(engine, points.c_str(), &options, scene.to()), VOX_BAD_USE);
  EXPECT_NE(std::string(vox_error_what()).find("options->solid has no effect"), std::string::npos);
  const std::string empty = folder.write("b.xyz", "nan 0 0\n").string();
  options.solid = VOX_SURFACE;
  EXPECT_EQ(vox_voxelize_file(engine, empty.c_str(), &options, scene.to()), VOX_FAILED);
  EXPECT_STREQ(vox_error_what(), "no points to convert");
  const std::string bare = folder.write("c.xyz", "0 0 0\n8 0 0\n").string();
  options.materials = VOX_MATERIALS_COLORS;
  EXPECT_EQ(vox_voxelize_file(engine, bare.c_str(), &options, scene.to()), VOX_FAILED);
  EXPECT_STREQ(vox_error_what(), "holds no colors that can be kept");
  // Voxels that are there already are not snapped.
  options = at_resolution(16);
  EXPECT_OK(vox_voxelize_file(engine, points.c_str(), &options, scene.to()));
  const std::string saved = (folder.path() / "a.h5").string();
  EXPECT_OK(vox_scene_save(engine, scene, saved.c_str(), VOX_KEEP_OTHER_FILES));
  options.snap = 1;
  EXPECT_EQ(vox_voxelize_file(engine, saved.c_str(), &options, scene.to()), VOX_BAD_USE);
}

TEST(CapiFiles, VolumesHaveLabelsOrBins) {
  const TestFolder folder;
  const EngineHandle engine;
  const std::string head = "NRRD0005\ntype: uint8\ndimension: 3\nsizes: 16 16 16\nencoding: raw\n\n";
  std::string labels, values;
  Random random(1);
  for (uint32_t i = 0; i < 16 * 16 * 16; ++i) {
    labels += static_cast<char>(3 + i / 1024);
    values += static_cast<char>(random.below(256));
  }
  SceneHandle scene;
  EXPECT_OK(vox_scene_load(engine, folder.write("a.nrrd", head + labels).string().c_str(), scene.to()));
  EXPECT_EQ(info_of(scene).voxels, 16u * 16 * 16);
  EXPECT_EQ(info_of(scene).palette_count, 6u);  // labels keep their numbers
  EXPECT_OK(vox_scene_load(engine, folder.write("b.nrrd", head + values).string().c_str(), scene.to()));
  EXPECT_GT(info_of(scene).palette_count, 10u);
}

class CapiOptions : public ::testing::Test {
 protected:
  // A cube of 8 units with outward faces, alone and around another one.
  CapiOptions() {
    const CubeArrays cube(0, 8), inner(2, 6);
    EXPECT_OK(vox_mesh_create(&cube.arrays, mesh_.to()));
    EXPECT_OK(vox_mesh_create(&cube.arrays, nested_.to()));
    EXPECT_OK(vox_mesh_add(nested_, &inner.arrays));
  }
  vox_info made(const vox_mesh* mesh, const std::function<void(vox_voxelize_options&)>& change) {
    vox_voxelize_options options = at_resolution(32);
    change(options);
    EXPECT_OK(vox_voxelize(engine_, mesh, &options, scene_.to()));
    return info_of(scene_);
  }
  std::vector<uint8_t> picture(const std::function<void(vox_camera&)>& change) {
    vox_camera camera = {};
    camera.struct_size = sizeof camera;
    change(camera);
    std::vector<uint8_t> pixels(4 * 32 * 32);
    EXPECT_OK(vox_scene_render(engine_, scene_, &camera, 32, 32, pixels.data(), pixels.size()));
    return pixels;
  }

  EngineHandle engine_;
  MeshHandle mesh_, nested_;
  SceneHandle scene_;
};

TEST_F(CapiOptions, InsidesAreFilledByTheirRule) {
  const vox_info surface = made(mesh_, [](auto&) {});
  EXPECT_EQ(surface.solid, 0u);
  EXPECT_EQ(surface.coverage, unsigned{VOX_CONSERVATIVE});
  const vox_info solid = made(mesh_, [](auto& o) { o.solid = VOX_SOLID; });
  EXPECT_EQ(solid.solid, 1u);
  EXPECT_EQ(solid.voxels, 32u * 32 * 32);
  // By parity a surface inside of another one is the surface of a hollow.
  EXPECT_EQ(made(nested_, [](auto& o) { o.solid = VOX_SOLID; }).voxels, solid.voxels);
  EXPECT_LT(made(nested_, [](auto& o) { o.solid = VOX_SOLID_PARITY; }).voxels, solid.voxels - 10 * 10 * 10);
  EXPECT_EQ(made(mesh_, [](auto& o) { o.coverage = VOX_THIN; }).coverage, unsigned{VOX_THIN});
}

TEST_F(CapiOptions, APaletteIsTakenAsItIsGiven) {
  const uint8_t palette[] = {1, 2, 3, 200, 210, 220, 90, 80, 70};
  const auto with_palette = [&](auto& options) { options.palette = palette, options.palette_count = 3; };
  const vox_info info = made(mesh_, with_palette);
  ASSERT_EQ(info.palette_count, 3u);
  for (size_t i = 0; i < 9; ++i) EXPECT_EQ(info.palette[i / 3][i % 3], palette[i]);
  EXPECT_EQ(info.shares[0] + info.shares[2], 0);
  EXPECT_NEAR(info.shares[1], 1, 1e-9);
  EXPECT_STREQ(vox_scene_palette_name(scene_, 2), "#5a5046");
  EXPECT_STREQ(vox_scene_palette_name(scene_, 3), "");
  vox_voxelize_options options = at_resolution(32);
  with_palette(options);
  options.materials = VOX_MATERIALS_MESH;
  SceneHandle none;
  EXPECT_EQ(vox_voxelize(engine_, mesh_, &options, none.to()), VOX_BAD_USE);
}

TEST_F(CapiOptions, OptionsOfFilesAreErrorsForWhatIsInMemory) {
  SceneHandle none;
  const float place[3] = {1, 2, 3};
  vox_points points = {};
  points.struct_size = sizeof points;
  points.count = 1, points.positions = place;
  const auto expect = [&](const vox_voxelize_options& options, bool for_points) {
    EXPECT_EQ(vox_voxelize(engine_, mesh_, &options, none.to()), VOX_BAD_USE);
    EXPECT_NE(std::string(vox_error_what()).find("has no effect on"), std::string::npos);
    EXPECT_EQ(vox_combine(engine_, mesh_, nested_, VOX_UNION, &options, none.to()), VOX_BAD_USE);
    uint64_t length = 0;
    EXPECT_EQ(vox_mesh_report(engine_, mesh_, &options, nullptr, 0, &length), VOX_BAD_USE);
    vox_info info = {};
    info.struct_size = sizeof info;
    EXPECT_EQ(vox_mesh_distances(engine_, mesh_, &options, 1, nullptr, 0, &info), VOX_BAD_USE);
    EXPECT_EQ(vox_voxelize_points(engine_, &points, &options, none.to()), for_points ? VOX_BAD_USE : VOX_OK);
  };
  vox_voxelize_options options = at_resolution(16);
  options.up = VOX_UP_Z;
  expect(options, true);
  options.up = VOX_UP_FILE;
  options.point_radius = 1;
  expect(options, false);
}

TEST_F(CapiOptions, TheSameResolutionIsNoChangeAndListsNeedTheirExactSize) {
  const vox_info info = made(mesh_, [](auto&) {});
  EXPECT_OK(vox_scene_coarser(engine_, scene_, 32));
  EXPECT_STREQ(info_of(scene_).digest, info.digest);
  std::vector<uint8_t> materials(info.voxels + 1);
  for (const uint64_t capacity : {info.voxels - 1, info.voxels + 1})
    EXPECT_EQ(
        vox_scene_voxels(engine_, scene_, nullptr, nullptr, capacity, nullptr, materials.data(), nullptr),
        VOX_BAD_USE);
}

TEST_F(CapiOptions, ACameraDoesWhatItsFieldsSay) {
  made(mesh_, [](auto&) {});
  // Cuts a corner off, so that turns show and shadows fall.
  EXPECT_OK(vox_scene_edit(engine_, scene_, "box remove min 16,8,0 max 32,32,32", nullptr));
  const auto usual = picture([](auto&) {});
  EXPECT_EQ(picture([](auto& camera) { camera.samples = 4, camera.fov = 40; }), usual);
  EXPECT_NE(picture([](auto& camera) { camera.fov = 60; }), usual);
  EXPECT_NE(picture([](auto& camera) { camera.turn = 90; }), usual);
  EXPECT_NE(picture([](auto& camera) { camera.no_shadows = 1; }), usual);
  EXPECT_NE(picture([](auto& camera) { camera.samples = 1; }), usual);
  EXPECT_NE(picture([](auto& camera) { camera.view = "left"; }), usual);
  std::vector<std::vector<uint8_t>> shades;
  for (uint32_t shade = 0; shade < 5; ++shade) {
    const auto shaded = picture([&](auto& camera) { camera.shade = shade; });
    EXPECT_EQ(std::ranges::count(shades, shaded), 0) << shade;
    shades.push_back(shaded);
  }
  vox_camera camera = {};
  camera.struct_size = sizeof camera;
  camera.samples = 65;
  std::vector<uint8_t> pixels(4);
  EXPECT_EQ(vox_scene_render(engine_, scene_, &camera, 1, 1, pixels.data(), 4), VOX_BAD_USE);
  const double eye[3] = {20, 20, 20};
  camera.samples = 1, camera.eye = eye;
  EXPECT_OK(vox_scene_render(engine_, scene_, &camera, 1, 1, pixels.data(), 4));
  camera.turn = 90;
  EXPECT_EQ(vox_scene_render(engine_, scene_, &camera, 1, 1, pixels.data(), 4), VOX_BAD_USE);
}

}  // namespace
}  // namespace vox::test
