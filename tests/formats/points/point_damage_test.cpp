// Damaged files of points must give an Error that names the file, or a sound scene.
#include <gtest/gtest.h>

#include <random>

#include "formats/points/point_voxels.h"
#include "formats/points/points.h"
#include "libvox/base/error.h"
#include "libvox/voxelize/fit_box.h"
#include "tests/formats/mesh/mesh_checks.h"
#include "tests/formats/points/point_files.h"

namespace vox {
namespace {

enum class Depth { Survey, Scene };

void expect_error_or_scene(const std::filesystem::path& file, const std::string& content, Depth depth) {
  std::filesystem::remove(file);  // some file systems flush a file that is truncated and rewritten
  std::ofstream(file, std::ios::binary) << content;
  try {
    const PointCloud cloud = open_points(std::vector{file});
    const CloudSurvey found = survey(cloud);
    if (found.points == 0 || depth == Depth::Survey) return;
    const voxelize::Grid grid = voxelize::fit_box(found.box, {.resolution = 32});
    dag::verify(scene_of_voxels(point_voxels(cloud, grid, {.radius = grid.voxel_size}), {}, file).scene.dag);
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_TRUE(text.find(file.filename().string()) != std::string::npos ||
                text.find("bounding box") != std::string::npos)
        << text;
  }
}

void expect_damage_to_be_harmless(const TestFolder& folder, const std::string& name,
                                  const std::string& content) {
  QuietLog quiet;
  const std::filesystem::path file = folder.path() / name;
  for (size_t size = 1; size < content.size(); ++size)
    expect_error_or_scene(file, content.substr(0, size), size % 50 == 0 ? Depth::Scene : Depth::Survey);
  std::mt19937 random(1);
  for (int i = 0; i < 1500; ++i) {
    std::string damaged = content;
    for (size_t flips = 1 + random() % 3; flips > 0; --flips)
      damaged[random() % damaged.size()] = static_cast<char>(random());
    expect_error_or_scene(file, damaged, i % 30 == 0 ? Depth::Scene : Depth::Survey);
  }
}

TEST(PointDamage, OfLasFilesIsHarmless) {
  TestFolder folder;
  std::vector<LasPointValues> points;
  for (int i = 0; i < 9; ++i) points.push_back({i * 7, i * i, 90 - i, uint16_t(i * 5000), 400, 9});
  expect_damage_to_be_harmless(folder, "a.las", las_file(points, {.minor = 4, .format = 7}));
}

TEST(PointDamage, OfPlyFilesIsHarmless) {
  TestFolder folder;
  const std::string start =
      " 1.0\nelement note 2\nproperty short n\nelement vertex 5\nproperty float x\nproperty float y\n"
      "property double z\nproperty uchar red\nproperty uchar green\nproperty uchar blue\nend_header\n";
  std::string binary = "ply\nformat binary_little_endian" + start + "nnnn",
              text = "ply\nformat ascii" + start + "5\n6\n";
  for (int i = 0; i < 5; ++i) {
    binary += little_bytes(static_cast<float>(i) / 2) + little_bytes(static_cast<float>(-i)) +
              little_bytes(i * 9.0) + "rgb";
    text += std::to_string(i) + " 2 3.5 100 200 30\n";
  }
  expect_damage_to_be_harmless(folder, "a.ply", binary);
  expect_damage_to_be_harmless(folder, "b.ply", text);
}

TEST(PointDamage, OfTextIsHarmless) {
  TestFolder folder;
  expect_damage_to_be_harmless(folder, "a.pts", "3\n1 2 3 -50 7 8 9\n4 5.5 6 17 255 0 1\n7e1 8 -9 0 1 2 3\n");
}

}  // namespace
}  // namespace vox
