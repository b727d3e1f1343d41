// Scenes with known voxels for the tests of the exports, with folders and limits on file sizes.
#pragma once

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "formats/voxels/voxel_file.h"
#include "libvox/base/bits.h"
#include "libvox/base/error.h"
#include "libvox/base/geometry.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/dag/voxel_scene.h"
#include "libvox/dag/walk.h"
#include "tests/common/test_process.h"
#include "tests/dag/dense_dag.h"

namespace vox::testing_export {

// A grid in which one voxel in ten has a random material, and with a solid box that contains whole nodes.
inline DenseGrid noise_grid(uint64_t seed) {
  return [seed](uint32_t x, uint32_t y, uint32_t z) {
    if (x >= 8 && x < 35 && y >= 8 && y < 24 && z >= 5 && z < 17) return 11;
    uint64_t hash = mix64(seed ^ mix64(x | uint64_t{y} << 20 | uint64_t{z} << 40));
    return hash % 10 == 0 ? static_cast<int>(hash >> 8 & 15) : dag::kEmptyVoxel;
  };
}
inline int empty_grid(uint32_t, uint32_t, uint32_t) {
  return dag::kEmptyVoxel;
}
inline int full_grid(uint32_t, uint32_t, uint32_t) {
  return 7;
}
// A grid with few voxels, for files of a few hundred bytes.
inline int diagonal_grid(uint32_t x, uint32_t y, uint32_t z) {
  return x == y && y == z && x % 3 == 0 ? static_cast<int>(x) : dag::kEmptyVoxel;
}

struct KnownScene {
  dag::VoxelScene scene;
  DenseGrid grid;

  // Returns the value that the dense formats have for the voxel.
  int value(Int3 v) const {
    auto r = static_cast<int32_t>(scene.dag.resolution);
    if (v.x < 0 || v.y < 0 || v.z < 0 || v.x >= r || v.y >= r || v.z >= r) return 0;
    int material = grid(uint32_t(v.x), uint32_t(v.y), uint32_t(v.z));
    return material == dag::kEmptyVoxel ? 0 : scene.dag.materials ? material + 1 : 1;
  }

  // Returns the packed color of a filled voxel of a scene that is made with Materials::Colors. Some neighbors have the
  // same one.
  uint32_t color(Int3 v) const {
    const auto at = [](int32_t coordinate) { return static_cast<uint64_t>(coordinate); };
    return static_cast<uint32_t>(mix64(at(v.x / 3) << 40 | at(v.y / 3) << 20 | at(v.z / 2))) & 0xffffff;
  }

