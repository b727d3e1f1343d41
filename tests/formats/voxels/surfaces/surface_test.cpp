// Reads surfaces back with our own readers and with Assimp, divides them into the faces of voxels, and
// compares these with the faces that a loop over a dense grid finds.

#include <assimp/postprocess.h>
#include <assimp/scene.h>

#include <array>
#include <assimp/Importer.hpp>
#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <set>
#include <sstream>
#include <tuple>

#include "formats/mesh/mesh.h"
#include "formats/voxels/surfaces/surface.h"
#include "libvox/base/error.h"
#include "libvox/scene/oklab.h"
#include "tests/formats/voxels/export_scenes.h"

namespace vox {
namespace {

using namespace testing_export;

// A face of a voxel: the axis along which it looks, 1 or -1 for its direction, and the voxel.
using Face = std::array<int32_t, 5>;
using Faces = std::map<Face, scene::Rgb8>;

Int3 step_along(uint32_t axis, int32_t by) {
  Int3 step = {0, 0, 0};
  step[axis] = by;
  return step;
}

Faces faces_of_grid(const KnownScene& known, const VoxelBox& region) {
  const auto value = [&](Int3 v) { return intersection(region, cube_at(v, 1)).empty() ? 0 : known.value(v); };
  Faces faces;
  for (int32_t z = region.min.z; z < region.max.z; ++z)
    for (int32_t y = region.min.y; y < region.max.y; ++y)
      for (int32_t x = region.min.x; x < region.max.x; ++x)
        for (uint32_t axis = 0; axis < 3; ++axis)
          for (const int32_t looks : {-1, 1})
            if (value({x, y, z}) != 0 && value(Int3{x, y, z} + step_along(axis, looks)) == 0)
              faces[{int32_t(axis), looks, x, y, z}] =
                  known.scene.colors ? scene::unpacked_color(known.color({x, y, z}))
                                     : surface_color(known.scene, static_cast<uint8_t>(value({x, y, z})));
  return faces;
}

scene::Rgb8 color_of(const scene::Scene& mesh, const scene::Triangle& triangle) {
  const auto& base = mesh.materials[triangle.material].base_color;
  if (mesh.colors.empty()) return scene::linear_to_srgb(Vec3d{base[0], base[1], base[2]});
  const auto& color = mesh.colors[triangle.position[0]];
  return {color.r, color.g, color.b};
}

// A point in each face identifies it. The point must not lie on a diagonal of a rectangle, which only a
// rational place could.
constexpr double kInFaceU = 0.31830988618, kInFaceV = 0.5772156649;

bool holds(const std::array<Vec3d, 3>& corners, uint32_t u, uint32_t v, double at_u, double at_v) {
  int left = 0;
  for (size_t i = 0; i < 3; ++i) {
    const Vec3d &a = corners[i], &b = corners[(i + 1) % 3];
    left += (b[u] - a[u]) * (at_v - a[v]) - (b[v] - a[v]) * (at_u - a[u]) > 0;
  }
  return left == 0 || left == 3;
}

void add_faces(Faces& faces, const std::array<Vec3d, 3>& corners, scene::Rgb8 color) {
  const Vec3d normal = cross(corners[1] - corners[0], corners[2] - corners[0]);
  uint32_t axis = 0;
  while (axis < 2 && std::abs(normal[axis]) < 0.5) ++axis;
  const uint32_t u = axis == 0 ? 1 : 0, v = axis == 2 ? 1 : 2;
  ASSERT_TRUE(std::abs(normal[u]) < 1e-6 && std::abs(normal[v]) < 1e-6);
  const int32_t looks = normal[axis] > 0 ? 1 : -1;
  Vec3d low = corners[0], high = corners[0];
  for (const Vec3d& corner : corners)
    for (uint32_t i = 0; i < 3; ++i)
      low[i] = std::min(low[i], corner[i]), high[i] = std::max(high[i], corner[i]);
  for (auto at_v = int32_t(low[v]); at_v < int32_t(high[v]); ++at_v)
    for (auto at_u = int32_t(low[u]); at_u < int32_t(high[u]); ++at_u) {
      if (!holds(corners, u, v, at_u + kInFaceU, at_v + kInFaceV)) continue;
      Int3 voxel = {};
      voxel[u] = at_u, voxel[v] = at_v, voxel[axis] = int32_t(low[axis]) - (looks > 0);
      const Face face = {int32_t(axis), looks, voxel.x, voxel.y, voxel.z};
      ASSERT_TRUE(faces.emplace(face, color).second) << "a face is there twice";
    }
}

Faces faces_of_mesh(const scene::Scene& mesh, const dag::VoxelScene& scene) {
  Faces faces;
  for (const scene::Triangle& triangle : mesh.triangles) {
    std::array<Vec3d, 3> corners = {};
    for (size_t i = 0; i < 3; ++i) {
      const Vec3d place = (mesh.positions[triangle.position[i]] - scene.origin) / scene.voxel_size;
      corners[i] = {std::round(place.x), std::round(place.y), std::round(place.z)};
      const Vec3d off = place - corners[i];
      EXPECT_LT(std::abs(off.x) + std::abs(off.y) + std::abs(off.z), 1. / 128);
    }
    add_faces(faces, corners, color_of(mesh, triangle));
  }
  return faces;
}

void expect_same(const Faces& found, const Faces& expected) {
  EXPECT_EQ(found.size(), expected.size());
  for (const auto& [face, color] : expected) {
    const auto entry = found.find(face);
    ASSERT_NE(entry, found.end()) << testing::PrintToString(face);
    ASSERT_EQ(entry->second, color) << testing::PrintToString(face);
  }
}

class SurfaceFiles : public ExportTest {
 protected:
  static KnownScene placed(KnownScene known) {
    known.scene.origin = {-3.25, 7, 0.1};
    known.scene.voxel_size = 0.3;
    return known;
  }
  using Writer = void (*)(const dag::VoxelScene&, const std::filesystem::path&,
                          const std::optional<VoxelBox>&, ranks::Ranks&);
  struct Format {
    const char* name;
    Writer write;
  };
  static constexpr std::array<Format, 3> kFormats = {
      {{"a.obj", write_surface_obj}, {"a.glb", write_surface_glb}, {"a.ply", write_surface_ply}}};

