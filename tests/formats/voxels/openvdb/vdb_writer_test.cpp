#include <fmt/format.h>
#include <libdeflate.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>

#include "formats/voxels/export.h"
#include "formats/voxels/openvdb/vdb.h"
#include "formats/voxels/voxel_formats.h"
#include "libvox/scene/oklab.h"
#include "libvox/scene/palette.h"
#include "libvox/voxelize/distances.h"
#include "tests/common/random.h"
#include "tests/formats/voxels/export_scenes.h"
#include "tests/formats/voxels/nanovdb/nvdb_bytes.h"

namespace vox {
namespace {

using namespace testing_export;

using Value = std::array<double, 3>;  // the others are 0 in a grid of single numbers

// A voxel or a tile.
struct ReadCube {
  Int3 corner;
  int32_t side;
  Value value;
};

// A grid as the file has it, and the transform.
struct ReadGrid {
  std::string type;
  std::map<std::string, std::string> metadata;
  Vec3d shift, sides;
  std::vector<ReadCube> cubes;
  uint64_t tiles = 0, leaves = 0;
  Value background = {};
  bool has_negative = false;  // inactive values may be the background's negative
};

// Reads a .vdb file of version 224 with the compression ZIP | ACTIVE_MASK by the layout of OpenVDB's io and tree, and
// shares nothing with the library.
class VdbReader {
 public:
  explicit VdbReader(std::string bytes) : bytes_(std::move(bytes)) {
    EXPECT_EQ(number<uint64_t>(), 0x56444220u);
    EXPECT_EQ(number<uint32_t>(), 224u);
    at_ += 8;
    EXPECT_EQ(number<uint8_t>(), 1);
    const std::string name = bytes_.substr(at_, 36);
    EXPECT_EQ(std::string({name[8], name[13], name[18], name[23]}), "----");
    at_ += 36;
    EXPECT_EQ(metadata().at("creator"), "vox");
    for (auto grids = number<uint32_t>(); grids > 0; --grids) read_grid();
    EXPECT_EQ(at_, bytes_.size());
  }

  std::map<std::string, ReadGrid> grids;

 private:
  template <class T>
  T number() {
    at_ += sizeof(T);
    return number_at<T>(bytes_, at_ - sizeof(T));
  }
  std::string text() {
    const auto size = number<uint32_t>();
    at_ += size;
    return bytes_.substr(at_ - size, size);
  }
  std::map<std::string, std::string> metadata() {
    std::map<std::string, std::string> found;
    for (auto count = number<uint32_t>(); count > 0; --count) {
      const std::string name = text();
      EXPECT_EQ(text(), "string");
      found[name] = text();
    }
    return found;
  }
  Vec3d vector() {
    const auto x = number<double>(), y = number<double>();
    return {x, y, number<double>()};
  }
  std::vector<bool> mask(size_t bits) {
    std::vector<bool> mask(bits);
    for (size_t i = 0; i < bits; ++i)
      mask[i] = (static_cast<uint8_t>(bytes_.at(at_ + i / 8)) >> i % 8 & 1) != 0;
    at_ += bits / 8;
    return mask;
  }
  Value value_of(const std::string& bytes, size_t at) const {
    Value value = {};
    for (size_t i = 0; i < value_bytes_ / 4; ++i)
      value[i] = grid_->type == "Tree_int32_5_4_3" ? number_at<int32_t>(bytes, at + 4 * i)
                                                   : double{number_at<float>(bytes, at + 4 * i)};
    return value;
  }
  // Returns the values of the bits that are set.
  std::vector<Value> values(const std::vector<bool>& active) {
    const auto inactive = number<uint8_t>();  // 0: the background, 1: its negative, 3: one of them by a mask
    EXPECT_TRUE(inactive == 0 || inactive == 1 || inactive == 3) << "only active values are stored";
    grid_->has_negative = grid_->has_negative || inactive != 0;
    if (inactive == 3) mask(active.size());
    const auto count = static_cast<size_t>(std::ranges::count(active, true));
    const auto size = number<int64_t>();
    std::string bytes(count * value_bytes_, '\0');
    if (size <= 0) {
      EXPECT_EQ(static_cast<size_t>(-size), bytes.size());
      bytes = bytes_.substr(at_, bytes.size());
      at_ += bytes.size();
    } else {
      libdeflate_decompressor* decompressor = libdeflate_alloc_decompressor();
      EXPECT_EQ(libdeflate_zlib_decompress(decompressor, bytes_.data() + at_, static_cast<size_t>(size),
                                           bytes.data(), bytes.size(), nullptr),
                LIBDEFLATE_SUCCESS);
      libdeflate_free_decompressor(decompressor);
      at_ += static_cast<size_t>(size);
    }
    std::vector<Value> all;
    for (size_t i = 0; i < count; ++i) all.push_back(value_of(bytes, i * value_bytes_));
    return all;
  }