  uint64_t count(const VoxelBox& box) const {
    uint64_t filled = 0;
    for (int32_t z = box.min.z; z < box.max.z; ++z)
      for (int32_t y = box.min.y; y < box.max.y; ++y)
        for (int32_t x = box.min.x; x < box.max.x; ++x) filled += value({x, y, z}) != 0;
    return filled;
  }
};

enum class Materials { None, Sixteen, Colors };

inline KnownScene known_scene(uint32_t resolution, Materials materials, const DenseGrid& grid) {
  KnownScene known;
  known.grid = grid;
  known.scene.dag = dense_dag(resolution, materials == Materials::Sixteen, grid);
  if (materials == Materials::Sixteen) {
    known.scene.palette.count = scene::kPaletteSize;
    for (uint32_t i = 0; i < scene::kPaletteSize; ++i) {
      auto shade = static_cast<uint8_t>(10 * i);
      known.scene.palette.colors[i] = {shade, static_cast<uint8_t>(shade + 1),
                                       static_cast<uint8_t>(200 - shade)};
      known.scene.palette.names[i] = "color " + std::to_string(i);
    }
  }
  if (materials == Materials::Colors) {
    attributes::ValueWriter colors;
    dag::for_each_leaf(
        known.scene.dag, cube_at({0, 0, 0}, resolution), [&](Int3 corner, uint64_t mask, const uint32_t*) {
          for (; mask != 0; mask &= mask - 1)
            colors.put(known.color(corner + cube_place(static_cast<uint32_t>(lowest_bit(mask)))));
        });
    known.scene.colors = colors.finish();
  }
  return known;
}

// Puts the scene, whose resolution is a power of two, into those octants of a cube of twice its size that the
// mask `children` names, and repeats this `times` times. The result is a large scene with few nodes.
inline KnownScene repeated(KnownScene known, uint32_t children, int times) {
  dag::FrozenDag& dag = known.scene.dag;
  for (int i = 0; i < times; ++i) {
    uint32_t half = dag.resolution;
    bool solid = children == 0xff && dag.depth() > 0 && dag::is_homogeneous(dag.levels[0].words[0]);
    dag::DagLevel root;
    root.words.assign(1 + static_cast<size_t>(std::popcount(children)), 0);
    root.words[0] = solid ? dag.levels[0].words[0] : children;
    dag.levels.insert(dag.levels.begin(), root);
    dag.resolution *= 2;
    dag::place_nodes(dag);
    dag.voxels *= static_cast<uint64_t>(std::popcount(children));
    known.grid = [inner = known.grid, half, children](uint32_t x, uint32_t y, uint32_t z) {
      uint32_t child = (x >= half) | uint32_t{y >= half} << 1 | uint32_t{z >= half} << 2;
      return (children >> child & 1) != 0 ? inner(x % half, y % half, z % half) : dag::kEmptyVoxel;
    };
  }
  return known;
}

// A separate folder for each test, which is removed at its end.
class ExportTest : public testing::Test {
 protected:
  ExportTest() {
    const testing::TestInfo* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(testing::TempDir()) /
              (std::string(test->test_suite_name()) + "." + test->name() + "." + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  ~ExportTest() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path path(const std::string& name) const { return folder_ / name; }
  bool folder_is_empty() const { return std::filesystem::is_empty(folder_); }

 private:
  std::filesystem::path folder_;
};

// While it lives, files cannot grow beyond `bytes`, as if the disk were full.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(uint64_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limit = {bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  void (*handler_)(int);
  rlimit before_ = {};
};

// Small binary files for tests of readers: functions that write numbers at given places, truncate or damage
// copies, and check how a reader responds.

template <class T>
T number_at(const std::string& bytes, size_t at) {
  T value;
  if (at + sizeof(T) > bytes.size()) throw std::out_of_range("a test reads beyond the end of its file");
  std::memcpy(&value, bytes.data() + at, sizeof(T));
  return value;
}

// Reads the file. The result must be a correct scene or an Error that names a file; returns true for an
// Error.
inline bool is_refused(const std::filesystem::path& path, const VoxelFileOptions& options) {
  try {
    dag::verify(read_voxels(path, options).scene.dag);
    return false;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(path.parent_path().string()), std::string::npos) << error.what();
    return true;
  }
}

// Expects that every truncation of `damaged` is refused when `path` is read.
inline void expect_truncations_refused(const std::filesystem::path& path,
                                       const std::filesystem::path& damaged,
                                       const VoxelFileOptions& options) {
  const std::string bytes = read_bytes(damaged);
  for (size_t length = 0; length < bytes.size(); ++length) {
    write_bytes(damaged, bytes.substr(0, length));
    EXPECT_TRUE(is_refused(path, options)) << "of " << length << " bytes";
  }
  write_bytes(damaged, bytes);
}

// Expects that `times` copies of `damaged` with one to three changed bytes pass the check of is_refused().
inline void expect_damage_survived(const std::filesystem::path& path, const std::filesystem::path& damaged,
                                   const VoxelFileOptions& options, int times) {
  const std::string bytes = read_bytes(damaged);
  std::mt19937 random(7);
  for (int i = 0; i < times; ++i) {
    std::string changed = bytes;
    for (auto n = random() % 3 + 1; n > 0; --n)
      changed[random() % changed.size()] = static_cast<char>(random());
    write_bytes(damaged, changed);
    is_refused(path, options);
  }
  write_bytes(damaged, bytes);
}

// Does both with a file of these bytes.
inline void expect_damage_is_survived(const std::filesystem::path& path, const std::string& good, int times) {
  write_bytes(path, good);
  expect_truncations_refused(path, path, {});
  expect_damage_survived(path, path, {.materials = false}, times);
}

}  // namespace vox::testing_export
