#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>

#include "formats/scene/any_scene.h"
#include "formats/voxels/export.h"
#include "formats/voxels/openvdb/vdb.h"
#include "formats/voxels/voxel_formats.h"
#include "libvox/scene/oklab.h"
#include "tests/formats/voxels/export_scenes.h"
#include "tests/formats/voxels/openvdb/read_vdb.h"
#include "tests/formats/voxels/openvdb/vdb_maker.h"

namespace vox {
namespace {

using namespace testing_export;
using testing_vdb::VdbMaker;

class VdbRead : public ExportTest {
 protected:
  std::filesystem::path put(const std::string& bytes, const char* name = "a.vdb") const {
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }

  // Compares a volume with the values that the maker has written; fog(value) is what a level set becomes.
  template <class Fog>
  void expect_values(const VdbMaker& maker, Fog fog) const {
    const StoredVolume stored = open_stored_volume(put(maker.file()), {});
    const VoxelBox box = active_box();
    ASSERT_EQ(stored.info.size, box.size());
    for (uint32_t axis = 0; axis < 3; ++axis) {
      const double side = 2 + axis, first = 10.0 * (axis + 1);
      ASSERT_EQ(stored.info.spacing[axis], side);
      ASSERT_EQ(stored.info.origin[axis], first + side * (VdbMaker::kNode[axis] + box.min[axis] - 0.5));
    }
    const Int3 half = {box.size().x / 2, box.size().y / 2, box.size().z / 2};
    for (const VoxelBox& part :
         {VoxelBox{{0, 0, 0}, {31, 25, box.size().z}}, VoxelBox{half, half + Int3{20, 1, 9}},
          VoxelBox{half + Int3{5, 6, 7}, box.size()}}) {
      std::vector<std::byte> bytes(part.voxels() * stored_bytes(stored.info.type));
      stored.read(part, bytes.data());
      for (uint64_t i = 0; i < part.voxels(); ++i) {
        const Int3 at = volume::voxel_at(part, i) + box.min;
        const double found = with_stored_type(stored.info.type, [&]<class T>() {
          return static_cast<double>(stored_value<T>(bytes.data(), i));
        });
        ASSERT_EQ(found, fog(maker.value(at))) << at.x << ' ' << at.y << ' ' << at.z;
      }
    }
  }
  void expect_values(const VdbMaker& maker) const {
    expect_values(maker, [](double value) { return value; });
  }

  static const VoxelBox& active_box() {
    static const VoxelBox found = find_active_box();
    return found;
  }
  static VoxelBox find_active_box() {
    VoxelBox box = {};
    for (uint64_t i = 0; i < 128 * 128 * 128; ++i) {
      const Int3 at = volume::voxel_at({{0, 0, 0}, {128, 128, 128}}, i);
      if (!VdbMaker::is_active(at)) continue;
      const VoxelBox voxel = cube_at(at, 1);
      box = box.empty() ? voxel : hull(box, voxel);
    }
    return box;
  }