  scene::Scene written(const KnownScene& known, const Format& format,
                       const std::optional<VoxelBox>& clip = std::nullopt) const {
    format.write(known.scene, path(format.name), clip, ranks::alone());
    return read_mesh(path(format.name));
  }
};

TEST_F(SurfaceFiles, HoldEachFaceBetweenFilledAndEmptyOnceAndLookingOut) {
  for (const Materials materials : {Materials::Sixteen, Materials::None, Materials::Colors})
    for (const Format& format : kFormats) {
      SCOPED_TRACE(format.name);
      const KnownScene known = placed(known_scene(20, materials, noise_grid(3)));
      expect_same(faces_of_mesh(written(known, format), known.scene),
                  faces_of_grid(known, cube_at({0, 0, 0}, 20)));
    }
}

TEST_F(SurfaceFiles, HaveNoFacesBetweenVoxelsOfNeighboringCubesOf64) {
  for (const Materials materials : {Materials::Sixteen, Materials::Colors}) {
    const KnownScene known = placed(known_scene(72, materials, noise_grid(9)));
    const VoxelBox clip = {{58, 60, 59}, {72, 70, 71}};
    for (const Format& format : kFormats) {
      SCOPED_TRACE(format.name);
      expect_same(faces_of_mesh(written(known, format, clip), known.scene), faces_of_grid(known, clip));
    }
  }
}

scene::Scene mesh_of_assimp(const std::filesystem::path& path) {
  Assimp::Importer importer;
  const aiScene* found =
      importer.ReadFile(path.string(), aiProcess_Triangulate | aiProcess_PreTransformVertices);
  EXPECT_NE(found, nullptr) << importer.GetErrorString();
  scene::Scene mesh;
  mesh.materials.emplace_back();
  for (unsigned m = 0; found != nullptr && m < found->mNumMeshes; ++m) {
    const aiMesh& part = *found->mMeshes[m];
    const auto first = static_cast<uint32_t>(mesh.positions.size());
    for (unsigned i = 0; i < part.mNumVertices; ++i)
      mesh.positions.push_back({part.mVertices[i].x, part.mVertices[i].y, part.mVertices[i].z});
    for (unsigned i = 0; i < part.mNumFaces; ++i) {
      const unsigned* corner = part.mFaces[i].mIndices;
      mesh.triangles.push_back({{first + corner[0], first + corner[1], first + corner[2]}, {}, 0});
    }
  }
  return mesh;
}

TEST_F(SurfaceFiles, AssimpReadsTheSameFaces) {
  const KnownScene known = placed(known_scene(20, Materials::Sixteen, noise_grid(4)));
  for (const Format& format : kFormats) {
    SCOPED_TRACE(format.name);
    format.write(known.scene, path(format.name), std::nullopt, ranks::alone());
    Faces found = faces_of_mesh(mesh_of_assimp(path(format.name)), known.scene);
    for (auto& [face, color] : found) color = {0, 0, 0};
    Faces expected = faces_of_grid(known, cube_at({0, 0, 0}, 20));
    for (auto& [face, color] : expected) color = {0, 0, 0};
    expect_same(found, expected);
  }
}

TEST_F(SurfaceFiles, AClipBoxHasFacesWhereItCutsThroughVoxels) {
  const KnownScene known = placed(known_scene(40, Materials::Sixteen, full_grid));
  const VoxelBox clip = {{3, -5, 39}, {9, 7, 100}};
  for (const Format& format : kFormats) {
    SCOPED_TRACE(format.name);
    const Faces found = faces_of_mesh(written(known, format, clip), known.scene);
    expect_same(found, faces_of_grid(known, {{3, 0, 39}, {9, 7, 40}}));
  }
}

TEST_F(SurfaceFiles, FacesOfOneMaterialInAPlaneAreOneInACubeOf64) {
  const KnownScene known = repeated(known_scene(8, Materials::Sixteen, full_grid), 0xff, 4);
  const Surface surface(known.scene, cube_at({0, 0, 0}, 128), "a.ply");
  EXPECT_EQ(surface.quads(), 24u);              // a quarter of each side of the whole cube
  EXPECT_EQ(surface.vertices(), 8 * (8u - 1));  // the eight cubes have all corners but the inner one
}

TEST_F(SurfaceFiles, FacesOfOneColorInAPlaneAreOneInACubeOf64) {
  const KnownScene known = known_scene(6, Materials::Colors, full_grid);  // 2 x 2 x 3 colors
  const Surface surface(known.scene, cube_at({0, 0, 0}, 6), "a.ply");
  EXPECT_EQ(surface.quads(), 2 * (4u + 6 + 6));
  ASSERT_EQ(surface.parts().size(), 1u);
  const SurfaceMesh& mesh = surface.mesh(surface.parts()[0]);
  EXPECT_EQ(mesh.vertices.size(), mesh.colors.size());
  // Each color has a box at a corner of the cube or in the middle of an edge; a corner has 7 vertices on 3 faces.
  EXPECT_EQ(mesh.vertices.size(), 8 * 7u + 4 * 6);
}

TEST_F(SurfaceFiles, EmptyScenesAreEmptyMeshesOrAnErrorWhereThereAreNone) {
  const KnownScene known = known_scene(16, Materials::Sixteen, empty_grid);
  write_surface_obj(known.scene, path("a.obj"), std::nullopt);
  EXPECT_TRUE(read_bytes(path("a.obj")).starts_with("# 0 faces, 0 vertices; materials "));
  EXPECT_TRUE(is_obj_of_vox(read_bytes(path("a.obj"))) && is_obj_of_vox(read_bytes(path("a.mtl"))));
  EXPECT_EQ(materials_id(read_bytes(path("a.obj"))), materials_id(read_bytes(path("a.mtl"))));
  write_surface_ply(known.scene, path("a.ply"), std::nullopt);
  EXPECT_NE(read_bytes(path("a.ply")).find("element face 0\n"), std::string::npos);
  EXPECT_THROW(write_surface_glb(known.scene, path("a.glb"), std::nullopt), Error);
  EXPECT_FALSE(std::filesystem::exists(path("a.glb")));
}

TEST_F(SurfaceFiles, MaterialsHaveTheNamesOfThePalette) {
  KnownScene known =
      known_scene(8, Materials::Sixteen, [](uint32_t x, uint32_t, uint32_t) { return int(x) % 3; });
  known.scene.palette.names = {"#102030", "roof tiles", "roof tiles"};
  const scene::Scene glb = written(known, kFormats[1]);
  ASSERT_EQ(glb.materials.size(), 3u);
  EXPECT_EQ(glb.materials[0].name, "#102030");
  EXPECT_EQ(glb.materials[1].name, "roof tiles");
  // Names in OBJ are single words, and unique.
  const scene::Scene obj = written(known, kFormats[0]);
  ASSERT_EQ(obj.materials.size(), 3u);
  EXPECT_EQ(obj.materials[0].name, "102030");
  EXPECT_EQ(obj.materials[1].name, "roof_tiles");
  EXPECT_EQ(obj.materials[2].name, "roof_tiles_2");
  known.scene.palette.names = {"roof_2", "roof", "roof"};
  const scene::Scene numbered = written(known, kFormats[0]);
  ASSERT_EQ(numbered.materials.size(), 3u);
  EXPECT_EQ(numbered.materials[2].name, "roof_2_2");
}

TEST_F(SurfaceFiles, AreTurnedForGlbSoThatYIsUp) {
  KnownScene known = known_scene(8, Materials::None, [](uint32_t x, uint32_t y, uint32_t z) {
    return x < 2 && y < 3 && z < 5 ? 0 : dag::kEmptyVoxel;
  });
  known.scene.up = dag::UpAxis::Z;
  scene::Scene mesh = written(known, kFormats[1]);
  for (Vec3d& p : mesh.positions) p = {p.x, -p.z, p.y};  // turned back again
  known.scene.up = dag::UpAxis::Y;
  expect_same(faces_of_mesh(mesh, known.scene), faces_of_grid(known, cube_at({0, 0, 0}, 8)));
  known.scene.up = dag::UpAxis::X;
  mesh = written(known, kFormats[1]);
  for (Vec3d& p : mesh.positions) p = {p.y, p.x, -p.z};
  expect_same(faces_of_mesh(mesh, known.scene), faces_of_grid(known, cube_at({0, 0, 0}, 8)));
}

TEST_F(SurfaceFiles, CoordinatesArePreciseFarFromTheOrigin) {
  KnownScene known = known_scene(12, Materials::Sixteen, noise_grid(5));
  known.scene.origin = {5e6, -1e6, 0};
  known.scene.voxel_size = 0.01;
  for (const size_t format : {0u, 2u})
    expect_same(faces_of_mesh(written(known, kFormats[format]), known.scene),
                faces_of_grid(known, cube_at({0, 0, 0}, 12)));
}

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
  const std::string file = read_bytes(path);
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
      const Vec3d at = (point.place - known.scene.origin) / known.scene.voxel_size - Vec3d{0.5, 0.5, 0.5};
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

TEST_F(WrittenPoints, AreTheCentersOfAllVoxelsWithTheirColors) {
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
