// The fixture that tests of scene files share.
#pragma once

#include <gtest/gtest.h>
#include <hdf5.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include "formats/io/h5.h"
#include "formats/scene/h5_words.h"
#include "formats/scene/scene_file.h"
#include "libvox/base/error.h"
#include "libvox/dag/frozen_dag.h"
#include "tests/common/read_bytes.h"
#include "tests/dag/dense_dag.h"

namespace vox {

namespace fs = std::filesystem;

inline dag::VoxelScene sample_scene(uint32_t resolution = 64, bool materials = true) {
  dag::VoxelScene scene;
  scene.dag = dense_dag(resolution, materials, [](uint32_t x, uint32_t y, uint32_t z) {
    uint32_t height = 20 + x * y % 7 + (x + z) / 5;
    return y == height || (x > 40 && y > 40) ? static_cast<int>((x / 7 + z / 9) % 16) : dag::kEmptyVoxel;
  });
  scene.palette.count = 3;
  for (size_t i = 0; i < scene::kPaletteSize; ++i) {
    auto c = static_cast<uint8_t>(i);
    scene.palette.colors[i] = {c, static_cast<uint8_t>(2 * c), static_cast<uint8_t>(255 - c)};
    scene.palette.names[i] = i < 3 ? "Dächer " + std::to_string(i) : "";
    scene.shares[i] = i < 3 ? 1.0 / 3 : 0;
  }
  scene.origin = {-1.5, 0.1, 1e9};
  scene.voxel_size = 0.1;
  scene.unit = materials ? scene::LengthUnit::Meter : scene::LengthUnit::Unknown;
  scene.up = dag::UpAxis::Z;
  scene.coverage = scene::Coverage::Thin;
  scene.solid = true;
  scene.source = "village.obj";
  scene.generator = "vox 0.1.0";
  scene.command = "vox-convert village.obj --res 64";
  scene.created = "2024-05-06T07:08:09Z";
  scene.history = {{"fill sphere 1 2 3", "2024-05-06T07:08:10Z", {1, 2}},
                   {std::string(5000, 'x') + "\nsecond line", "2024-05-06T07:08:11Z", {UINT64_MAX, 3}}};
  return scene;
}

inline void expect_equal_scenes(const dag::VoxelScene& a, const dag::VoxelScene& b) {
  vox::expect_equal(a.dag, b.dag);
  EXPECT_EQ(a.palette.count, b.palette.count);
  EXPECT_EQ(a.palette.colors, b.palette.colors);
  EXPECT_EQ(a.palette.names, b.palette.names);
  EXPECT_EQ(a.shares, b.shares);
  EXPECT_EQ(a.origin, b.origin);
  EXPECT_EQ(a.voxel_size, b.voxel_size);
  EXPECT_EQ(a.unit, b.unit);
  EXPECT_EQ(a.up, b.up);
  EXPECT_EQ(a.coverage, b.coverage);
  EXPECT_EQ(a.solid, b.solid);
  EXPECT_EQ(a.source, b.source);
  EXPECT_EQ(a.generator, b.generator);
  EXPECT_EQ(a.command, b.command);
  EXPECT_EQ(a.created, b.created);
  ASSERT_EQ(a.history.size(), b.history.size());
  for (size_t i = 0; i < a.history.size(); ++i) {
    EXPECT_EQ(a.history[i].script, b.history[i].script);
    EXPECT_EQ(a.history[i].time, b.history[i].time);
    EXPECT_EQ(dag::to_string(a.history[i].digest), dag::to_string(b.history[i].digest));
  }
}

inline void write_bytes(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

class SceneFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
    folder = fs::path(testing::TempDir()) / ("scene_file_" + name + std::to_string(getpid()));
    fs::create_directories(folder);
    path = folder / "scene.h5";
  }
  void TearDown() override { fs::remove_all(folder); }

  std::string problem() const {
    try {
      dag::verify(read_scene(path).dag);
      return "none";
    } catch (const Error& error) {
      return error.what();
    }
  }

  // Returns the error after a change of the file through the HDF5 library.
  template <class Change>
  std::string problem_after(Change change) const {
    write_scene(sample_scene(), path);
    hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    change(file);
    H5Fclose(file);
    return problem();
  }

  size_t files_in_folder() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
  }

  fs::path folder, path;
};

template <class T>
void replace_attribute(hid_t file, const char* object, const char* name, hid_t type, T value) {
  H5Adelete_by_name(file, object, name, H5P_DEFAULT);
  hid_t space = H5Screate(H5S_SCALAR);
  hid_t attribute = H5Acreate_by_name(file, object, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  hid_t memory = std::is_same_v<T, double> ? H5T_NATIVE_DOUBLE : H5T_NATIVE_UINT64;
  H5Awrite(attribute, memory, &value);
  H5Aclose(attribute);
  H5Sclose(space);
}

// Replaces the words of a level by others, in a dataset with these properties.
inline void replace_words(hid_t file, const char* name, hid_t type, std::vector<hsize_t> dims,
                          hid_t properties, const Words& words) {
  hid_t old = H5Dopen2(file, name, H5P_DEFAULT);
  uint64_t counts[2] = {};
  const char* attributes[2] = {"nodes", "svo_nodes"};
  for (int i : {0, 1}) {
    hid_t attribute = H5Aopen(old, attributes[i], H5P_DEFAULT);
    H5Aread(attribute, H5T_NATIVE_UINT64, &counts[i]);
    H5Aclose(attribute);
  }
  H5Dclose(old);
  H5Ldelete(file, name, H5P_DEFAULT);
  hid_t space = H5Screate_simple(static_cast<int>(dims.size()), dims.data(), nullptr);
  hid_t dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
  if (!words.empty()) H5Dwrite(dataset, H5T_NATIVE_UINT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, words.data());
  H5Dclose(dataset);
  H5Sclose(space);
  for (int i : {0, 1}) {
    hid_t scalar = H5Screate(H5S_SCALAR);
    hid_t attribute = H5Acreate_by_name(file, name, attributes[i], H5T_STD_U64LE, scalar, H5P_DEFAULT,
                                        H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(attribute, H5T_NATIVE_UINT64, &counts[i]);
    H5Aclose(attribute);
    H5Sclose(scalar);
  }
  replace_attribute(file, name, "child_bytes", H5T_STD_U32LE, uint64_t{4});
}

constexpr const char* kLevel3 = "/svdag/level_03/words";

}  // namespace vox
