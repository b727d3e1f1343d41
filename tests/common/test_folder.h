// A folder for the files of a test, and their content. Tests are built without optimization, where a loop over bytes takes long.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace vox {

// Returns the content of a file; nothing if there is none.
inline std::string read_bytes(const std::filesystem::path& file) {
  std::string bytes(std::filesystem::is_regular_file(file) ? std::filesystem::file_size(file) : 0, '\0');
  std::ifstream(file, std::ios::binary).read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return bytes;
}

inline void write_bytes(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
}

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
    write_bytes(file, content);
    return file;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace vox