  static Int3 place(Int3 corner, size_t entry, int bits, int32_t side) {
    const auto along = [&](int shift) {
      return static_cast<int32_t>(entry >> shift & ((1u << bits) - 1)) * side;
    };
    return corner + Int3{along(2 * bits), along(bits), along(0)};
  }
  void put(Int3 corner, int32_t side, const Value& value) {
    grid_->cubes.push_back({corner, side, value});
    grid_->tiles += side > 1 ? 1 : 0;
  }

  // Reads the topology of a node with children of this side.
  void read_node(Int3 corner, int bits, int32_t child_side) {
    const size_t entries = size_t{1} << 3 * bits;
    const std::vector<bool> children = mask(entries), active = mask(entries);
    const std::vector<Value> tiles = values(active);
    for (size_t i = 0, tile = 0; i < entries; ++i) {
      EXPECT_FALSE(children[i] && active[i]);
      if (active[i]) put(place(corner, i, bits, child_side), child_side, tiles[tile++]);
    }
    for (size_t i = 0; i < entries; ++i) {
      if (!children[i]) continue;
      const Int3 child = place(corner, i, bits, child_side);
      if (child_side == 128)
        read_node(child, 4, 8);
      else
        leaves_.emplace_back(child, mask(512));
    }
  }
  Int3 corner() {
    const auto x = number<int32_t>(), y = number<int32_t>();
    return {x, y, number<int32_t>()};
  }

  void read_grid() {
    const std::string name = text();
    grid_ = &grids[name];
    grid_->type = text();
    value_bytes_ = grid_->type == "Tree_vec3s_5_4_3" ? 12 : 4;
    EXPECT_EQ(text(), "");
    const auto begin = number<int64_t>(), block = number<int64_t>(), end = number<int64_t>();
    EXPECT_EQ(begin, static_cast<int64_t>(at_));
    EXPECT_EQ(number<uint32_t>(), 3u);
    grid_->metadata = metadata();
    EXPECT_EQ(grid_->metadata.at("name"), name);
    EXPECT_EQ(text(), "ScaleTranslateMap");
    grid_->shift = vector();
    grid_->sides = vector();
    const Vec3d s = grid_->sides;
    EXPECT_EQ(vector(), s);
    EXPECT_EQ(vector(), (Vec3d{1 / s.x, 1 / s.y, 1 / s.z}));
    for (const double factor : {1.0, 0.5}) {
      const Vec3d found = vector();
      for (uint32_t axis = 0; axis < 3; ++axis)
        EXPECT_NEAR(found[axis] * s[axis] * (factor == 1 ? s[axis] : 1), factor, 1e-12);
    }
    EXPECT_EQ(number<uint32_t>(), 1u);
    grid_->background = value_of(bytes_, at_);
    at_ += value_bytes_;
    const auto tiles = number<uint32_t>(), children = number<uint32_t>();
    for (uint32_t i = 0; i < tiles; ++i) {
      const Int3 at = corner();
      put(at, 4096, value_of(bytes_, at_));
      at_ += value_bytes_;
      EXPECT_EQ(number<uint8_t>(), 1);
    }
    for (uint32_t i = 0; i < children; ++i) read_node(corner(), 5, 128);
    EXPECT_EQ(block, static_cast<int64_t>(at_));
    for (const auto& [at, active] : leaves_) {
      EXPECT_EQ(mask(512), active);
      const std::vector<Value> of_leaf = values(active);
      for (size_t i = 0, next = 0; i < active.size(); ++i)
        if (active[i]) put(place(at, i, 3, 1), 1, of_leaf[next++]);
    }
    grid_->leaves = leaves_.size();
    leaves_.clear();
    EXPECT_EQ(end, static_cast<int64_t>(at_));
  }