  void python(const std::string& program) const {
    std::ofstream(path("program.py")) << "import pyopenvdb as vdb, numpy as np\n" << program;
    const std::string folder = path("program.py").parent_path().string();
    ASSERT_EQ(std::system(("cd '" + folder + "' && /usr/bin/python3 program.py").c_str()), 0);
  }
  static bool has_library() {
    return std::system("/usr/bin/python3 -c 'import pyopenvdb, numpy' > /dev/null 2>&1") == 0;
  }
};

TEST_F(VdbRead, AFileOfASceneGivesTheSameScene) {
  for (const Materials materials : {Materials::None, Materials::Sixteen, Materials::Colors})
    for (const uint32_t resolution : {4u, 37u, 75u}) {
      KnownScene known = known_scene(resolution, materials, noise_grid(resolution));
      known.scene.voxel_size = {0.25, 0.5, 0.75};
      known.scene.origin = {-3, 100.125, 7};
      known.scene.up = dag::UpAxis::Z;
      write_vdb(known.scene, path("a.vdb"), std::nullopt);
      EXPECT_EQ(kind_of_input(path("a.vdb")), InputKind::Voxels);
      const dag::VoxelScene read =
          read_voxels(path("a.vdb"), {.colors = materials == Materials::Colors}).scene;
      EXPECT_EQ(read.dag.digest, known.scene.dag.digest);
      EXPECT_EQ(read.palette.colors, known.scene.palette.colors);
      EXPECT_EQ(read.palette.names, known.scene.palette.names);
      ASSERT_EQ(read.colors.has_value(), materials == Materials::Colors);
      for (uint64_t i = 0; read.colors && i < read.dag.voxels; ++i)
        ASSERT_EQ((*read.colors)[i], (*known.scene.colors)[i]) << i;
      EXPECT_EQ(read.origin, known.scene.origin);
      EXPECT_EQ(read.voxel_size, known.scene.voxel_size);
      EXPECT_EQ(read.up, dag::UpAxis::Z);
    }
}

TEST_F(VdbRead, TilesOfAllSizesAreRead) {
  const KnownScene known = known_scene(256, Materials::Sixteen, [](uint32_t x, uint32_t y, uint32_t z) {
    return x >= 128 && y < 128 && z < 128 ? 3 : x < 16 && y < 8 && z < 8 ? 4 : dag::kEmptyVoxel;
  });
  write_vdb(known.scene, path("a.vdb"), std::nullopt);
  EXPECT_EQ(read_voxels(path("a.vdb")).scene.dag.digest, known.scene.dag.digest);
}

TEST_F(VdbRead, ValuesAreReadInAllWaysOfStoringThem) {
  using Packing = VdbMaker::Packing;
  for (const Packing packing : {Packing::Plain, Packing::Zip, Packing::Blosc})
    for (const char* type : {"float", "double", "uint8"})
      for (const bool halves : {false, true})
        for (uint32_t state = 0; state <= 7; ++state) {
          SCOPED_TRACE(fmt::format("{} {} {} {}", static_cast<int>(packing), type, halves, state));
          const std::string_view name = type;
          if ((name == "uint8" && (state == 1 || state == 3)) || (halves && name == "uint8") ||
              (name == "double" && state != 3))
            continue;
          VdbMaker maker = {.type = type, .halves = halves, .background = 3, .packing = packing};
          maker.active_mask = state < 7;
          maker.state = std::min(state, 6u);
          expect_values(maker);
          if (HasFatalFailure()) return;
        }
}

TEST_F(VdbRead, AllVersionsAndTransformsAlongTheAxesAreRead) {
  for (const uint32_t version : {222u, 223u, 224u}) expect_values({.version = version});
  expect_values({.has_places = false});
  expect_values({.map = "AffineMap"});
  expect_values({.map = "UniformScaleTranslateMap"});
}

TEST_F(VdbRead, ALevelSetBecomesFog) {
  const VdbMaker maker = {.grid_class = "level set", .background = 4, .active_mask = true, .state = 3};
  expect_values(maker, [](double value) { return std::min(std::max(-value / 4, 0.0), 1.0); });
  EXPECT_EQ(kind_of_input(path("a.vdb")), InputKind::Volume);
}

TEST_F(VdbRead, WhatIsNotReadIsRefused) {
  const auto file_refused = [&](const std::string& bytes, const char* text) {
    try {
      open_volume(put(bytes), {});
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("a.vdb"), std::string::npos) << error.what();
    }
  };
  const auto refused = [&](const VdbMaker& maker, const char* text) { file_refused(maker.file(), text); };
  refused({.version = 221}, "of version 221");
  refused({.version = 225}, "of version 225");
  refused({.map = "NonlinearFrustumMap"}, "NonlinearFrustumMap");
  refused({.type = "vec3d"}, "values of type vec3d");
  refused({.grid_class = "level set"}, "background is not above 0");
  std::string nowhere = VdbMaker().file();
  const std::string place = VdbMaker::bytes(std::array<double, 3>{10, 20, 30});
  ASSERT_NE(nowhere.find(place), std::string::npos);
  nowhere.replace(nowhere.find(place), place.size(),
                  VdbMaker::bytes(std::array<double, 3>{10, std::numeric_limits<double>::infinity(), 30}));
  file_refused(nowhere, "it begins at (");
  EXPECT_THROW(read_voxels(put("VDB no")), Error);
  put(VdbMaker().file());
  EXPECT_THROW(open_volume(path("a.vdb"), {}, 1), UsageError);
}

TEST_F(VdbRead, DamagedFilesGiveErrors) {
  const VdbMaker maker = {.packing = VdbMaker::Packing::Blosc, .active_mask = true, .state = 5};
  const std::string sound = maker.file();
  for (size_t size = 0; size < sound.size(); size += size < 600 ? 7 : 997) {
    put(sound.substr(0, size));
    EXPECT_THROW(open_volume(path("a.vdb"), {}), Error) << size;
  }
}

TEST_F(VdbRead, FilesOfTheLibraryHaveItsValues) {
  if (!has_library()) GTEST_SKIP() << "python3-openvdb is not installed";
  python(R"(
rng = np.random.default_rng(5)
a = np.where(rng.random((70, 40, 150)) < 0.1, rng.integers(1, 90, (70, 40, 150)), 0).astype(np.float32)
a[8:24, 8:16, 0:64] = 5
a[0, 0, 0] = a[-1, -1, -1] = 1
for half in (False, True):
    g = vdb.FloatGrid(); g.copyFromArray(a, ijk=(-30, 5, -64)); g.name = "density"; g.saveFloatAsHalf = half
    b = vdb.BoolGrid(); b.copyFromArray(a > 0); b.name = "filled"
    c = vdb.Vec3SGrid(); c.copyFromArray(np.stack([a / 90, a / 180, 0 * a], axis=-1)); c.name = "Cd"
    vdb.write("half.vdb" if half else "full.vdb", [g, b]); vdb.write("bool.vdb", b); vdb.write("color.vdb", c)
a.transpose(2, 1, 0).tofile("a.raw")
s = vdb.createLevelSetSphere(radius=11, center=(1, 2, 3)); vdb.write("sphere.vdb", s)
d = np.zeros((27, 27, 27), np.float32); s.copyToArray(d, ijk=(-12, -11, -10))
d.transpose(2, 1, 0).tofile("sphere.raw")
)");
  const std::string raw = read_bytes(path("a.raw"));
  for (const char* name : {"full.vdb", "half.vdb"}) {
    const StoredVolume stored = open_stored_volume(path(name), {});
    ASSERT_EQ(stored.info.size, (Int3{70, 40, 150}));
    EXPECT_EQ(stored.info.origin, (Vec3d{-30.5, 4.5, -64.5}));
    std::vector<std::byte> bytes(stored.info.bytes());
    stored.read(stored.info.box(), bytes.data());
    EXPECT_EQ(std::memcmp(bytes.data(), raw.data(), raw.size()), 0) << name;
  }
  const dag::VoxelScene filled = read_voxels(path("bool.vdb")).scene,
                        colors = read_voxels(path("color.vdb"), {.colors = true}).scene;
  for (uint64_t i = 0; i < raw.size() / 4; ++i) {
    const Int3 at = volume::voxel_at({{0, 0, 0}, {70, 40, 150}}, i);
    const auto value = stored_value<float>(reinterpret_cast<const std::byte*>(raw.data()), i);
    const auto is_filled = [&](const dag::VoxelScene& scene) {
      return dag::voxel_at(scene.dag, uint32_t(at.x), uint32_t(at.y), uint32_t(at.z)) >= 0;
    };
    ASSERT_EQ(is_filled(filled), value > 0);
    ASSERT_EQ(is_filled(colors), value > 0);
  }
  ASSERT_TRUE(colors.colors);
  const StoredVolume sphere = open_stored_volume(path("sphere.vdb"), {});
  ASSERT_EQ(sphere.info.size, (Int3{27, 27, 27}))
      << "a sphere of radius 11, and less than three voxels on each side";
  std::vector<std::byte> fog(sphere.info.bytes());
  sphere.read(sphere.info.box(), fog.data());
  const std::string distances = read_bytes(path("sphere.raw"));
  for (uint64_t i = 0; i < sphere.info.box().voxels(); ++i) {
    const auto distance = stored_value<float>(reinterpret_cast<const std::byte*>(distances.data()), i);
    ASSERT_NEAR(stored_value<float>(fog.data(), i), std::clamp(-distance / 3, 0.0f, 1.0f), 1e-6);
  }
}

}  // namespace

