// Small files that tests of the readers write for themselves.
#pragma once

#include <gtest/gtest.h>
#include <stb_image_write.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "libvox/scene/scene.h"

namespace vox {

// A separate folder for one test, which is removed at its end.
class TestFolder {
 public:
  TestFolder() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    path_ = std::filesystem::path(testing::TempDir()) /
            (std::string("vox_") + test->test_suite_name() + "_" + test->name());
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~TestFolder() { std::filesystem::remove_all(path_); }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

  // Writes a file and creates the folders above it.
  std::filesystem::path write(const std::string& name, const std::string& content) const {
    std::filesystem::path file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << content;
    return file;
  }

 private:
  std::filesystem::path path_;
};

inline std::string read_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Opaque colours of images.
inline constexpr scene::Rgba8 kBlack = {0, 0, 0, 255}, kRed = {255, 0, 0, 255}, kGreen = {0, 255, 0, 255},
                              kBlue = {0, 0, 255, 255};

using ImageWriter = int(stbi_write_func*, void*, int, int, int, const void*);

inline int write_jpg(stbi_write_func* write, void* context, int width, int height, int channels,
                     const void* data) {
  return stbi_write_jpg_to_func(write, context, width, height, channels, data, 95);
}
inline int write_png(stbi_write_func* write, void* context, int width, int height, int channels,
                     const void* data) {
  return stbi_write_png_to_func(write, context, width, height, channels, data, 0);
}

inline std::string encoded(ImageWriter* writer, uint32_t width, uint32_t height,
                           const std::vector<scene::Rgba8>& pixels) {
  std::string file;
  auto append = [](void* to, void* data, int size) {
    static_cast<std::string*>(to)->append(static_cast<char*>(data), static_cast<size_t>(size));
  };
  writer(append, &file, static_cast<int>(width), static_cast<int>(height), 4, pixels.data());
  return file;
}

inline std::string png(uint32_t width, uint32_t height, const std::vector<scene::Rgba8>& pixels) {
  return encoded(write_png, width, height, pixels);
}

inline std::string base64(const std::string& bytes) {
  const char* digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    auto byte = [&](size_t at) { return at < bytes.size() ? static_cast<uint8_t>(bytes[at]) : 0u; };
    uint32_t bits = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    for (size_t k = 0; k < 4; ++k) text += i + k > bytes.size() ? '=' : digits[bits >> (18 - 6 * k) & 63];
  }
  return text;
}

}  // namespace vox