  std::string bytes_;
  size_t at_ = 0, value_bytes_ = 4;
  ReadGrid* grid_ = nullptr;
  std::vector<std::pair<Int3, std::vector<bool>>> leaves_;
};

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

// Distances to sixty triangles of three materials, on a grid of 140³ voxels.
struct KnownDistances {
  static constexpr uint32_t kSide = 140;

  explicit KnownDistances(bool solid) : field(scene, indexed, grid, options(solid)) {
    const VoxelBox box = cube_at({0, 0, 0}, kSide);
    field.distance_volume().read(box, reinterpret_cast<std::byte*>(distances.data()));
    field.material_volume().read(box, reinterpret_cast<std::byte*>(materials.data()));
  }
  static scene::Scene triangles() {
    Random random(5);
    scene::Scene scene;
    for (const char* name : {"a", "b", "c"}) scene.materials.push_back({.name = name});
    for (uint32_t i = 0; i < 60; ++i) {
      const Vec3d middle = random.in_cube(0, 70);
      for (uint32_t corner = 0; corner < 3; ++corner)
        scene.positions.push_back(middle + random.in_cube(-9, 9));
      scene.triangles.push_back(
          {{3 * i, 3 * i + 1, 3 * i + 2}, {scene::kNone, scene::kNone, scene::kNone}, i % 3});
    }
    return scene;
  }
  static voxelize::DistanceOptions options(bool solid) {
    voxelize::DistanceOptions options = {.band = 2.5};
    if (solid) options.inside = voxelize::InsideRule::Parity;
    return options;
  }
  static size_t place(Int3 at) {
    return static_cast<size_t>(at.x) + kSide * (static_cast<size_t>(at.y) + kSide * size_t(at.z));
  }

