// Small binary files for tests of readers: functions that write numbers at given places, truncate or damage
// copies, and check how a reader responds.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "formats/voxels/read_voxels.h"
#include "libvox/base/error.h"
#include "libvox/dag/frozen_dag.h"

namespace vox::testing_export {

template <class T>
T number_at(const std::string& bytes, size_t at) {
  T value;
  if (at + sizeof(T) > bytes.size()) throw std::out_of_range("a test reads beyond the end of its file");
  std::memcpy(&value, bytes.data() + at, sizeof(T));
  return value;
}

inline void write_bytes(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
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
  std::ifstream file(damaged, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  for (size_t length = 0; length < bytes.size(); ++length) {
    write_bytes(damaged, bytes.substr(0, length));
    EXPECT_TRUE(is_refused(path, options)) << "of " << length << " bytes";
  }
  write_bytes(damaged, bytes);
}

// Expects that `times` copies of `damaged` with one to three changed bytes pass the check of is_refused().
inline void expect_damage_survived(const std::filesystem::path& path, const std::filesystem::path& damaged,
                                   const VoxelFileOptions& options, int times) {
  std::ifstream file(damaged, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
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
