// Scenes of several inputs, of points and of values in arrays, and painted meshes, compared with loops over arrays.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "libvox/base/geometry.h"
#include "tests/capi/meshes.h"
#include "tests/common/test_process.h"

namespace vox::test {
namespace {

// Voxels in the form of VOX_DENSE_U8, x fastest.
struct DenseGrid {
  explicit DenseGrid(Int3 sides) : size(sides), values(VoxelBox{{0, 0, 0}, sides}.voxels()) {}
  bool holds(Int3 at) const {
    return intersection(cube_at(at, 1), VoxelBox{{0, 0, 0}, size}) == cube_at(at, 1);
  }
  uint8_t& operator[](Int3 at) {
    const auto row = static_cast<size_t>(at.y) + static_cast<size_t>(size.y) * static_cast<size_t>(at.z);
    return values[row * static_cast<size_t>(size.x) + static_cast<size_t>(at.x)];
  }

  Int3 size;
  std::vector<uint8_t> values;
};

template <class Body>
void for_each_place(Int3 size, const Body& body) {
  for (int32_t z = 0; z < size.z; ++z)
    for (int32_t y = 0; y < size.y; ++y)
      for (int32_t x = 0; x < size.x; ++x) body(Int3{x, y, z});
}

class CapiInputs : public ::testing::Test {
 protected:
  DenseGrid dense(const vox_scene* scene) {
    const auto side = static_cast<int32_t>(info_of(scene).resolution);
    DenseGrid grid({side, side, side});
    const std::array<int64_t, 3> low = {}, high = {side, side, side};
    EXPECT_OK(vox_scene_dense(engine_, scene, low.data(), high.data(), VOX_DENSE_U8, grid.values.data(),
                              grid.values.size()));
    return grid;
  }

  // Labels 0 to 3, of which one half are 0.
  DenseGrid random_labels(Int3 size, uint64_t seed) {
    DenseGrid labels(size);
    Random random(seed);
    for (uint8_t& value : labels.values)
      value = static_cast<uint8_t>(random.below(2) == 0 ? 0 : 1 + random.below(3));
    return labels;
  }

  vox_volume volume_of(const DenseGrid& grid, Int3 origin = {0, 0, 0}) {
    vox_volume volume = {};
    volume.struct_size = sizeof volume;
    volume.values = grid.values.data(), volume.bytes = grid.values.size();
    for (uint32_t axis = 0; axis < 3; ++axis) {
      volume.size[axis] = static_cast<uint32_t>(grid.size[axis]);
      volume.origin[axis] = origin[axis];
    }
    volume.materials = VOX_VALUES_LABELS;
    volume.palette = kColors, volume.palette_count = 3;
    return volume;
  }

  void expect_bad_use(vox_status status, const std::string& text) {
    EXPECT_EQ(status, VOX_BAD_USE) << text;
    EXPECT_NE(std::string(vox_error_message()).find(text), std::string::npos) << vox_error_message();
  }