  scene::Scene scene = triangles();
  scene::IndexedScene indexed =
      scene::index_scene(scene, scene::mesh_palette(scene), scene::MaterialMode::Mesh);
  voxelize::Grid grid = {.resolution = kSide, .origin = {1, 2, 3}, .voxel_size = 0.5};
  voxelize::DistanceField field;
  std::vector<float> distances = std::vector<float>(size_t{kSide} * kSide * kSide);
  std::vector<uint8_t> materials = std::vector<uint8_t>(distances.size());
};

TEST_F(VdbWritten, DistancesAndMaterialsAreThoseOfTheField) {
  for (const bool solid : {false, true}) {
    const KnownDistances known(solid);
    write_vdb(known.field, path("a.vdb"), {.has_signs = solid, .materials = true});
    const VdbReader file(read_bytes(path("a.vdb")));
    EXPECT_EQ(file.grids.at("sdf").background, Value{1.25});
    EXPECT_EQ(file.grids.at("sdf").has_negative, solid);
    EXPECT_EQ(file.grids.at("sdf").metadata.at("class"), solid ? "level set" : "unknown");
    EXPECT_EQ(file.grids.at("material").background, Value{});
    const auto near =
        std::ranges::count_if(known.distances, [](float value) { return std::abs(value) < 1.25f; });
    EXPECT_GT(near, 10'000);
    for (const auto& [name, read] : file.grids) {
      EXPECT_EQ(std::ssize(read.cubes), near);
      EXPECT_EQ(read.shift, (Vec3d{1.25, 2.25, 3.25}));
      for (const ReadCube& cube : read.cubes) {
        ASSERT_EQ(cube.side, 1);
        const size_t place = KnownDistances::place(cube.corner);
        ASSERT_LT(std::abs(known.distances[place]), 1.25f);
        ASSERT_EQ(cube.value[0], name == "sdf" ? double{known.distances[place]}
                                               : static_cast<double>(known.materials[place]));
      }
    }
  }
}

TEST_F(VdbWritten, DistancesOfNanoVdbAreThoseOfTheField) {
  const KnownDistances known(true);
  for (const Floats floats : {Floats::F32, Floats::F16}) {
    write_nvdb(known.field, path("a.nvdb"), {.signs = DistanceSigns::Yes, .floats = floats});
    const std::string bytes = read_bytes(path("a.nvdb"));
    EXPECT_TRUE(is_nvdb_of_vox(bytes));
    testing_nvdb::NvdbLookup file(bytes);
    EXPECT_EQ(file.places().type, floats == Floats::F32 ? 1u : 15u);
    EXPECT_EQ(file.get<uint32_t>(file.places().grid + 632), 1u);  // a level set
    // Distances are those of the voxels' centers, as in a .vdb file.
    for (uint32_t axis = 0; axis < 3; ++axis)
      EXPECT_EQ(file.get<double>(file.places().grid + 528 + 8 * axis), 1.25 + axis);
    uint64_t active = 0;
    const float most = floats == Floats::F32 ? 0 : 2.5f / 65535 * 0.51f;
    for (Int3 at = {0, 0, 0}; at.z < 140; ++at.z)
      for (at.y = 0; at.y < 140; ++at.y)
        for (at.x = 0; at.x < 140; ++at.x) {
          const float expected = known.distances[KnownDistances::place(at)];
          const bool is_active = std::abs(expected) < 1.25f;
          active += is_active ? 1 : 0;
          // The first voxel of a cube without a brick decides for all of it.
          file.finds_inactive = (at.x | at.y | at.z) % 8 == 0;
          const std::optional<uint64_t> found = file.value(at);
          ASSERT_EQ(found.has_value(), is_active || file.finds_inactive);
          if (!found) continue;
          const auto low = static_cast<uint32_t>(*found);
          float value = 0;
          std::memcpy(&value, &low, sizeof value);
          ASSERT_NEAR(value, expected, most);
        }
    EXPECT_EQ(file.get<uint64_t>(file.places().tree + 56), active);
    const dag::VoxelScene read = read_voxels(path("a.nvdb"), {.materials = false}).scene;
    EXPECT_EQ(read.dag.voxels, active);
    EXPECT_EQ(read.origin, (Vec3d{1, 2, 3}));
  }
  write_nvdb(known.field, path("b.nvdb"), {});
  const testing_nvdb::NvdbLookup file(read_bytes(path("b.nvdb")));
  EXPECT_EQ(file.get<uint32_t>(file.places().grid + 632), 0u);
}

TEST_F(VdbWritten, MaterialsOfNanoVdbAreASecondGrid) {
  const KnownDistances known(true);
  write_nvdb(known.field, path("a.nvdb"), {.signs = DistanceSigns::Yes});
  write_nvdb(known.field, path("b.nvdb"), {.signs = DistanceSigns::Yes, .materials = true});
  const std::string alone = read_bytes(path("a.nvdb")), both = read_bytes(path("b.nvdb"));
  EXPECT_TRUE(is_nvdb_of_vox(both));
  ASSERT_TRUE(both.starts_with(alone));
  testing_nvdb::NvdbLookup file(both.substr(alone.size()));
  EXPECT_EQ(file.places().type, 14u);                           // Fp8
  EXPECT_EQ(file.get<uint32_t>(file.places().grid + 632), 0u);  // of no class
  file.finds_inactive = true;
  uint64_t near = 0;
  for (Int3 at = {0, 0, 0}; at.z < 140; ++at.z)
    for (at.y = 0; at.y < 140; ++at.y)
      for (at.x = 0; at.x < 140; ++at.x) {
        const size_t place = KnownDistances::place(at);
        const bool is_near = std::abs(known.distances[place]) < 1.25f;
        const auto bits = static_cast<uint32_t>(file.value(at).value());
        float value = -1;
        std::memcpy(&value, &bits, sizeof value);
        ASSERT_EQ(value, is_near ? static_cast<float>(known.materials[place]) : 0.f);
        near += is_near ? 1 : 0;
      }
  EXPECT_EQ(file.get<uint64_t>(file.places().tree + 56), near);
  if (std::system("command -v nanovdb_validate > /dev/null 2>&1") != 0) return;
  EXPECT_EQ(std::system(fmt::format("nanovdb_validate '{}' > /dev/null", path("b.nvdb").string()).c_str()),
            0);
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
