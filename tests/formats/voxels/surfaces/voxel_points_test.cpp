#include "formats/voxels/surfaces/voxel_points.h"

#include <cmath>
#include <cstring>
#include <functional>
#include <set>
#include <sstream>
#include <tuple>

#include "libvox/base/error.h"
#include "tests/formats/voxels/export_scenes.h"

namespace vox {
namespace {

using namespace testing_export;

struct PlyPoint {
  Vec3d place;
  Vec3<float> normal;
  scene::Rgb8 color = {};
};

template <class T>
T taken(std::string_view& bytes) {
  T value = {};
  EXPECT_GE(bytes.size(), sizeof(T));
  if (bytes.size() < sizeof(T)) return value;
  std::memcpy(&value, bytes.data(), sizeof(T));
  bytes.remove_prefix(sizeof(T));
  return value;
}

// Reads the fields that the header lists, in its order.
std::vector<PlyPoint> read_points(const std::filesystem::path& path) {
  const std::string file = read_all(path);
  const size_t end = file.find("end_header\n");
  EXPECT_NE(end, std::string::npos);
  std::istringstream header(file.substr(0, end));
  std::string_view data = std::string_view(file).substr(end + 11);
  size_t count = 0;
  std::vector<std::pair<std::string, std::string>> properties;
  for (std::string line; std::getline(header, line);) {
    std::istringstream words(line);
    std::string word, type, name;
    words >> word >> type >> name;
    if (word == "element") count = std::stoul(name);
    if (word == "property") properties.emplace_back(type, name);
  }
  std::vector<PlyPoint> points(count);
  for (PlyPoint& point : points)
    for (const auto& [type, name] : properties) {
      const double value = type == "float"    ? double{taken<float>(data)}
                           : type == "double" ? taken<double>(data)
                                              : static_cast<double>(taken<uint8_t>(data));
      const size_t axis = std::string("xyz").find(name.back());
      if (name.size() == 1) point.place[uint32_t(axis)] = value;
      if (name.size() == 2) point.normal[uint32_t(axis)] = static_cast<float>(value);
      if (name == "red") point.color.r = static_cast<uint8_t>(value);
      if (name == "green") point.color.g = static_cast<uint8_t>(value);
      if (name == "blue") point.color.b = static_cast<uint8_t>(value);
    }
  EXPECT_TRUE(data.empty());
  return points;
}

class WrittenPoints : public ExportTest {
 protected:
  std::vector<PlyPoint> written(const KnownScene& known,
                                const std::optional<VoxelBox>& clip = std::nullopt) const {
    write_voxel_points(known.scene, path("a.ply"), clip);
    return read_points(path("a.ply"));
  }

  void expect_voxels(const KnownScene& known, const VoxelBox& region,
                     const std::optional<VoxelBox>& clip = std::nullopt) const {
    std::set<std::tuple<int, int, int>> found;
    for (const PlyPoint& point : written(known, clip)) {
      const Vec3d at =
          (point.place - known.scene.origin) * (1 / known.scene.voxel_size) - Vec3d{0.5, 0.5, 0.5};
      const Int3 voxel = {int(std::lround(at.x)), int(std::lround(at.y)), int(std::lround(at.z))};
      for (uint32_t axis = 0; axis < 3; ++axis) ASSERT_NEAR(at[axis], voxel[axis], 1. / 200);
      ASSERT_TRUE(found.emplace(voxel.x, voxel.y, voxel.z).second);
      ASSERT_NE(known.value(voxel), 0);
      if (known.scene.dag.materials) {
        ASSERT_EQ(point.color, known.scene.palette.colors[size_t(known.value(voxel) - 1)]);
      }
      ASSERT_NEAR(dot(point.normal, point.normal), 1, 1e-5);
    }
    EXPECT_EQ(found.size(), known.count(region));
  }
};

TEST_F(WrittenPoints, AreTheCentresOfAllVoxelsWithTheirColours) {
  for (const Materials materials : {Materials::Sixteen, Materials::None}) {
    KnownScene known = known_scene(37, materials, noise_grid(6));
    known.scene.origin = {-10, 0.125, 3};
    known.scene.voxel_size = 0.7;
    expect_voxels(known, cube_at({0, 0, 0}, 37));
  }
}

TEST_F(WrittenPoints, AreThoseInsideAClipBox) {
  const KnownScene known = known_scene(70, Materials::Sixteen, noise_grid(7));
  const VoxelBox clip = {{53, 20, 49}, {66, 31, 68}};
  expect_voxels(known, clip, clip);
}

TEST_F(WrittenPoints, AreDoublesWhereFloatsWouldLoseTheVoxel) {
  KnownScene known = known_scene(9, Materials::Sixteen, noise_grid(8));
  known.scene.origin = {1e7, 0, 0};
  known.scene.voxel_size = 0.001;
  expect_voxels(known, cube_at({0, 0, 0}, 9));
}

TEST_F(WrittenPoints, OfAnEmptySceneAreNone) {
  EXPECT_TRUE(written(known_scene(16, Materials::Sixteen, empty_grid)).empty());
}

TEST_F(WrittenPoints, NormalsOfABallLookOut) {
  const KnownScene known = known_scene(48, Materials::None, [](uint32_t x, uint32_t y, uint32_t z) {
    const auto from = [](uint32_t v) { return int(v) - 24; };
    return from(x) * from(x) + from(y) * from(y) + from(z) * from(z) <= 400 ? 0 : dag::kEmptyVoxel;
  });
  uint64_t outer = 0;
  for (const PlyPoint& point : written(known)) {
    const Vec3d out = point.place - Vec3d{24.5, 24.5, 24.5};
    const double length = std::sqrt(dot(out, out));
    if (length < 19.5) continue;
    const Vec3d normal = {point.normal.x, point.normal.y, point.normal.z};
    EXPECT_GT(dot(normal, out) / length, 0.8);
    ++outer;
  }
  EXPECT_GT(outer, 1000u);
}

TEST_F(WrittenPoints, NormalsOfAWallOneVoxelThickAreThoseOfItsPlane) {
  for (const uint32_t axis : {0u, 1u, 2u}) {
    const KnownScene known = known_scene(16, Materials::None, [axis](uint32_t x, uint32_t y, uint32_t z) {
      return Vec3<uint32_t>{x, y, z}[axis] == 7 ? 0 : dag::kEmptyVoxel;
    });
    Vec3<float> expected = {0, 0, 0};
    expected[axis] = 1;
    for (const PlyPoint& point : written(known)) EXPECT_EQ(point.normal, expected);
  }
  // The voxels form a slanted plane: x = y.
  const KnownScene known = known_scene(
      16, Materials::None, [](uint32_t x, uint32_t y, uint32_t) { return x == y ? 0 : dag::kEmptyVoxel; });
  for (const PlyPoint& point : written(known)) {
    EXPECT_NEAR(std::abs(point.normal.x), std::sqrt(0.5), 1e-5);
    EXPECT_NEAR(point.normal.x, -point.normal.y, 1e-5);
    EXPECT_NEAR(point.normal.z, 0, 1e-5);
  }
}

}  // namespace
}  // namespace vox
