// A small good file, damaged in every way that is tried: whoever reads it says so, or gives a scene that holds.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "formats/voxels/read_voxels.h"
#include "libvox/base/error.h"
#include "libvox/base/mix.h"

namespace vox::testing_export {

inline void write_bytes(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

inline void expect_error_or_scene(const std::filesystem::path& path, const VoxelFileOptions& options = {}) {
  try {
    const ScenePlusError read = read_voxels(path, options);
    dag::verify(read.scene.dag);
    EXPECT_TRUE(read.scene.voxel_size > 0);
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(path.string()), std::string::npos) << error.what();
  }
}

// Cuts the file off at every length, and writes other bytes at random places.
inline void expect_damage_is_survived(const std::filesystem::path& path, const std::string& good,
                                      uint64_t changes) {
  for (size_t length = 0; length < good.size(); ++length) {
    write_bytes(path, good.substr(0, length));
    EXPECT_THROW(read_voxels(path), Error) << length;
  }
  for (uint64_t i = 0; i < changes; ++i) {
    std::string bytes = good;
    const uint64_t hash = mix64(i + 1);
    for (uint64_t change = 0; change <= hash % 3; ++change) {
      const uint64_t place = mix64(hash + change);
      bytes[place % bytes.size()] = static_cast<char>(place >> 32);
    }
    write_bytes(path, bytes);
    // Matching colours, which takes longest, knows nothing of bytes.
    expect_error_or_scene(path, {.materials = i % 16 == 0});
  }
}

}  // namespace vox::testing_export