  static constexpr uint8_t kColors[] = {255, 0, 0, 0, 255, 0, 0, 0, 255};
  TestFolder folder_;
  EngineHandle engine_;
  SceneHandle scene_;
};

TEST_F(CapiInputs, TheLastSceneThatFillsAVoxelDecides) {
  DenseGrid first = random_labels({9, 6, 7}, 1), second = random_labels({5, 8, 6}, 2);
  const Int3 at = {6, 2, 3};
  SceneHandle one, two;
  vox_volume volume = volume_of(first);
  EXPECT_OK(vox_voxelize_volume(engine_, &volume, one.to()));
  volume = volume_of(second, at);
  EXPECT_OK(vox_voxelize_volume(engine_, &volume, two.to()));
  vox_voxelize_options options = at_resolution(0);
  options.voxel_size = 1;
  const std::array<double, 6> clip = {0, 0, 0, 11, 11, 11};
  options.clip = clip.data();
  const std::array<const vox_scene*, 2> scenes = {one, two};
  EXPECT_OK(vox_compose(engine_, scenes.data(), 2, &options, scene_.to()));
  DenseGrid found = dense(scene_);
  for_each_place(found.size, [&](Int3 place) {
    uint8_t expected = first.holds(place) ? first[place] : uint8_t{0};
    if (second.holds(place - at) && second[place - at] != 0) expected = second[place - at];
    ASSERT_EQ(found[place], expected) << place.x << ' ' << place.y << ' ' << place.z;
  });
  // The same of files.
  const std::string a = (folder_.path() / "a.h5").string(), b = (folder_.path() / "b.h5").string();
  EXPECT_OK(vox_scene_save(engine_, one, a.c_str(), VOX_OVERWRITE));
  EXPECT_OK(vox_scene_save(engine_, two, b.c_str(), VOX_OVERWRITE));
  const std::array<const char*, 2> paths = {a.c_str(), b.c_str()};
  SceneHandle of_files;
  EXPECT_OK(vox_voxelize_files(engine_, paths.data(), 2, &options, of_files.to()));
  EXPECT_STREQ(info_of(of_files).digest, info_of(scene_).digest);
  options.clip = nullptr;
  EXPECT_OK(vox_compose(engine_, scenes.data(), 2, &options, scene_.to()));
  EXPECT_EQ(info_of(scene_).resolution, 11u);  // from 0 to 6 + 5
  options.solid = VOX_SOLID;
  SceneHandle none;
  expect_bad_use(vox_compose(engine_, scenes.data(), 2, &options, none.to()), "an option has no effect");
  expect_bad_use(vox_compose(engine_, scenes.data(), 0, &options, none.to()), "count is 0");
}

TEST_F(CapiInputs, AMeshAndVoxelsOfFilesShareAGrid) {
  // A square in the plane z = 2.5, and labels that cover a part of it.
  const std::string mesh = folder_
                               .write("square.obj",
                                      "v 0 0 2.5\nv 8 0 2.5\nv 8 8 2.5\nv 0 8 2.5\n"
                                      "f 1 2 3\nf 1 3 4\n")
                               .string();
  DenseGrid labels = random_labels({4, 4, 4}, 3);
  const vox_volume volume = volume_of(labels, {2, 2, 0});
  SceneHandle voxels;
  EXPECT_OK(vox_voxelize_volume(engine_, &volume, voxels.to()));
  const std::string file = (folder_.path() / "labels.h5").string();
  EXPECT_OK(vox_scene_save(engine_, voxels, file.c_str(), VOX_OVERWRITE));
  const std::array<const char*, 2> paths = {mesh.c_str(), file.c_str()};
  vox_voxelize_options options = at_resolution(0);
  options.voxel_size = 1;
  const std::array<double, 6> clip = {0, 0, 0, 8, 8, 8};
  options.clip = clip.data();
  options.materials = VOX_MATERIALS_NONE;
  EXPECT_OK(vox_voxelize_files(engine_, paths.data(), 2, &options, scene_.to()));
  DenseGrid found = dense(scene_);
  for_each_place(found.size, [&](Int3 place) {
    const Int3 there = place - Int3{2, 2, 0};
    const bool expected = place.z == 2 || (labels.holds(there) && labels[there] != 0);
    ASSERT_EQ(found[place] != 0, expected) << place.x << ' ' << place.y << ' ' << place.z;
  });
  options.materials = VOX_MATERIALS_NUMBERS;
  SceneHandle none;
  expect_bad_use(vox_voxelize_files(engine_, paths.data(), 2, &options, none.to()), "options->materials");
  options = at_resolution(0);
  expect_bad_use(vox_voxelize_files(engine_, paths.data(), 2, &options, none.to()), "is needed");
}

TEST_F(CapiInputs, SeveralMeshesAreVoxelizedTogether) {
  const std::string a = folder_.write("a.obj", "v 0 0 0\nv 4 0 1\nv 0 4 2\nf 1 2 3\n").string();
  const std::string b = folder_.write("b.obj", "v 2 2 0\nv 9 4 3\nv 1 4 5\nf 1 2 3\n").string();
  const std::array<float, 18> positions = {0, 0, 0, 4, 0, 1, 0, 4, 2, 2, 2, 0, 9, 4, 3, 1, 4, 5};
  vox_mesh_arrays arrays = {};
  arrays.struct_size = sizeof arrays;
  arrays.vertices = 6, arrays.triangles = 2, arrays.positions = positions.data();
  MeshHandle mesh;
  EXPECT_OK(vox_mesh_create(&arrays, mesh.to()));
  vox_voxelize_options options = at_resolution(40);
  options.materials = VOX_MATERIALS_NONE;
  SceneHandle both;
  EXPECT_OK(vox_voxelize(engine_, mesh, &options, both.to()));
  const std::array<const char*, 2> paths = {a.c_str(), b.c_str()};
  EXPECT_OK(vox_voxelize_files(engine_, paths.data(), 2, &options, scene_.to()));
  EXPECT_STREQ(info_of(scene_).digest, info_of(both).digest);
}

TEST_F(CapiInputs, PointsFillTheirVoxels) {
  constexpr uint64_t kCount = 20'000;  // more than one piece
  Random random(4);
  std::vector<double> positions;
  std::vector<float> narrow;
  std::vector<uint8_t> colors;
  for (uint64_t i = 0; i < 3 * kCount; ++i) {
    positions.push_back(random.below(32 * 64) / 64.0 + 1.0 / 128);
    narrow.push_back(static_cast<float>(positions.back()));
  }
  for (uint64_t i = 0; i < kCount; ++i) {
    const bool right = positions[3 * i] >= 16;  // so that a voxel's points have one color
    for (size_t part = 0; part < 3; ++part) colors.push_back(kColors[(right ? 3u : 0u) + part]);
  }
  DenseGrid expected({32, 32, 32});
  for (uint64_t i = 0; i < kCount; ++i) {
    const Int3 at = {static_cast<int32_t>(positions[3 * i]), static_cast<int32_t>(positions[3 * i + 1]),
                     static_cast<int32_t>(positions[3 * i + 2])};
    expected[at] = at.x >= 16 ? 2 : 1;
  }
  vox_points points = {};
  points.struct_size = sizeof points;
  points.count = kCount, points.positions = positions.data(), points.position_type = VOX_FLOAT64;
  points.colors = colors.data();
  vox_voxelize_options options = at_resolution(0);
  options.voxel_size = 1;
  const std::array<double, 6> clip = {0, 0, 0, 32, 32, 32};
  options.clip = clip.data();
  options.palette = kColors, options.palette_count = 2;
  EXPECT_OK(vox_voxelize_points(engine_, &points, &options, scene_.to()));
  EXPECT_EQ(dense(scene_).values, expected.values);
  points.positions = narrow.data(), points.position_type = VOX_FLOAT32;
  SceneHandle again, none;
  EXPECT_OK(vox_voxelize_points(engine_, &points, &options, again.to()));
  EXPECT_STREQ(info_of(again).digest, info_of(scene_).digest);
  points.count = UINT64_MAX;
  expect_bad_use(vox_voxelize_points(engine_, &points, &options, none.to()), "points->count");
  points.count = 1, points.positions = nullptr;
  expect_bad_use(vox_voxelize_points(engine_, &points, &options, none.to()), "points->positions is NULL");
}

TEST_F(CapiInputs, ValuesBecomeBinsAboveTheThreshold) {
  const std::array<int16_t, 8> values = {-5, 0, 99, 100, 149, 150, 199, 200};
  vox_volume volume = {};
  volume.struct_size = sizeof volume;
  volume.values = values.data(), volume.bytes = sizeof values;
  volume.size[0] = volume.size[1] = volume.size[2] = 2;
  volume.type = VOX_I16, volume.materials = VOX_VALUES_BINS;
  volume.has_threshold = 1, volume.threshold = 100;
  volume.palette = kColors, volume.palette_count = 2;
  EXPECT_OK(vox_voxelize_volume(engine_, &volume, scene_.to()));
  DenseGrid found = dense(scene_);
  const std::array<uint8_t, 8> expected = {0, 0, 0, 1, 1, 2, 2, 2};
  for_each_place({2, 2, 2}, [&](Int3 at) {
    EXPECT_EQ(found[at], expected[static_cast<size_t>(at.x + 2 * at.y + 4 * at.z)]);
  });
  // The same of a file without a header, in the other byte order.
  std::string bytes = "head";
  for (const int16_t value : values) {
    bytes += static_cast<char>(static_cast<uint16_t>(value) >> 8);
    bytes += static_cast<char>(value & 255);
  }
  const std::string file = folder_.write("values.bin", bytes).string();
  volume.values = nullptr, volume.bytes = 0;
  volume.path = file.c_str(), volume.offset = 4, volume.big_endian = 1;
  SceneHandle of_file, none;
  EXPECT_OK(vox_voxelize_volume(engine_, &volume, of_file.to()));
  EXPECT_STREQ(info_of(of_file).digest, info_of(scene_).digest);
  volume.offset = 5;
  EXPECT_EQ(vox_voxelize_volume(engine_, &volume, none.to()), VOX_FAILED);
}

TEST_F(CapiInputs, VolumesAreChecked) {
  const DenseGrid labels = random_labels({4, 4, 4}, 5);
  SceneHandle none;
  const auto expect = [&](const std::string& text, const auto& change) {
    vox_volume volume = volume_of(labels);
    change(volume);
    EXPECT_NE(vox_voxelize_volume(engine_, &volume, none.to()), VOX_OK) << text;
    EXPECT_NE(std::string(vox_error_message()).find(text), std::string::npos) << vox_error_message();
  };
  expect("volume->bytes is 63", [](vox_volume& volume) { volume.bytes = 63; });
  expect("is needed", [](vox_volume& volume) { volume.values = nullptr; });
  expect("volume->type is 10", [](vox_volume& volume) { volume.type = 10; });
  expect("volume->materials is 4", [](vox_volume& volume) { volume.materials = 4; });
  expect("volume->spacing[1]", [](vox_volume& volume) { volume.spacing[0] = 1, volume.spacing[1] = -1; });
  expect("volume->origin",
         [](vox_volume& volume) { volume.origin[2] = std::numeric_limits<double>::quiet_NaN(); });
  expect("has no effect on labels", [](vox_volume& volume) { volume.has_threshold = 1; });
  expect("volume->offset", [](vox_volume& volume) { volume.offset = 1; });
  expect("volume->palette_count", [](vox_volume& volume) { volume.palette_count = 17; });
  for (const uint32_t side : {0u, 1u << 31, UINT32_MAX})
    expect("", [&](vox_volume& volume) { volume.size[1] = side; });
}

TEST_F(CapiInputs, StrokesPaintTheMesh) {
  const std::array<float, 12> positions = {0, 0, 0, 8, 0, 0, 8, 8, 0, 0, 8, 0};
  const std::array<float, 8> uv = {0, 1, 1, 1, 1, 0, 0, 0};
  const std::array<uint32_t, 6> indices = {0, 1, 2, 0, 2, 3};
  const std::array<uint8_t, 4> white = {255, 255, 255, 255};
  vox_material material = plain_material_of("white", 1, 1, 1);
  material.image = white.data(), material.image_width = material.image_height = 1;
  vox_mesh_arrays arrays = {};
  arrays.struct_size = sizeof arrays;
  arrays.vertices = 4, arrays.triangles = 2, arrays.positions = positions.data();
  arrays.indices = indices.data(), arrays.uv = uv.data();
  arrays.materials = &material, arrays.material_count = 1;
  MeshHandle mesh;
  EXPECT_OK(vox_mesh_create(&arrays, mesh.to()));
  vox_voxelize_options options = at_resolution(32);
  options.strokes = "stroke color #ff0000 radius 2 edge 0 at 4,4,0\n", options.paint_size = 256;
  EXPECT_OK(vox_voxelize(engine_, mesh, &options, scene_.to()));
  const vox_info info = info_of(scene_);
  ASSERT_EQ(info.palette_count, 2u);
  const uint8_t red = info.palette[0][1] == 0 ? 0 : 1;
  DenseGrid found = dense(scene_);
  for (int32_t y = 0; y < 32; ++y)
    for (int32_t x = 0; x < 32; ++x) {
      const double away = std::hypot((x + 0.5) / 4 - 4, (y + 0.5) / 4 - 4);
      if (std::abs(away - 2) < 0.1) continue;  // texels at the rim
      ASSERT_EQ((found[Int3{x, y, 0}]), (away < 2 ? red : 1 - red) + 1) << x << ' ' << y;
    }
  SceneHandle none;
  options.strokes = "stroke color #ff0000 radius 2\n";
  EXPECT_EQ(vox_voxelize(engine_, mesh, &options, none.to()), VOX_FAILED);
  EXPECT_EQ(std::string(vox_error_where()).find("options->strokes:1"), 0u) << vox_error_where();
  options.strokes = nullptr, options.paint_size = 64;
  expect_bad_use(vox_voxelize(engine_, mesh, &options, none.to()), "options->paint_size");
  options.strokes = "stroke color #ff0000 radius 2 at 4,4,0\n", options.materials = VOX_MATERIALS_COLORS;
  expect_bad_use(vox_voxelize(engine_, mesh, &options, none.to()), "options->strokes");
}

}  // namespace
}  // namespace vox::test
