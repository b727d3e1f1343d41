// The fixture that tests of scene files share, and a scene in each form that the words of its SVDAG may have in a file.
#pragma once

#include <gtest/gtest.h>
#include <hdf5.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "formats/io/h5.h"
#include "formats/scene/groups.h"
#include "formats/scene/scene_file.h"
#include "formats/scene/scene_parts.h"
#include "libvox/base/error.h"
#include "libvox/dag/frozen_dag.h"
#include "tests/common/test_process.h"
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

// Writes a scene in each form that the words of its SVDAG may have in a file.

inline std::vector<uint64_t> write_parts(const std::vector<dag::DagPart>& parts,
                                         const std::filesystem::path& path, bool materials) {
  std::vector<uint64_t> checks;
  for (uint32_t i = 0; i < parts.size(); ++i)
    checks.push_back(write_scene_part(parts[i], {.scene = path, .number = i, .materials = materials}).check);
  return checks;
}

inline dag::VoxelScene without_words(dag::VoxelScene scene) {
  for (dag::DagLevel& level : scene.dag.levels) {
    level.words.clear();
    level.places = {};
  }
  return scene;
}

// Writes the scene in parts and returns their paths.
inline std::vector<std::filesystem::path> write_in_parts(const dag::VoxelScene& scene,
                                                         const std::filesystem::path& path, uint32_t count) {
  write_scene_head(without_words(scene), write_parts(parts_of(scene.dag, count), path, scene.dag.materials),
                   path);
  return named_parts(path);
}

inline h5::Object open_to_change(const std::filesystem::path& path) {
  return {h5::Handle(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose), path.string(), ""};
}

// Replaces the words and starts of a level, with child numbers of 8 bytes.
inline void replace_level(const h5::Object& file, const dag::DagLevel& facts, uint32_t level,
                          const Words& words, const std::vector<uint64_t>& starts) {
  const h5::Object group = h5::open_group(h5::open_group(file, "svdag"), level_group_name(level));
  for (const char* name : {"words", "starts"}) H5Ldelete(group.id, name, H5P_DEFAULT);
  const h5::Object to = h5::write_words(group, "words", words, {});
  h5::write_attribute(to, "nodes", facts.nodes);
  h5::write_attribute(to, "svo_nodes", facts.svo_nodes);
  h5::write_attribute(to, "child_bytes", uint32_t{8});
  h5::write_words(group, "starts", starts, {});
}

// Writes a scene whose child numbers have 8 bytes. `change` may damage the words and the starts of a level.
template <class Change>
void write_long_numbers(const dag::VoxelScene& scene, const std::filesystem::path& path,
                        const Change& change) {
  write_scene(scene, path);
  const h5::Object file = open_to_change(path);
  for (uint32_t level = 0; level < scene.dag.depth(); ++level) {
    const dag::DagLevel& here = scene.dag.levels[level];
    Words words;
    std::vector<uint64_t> starts;
    for (uint64_t number = 0; number < here.places.nodes(); ++number) {
      if (number % dag::kStartEvery == 0) starts.push_back(words.size());
      const uint32_t* node = here.node(number);
      words.push_back(node[0]);
      for (uint32_t i = 1; i < dag::node_words(node[0]); ++i) words.insert(words.end(), {node[i], 0});
    }
    change(level, words, starts);
    replace_level(file, here, level, words, starts);
  }
}

enum class StoredForm { OneFile, OnePart, Parts, LongNumbers };
inline constexpr StoredForm kStoredForms[] = {StoredForm::OneFile, StoredForm::OnePart, StoredForm::Parts,
                                              StoredForm::LongNumbers};

inline void write_as(StoredForm form, const dag::VoxelScene& scene, const std::filesystem::path& path) {
  if (form == StoredForm::OneFile) write_scene(scene, path);
  if (form == StoredForm::OnePart) write_in_parts(scene, path, 1);
  if (form == StoredForm::Parts) write_in_parts(scene, path, 5);
  if (form == StoredForm::LongNumbers) write_long_numbers(scene, path, [](uint32_t, Words&, auto&) {});
}

}  // namespace vox
