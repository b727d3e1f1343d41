// The fixture of tests that write and read files of volumes.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "formats/scene/any_scene.h"
#include "libvox/base/error.h"
#include "tests/common/random.h"
#include "tests/common/test_process.h"
#include "tests/formats/voxels/export_scenes.h"

namespace vox {

class HeaderFiles : public testing_export::ExportTest {
 protected:
  std::filesystem::path write(const std::string& name, const std::string& content) const {
    std::ofstream(path(name), std::ios::binary) << content;
    return path(name);
  }

  // Returns all values as doubles.
  static std::vector<double> numbers(const StoredVolume& stored) {
    std::vector<std::byte> bytes(stored.info.bytes());
    stored.read(stored.info.box(), bytes.data());
    std::vector<double> numbers;
    with_stored_type(stored.info.type, [&]<class T>() {
      for (uint64_t i = 0; i < stored.info.box().voxels(); ++i)
        numbers.push_back(static_cast<double>(stored_value<T>(bytes.data(), i)));
    });
    return numbers;
  }
  std::vector<double> numbers_of(const std::string& name, std::optional<uint32_t> channel = {}) const {
    return numbers(open_stored_volume(path(name), {}, channel));
  }

  void expect_error(const std::string& name, const std::string& content, const std::string& text,
                    std::optional<uint32_t> channel = {}) const {
    const std::filesystem::path file = write(name, content);
    try {
      open_volume(file, {}, channel);
      ADD_FAILURE() << name << " was read; expected: " << text;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find(path("").string()), std::string::npos) << error.what();
    }
  }

  // Opens the file and reads all of it. An Error is as good as values.
  static void read_whatever(const std::filesystem::path& file) {
    try {
      const StoredVolume stored = open_stored_volume(file, {});
      if (stored.info.bytes() <= 1 << 20) numbers(stored);
    } catch (const Error&) {
    }
  }
};

// Returns the bytes with up to three of them changed.
inline std::string damaged(std::string bytes, Random& random) {
  for (uint32_t changes = random.below(3) + 1; changes > 0; --changes)
    bytes[random.below(static_cast<uint32_t>(bytes.size()))] = static_cast<char>(random.below(256));
  return bytes;
}

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

}  // namespace vox