namespace {

using namespace testing_export;
using namespace testing_vdb;

double linear(uint8_t code) {
  const double c = code / 255.0;
  return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}

// Voxels of several nodes of 128³ whose bounds begin at the grid's corner.
int sparse_grid(uint32_t x, uint32_t y, uint32_t z) {
  return (x * 7 + y * 5 + z * 3) % 31 == 0 ? static_cast<int>((x + z) % 16) : dag::kEmptyVoxel;
}

class VdbWritten : public ExportTest {
 protected:
  // Compares all grids of the file with the voxels of the region.
  void expect_grids(const KnownScene& known, const VoxelBox& region) const {
    const VdbReader file(read_bytes(path("a.vdb")));
    const bool materials = known.scene.dag.materials, colors = materials || known.scene.colors.has_value();
    EXPECT_EQ(file.grids.size(), 1u + (materials ? 1 : 0) + (colors ? 1 : 0));
    EXPECT_EQ(file.grids.at("density").type, "Tree_float_5_4_3");
    EXPECT_EQ(file.grids.at("density").metadata.at("class"), "fog volume");
    for (const auto& [name, grid] : file.grids) {
      EXPECT_EQ(grid.background, Value{});
      EXPECT_FALSE(grid.has_negative);
      for (uint32_t axis = 0; axis < 3; ++axis) {
        EXPECT_EQ(grid.sides[axis], known.scene.voxel_size[axis]);
        EXPECT_EQ(grid.shift[axis], known.scene.origin[axis] + known.scene.voxel_size[axis] * 0.5);
      }
      uint64_t voxels = 0;
      for (const ReadCube& cube : grid.cubes) {
        const VoxelBox box = cube_at(cube.corner, static_cast<uint32_t>(cube.side));
        ASSERT_EQ(intersection(box, region), box);
        voxels += box.voxels();
        for (int32_t z = box.min.z; z < box.max.z; ++z)
          for (int32_t y = box.min.y; y < box.max.y; ++y)
            for (int32_t x = box.min.x; x < box.max.x; ++x)
              if (!is_value(known, name, {x, y, z}, cube.value)) FAIL() << name << x << ' ' << y << ' ' << z;
      }
      ASSERT_EQ(voxels, known.count(region)) << name;
    }
  }

 private:
  static bool is_value(const KnownScene& known, const std::string& grid, Int3 voxel, const Value& value) {
    const int expected = known.value(voxel);
    if (expected == 0) return false;
    if (grid != "color") return value == Value{grid == "density" ? 1.0 : expected};
    const scene::Rgb8 color = known.scene.colors ? scene::unpacked_color(known.color(voxel))
                                                 : known.scene.palette.colors[size_t(expected - 1)];
    return std::abs(value[0] - linear(color.r)) < 1e-6 && std::abs(value[1] - linear(color.g)) < 1e-6 &&
           std::abs(value[2] - linear(color.b)) < 1e-6;
  }
};

TEST_F(VdbWritten, EveryVoxelStandsInEachGrid) {
  for (const Materials materials : {Materials::None, Materials::Sixteen, Materials::Colors})
    for (const uint32_t resolution : {4u, 8u, 37u}) {
      KnownScene known = known_scene(resolution, materials, noise_grid(resolution));
      known.scene.voxel_size = {0.25, 0.5, 0.75};
      known.scene.origin = {-3, 100.125, 7};
      write_vdb(known.scene, path("a.vdb"), std::nullopt);
      expect_grids(known, cube_at({0, 0, 0}, resolution));
    }
}

TEST_F(VdbWritten, OnlyVoxelsOfTheClipBoxAreWritten) {
  const KnownScene known = known_scene(70, Materials::Sixteen, noise_grid(9));
  const VoxelBox clip = {{3, 9, 30}, {66, 50, 65}};
  write_vdb(known.scene, path("a.vdb"), clip);
  expect_grids(known, clip);
}

TEST_F(VdbWritten, PartsOfOneMaterialAreTiles) {
  const KnownScene known = known_scene(256, Materials::Sixteen, [](uint32_t x, uint32_t y, uint32_t z) {
    return x < 128 && y < 128 && z < 128 ? 3 : x == 200 && y < 64 ? 4 : dag::kEmptyVoxel;
  });
  write_vdb(known.scene, path("a.vdb"), std::nullopt);
  expect_grids(known, cube_at({0, 0, 0}, 256));
  const VdbReader file(read_bytes(path("a.vdb")));
  EXPECT_EQ(file.grids.at("material").tiles, 1u);
  EXPECT_EQ(file.grids.at("material").leaves, 8u * 32u);
  EXPECT_LT(std::filesystem::file_size(path("a.vdb")), 400'000u);
}

TEST_F(VdbWritten, ASceneWithoutVoxelsHasEmptyGrids) {
  const KnownScene known = known_scene(16, Materials::Sixteen, empty_grid);
  write_vdb(known.scene, path("a.vdb"), std::nullopt);
  expect_grids(known, cube_at({0, 0, 0}, 16));
  EXPECT_TRUE(is_vdb_of_vox(path("a.vdb")));
  EXPECT_FALSE(is_vdb_of_vox(path("none.vdb")));
}

// The program reads with the OpenVDB library itself, and writes what our reader of .nvdb knows.
TEST_F(VdbWritten, TheLibraryReadsTheSameVoxels) {
  if (std::system("command -v nanovdb_convert > /dev/null 2>&1") != 0)
    GTEST_SKIP() << "nanovdb_convert is not installed";
  for (const Materials materials : {Materials::None, Materials::Sixteen, Materials::Colors}) {
    const KnownScene known = known_scene(140, materials, sparse_grid);
    write_vdb(known.scene, path("a.vdb"), std::nullopt);
    for (const char* grid : {"density", "material", "color"}) {
      if (materials == Materials::None && grid != std::string("density")) continue;
      if (materials == Materials::Colors && grid == std::string("material")) continue;
      const std::string command = fmt::format("nanovdb_convert -f -g {} '{}' '{}' > /dev/null 2>&1", grid,
                                              path("a.vdb").string(), path("a.nvdb").string());
      ASSERT_EQ(std::system(command.c_str()), 0) << grid;
      const dag::VoxelScene read = read_voxels(path("a.nvdb"), {.materials = false}).scene;
      ASSERT_EQ(read.dag.voxels, known.scene.dag.voxels) << grid;
      const VoxelBox filled = dag::filled_box(known.scene.dag);
      for (int32_t z = 0; z < 140; ++z)
        for (int32_t y = 0; y < 140; ++y)
          for (int32_t x = 0; x < 140; ++x) {
            const Int3 at = Int3{x, y, z} - filled.min;
            const bool is_filled = known.value({x, y, z}) != 0;
            ASSERT_TRUE(!is_filled ||
                        dag::voxel_at(read.dag, uint32_t(at.x), uint32_t(at.y), uint32_t(at.z)) >= 0);
          }
    }
  }
}

}  // namespace
}  // namespace vox
