#include "tests/fuzz/targets.h"

#include <libdeflate.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>

#include "tests/common/read_bytes.h"

namespace vox::fuzz {
namespace {

namespace fs = std::filesystem;

class PrivateFolder {
 public:
  PrivateFolder() {
    std::error_code none;
    const fs::path memory = "/dev/shm";
    const fs::path above = access(memory.c_str(), W_OK) == 0 ? memory : fs::temp_directory_path();
    path_ = above / ("vox_fuzz_" + std::to_string(getpid()));
    fs::remove_all(path_, none);
    fs::create_directories(path_);
  }
  ~PrivateFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::vector<Target> all_targets() {
  std::vector<Target> all;
  for (const auto part : {mesh_targets, point_targets, volume_targets, voxel_targets, scene_targets,
                          text_targets, folder_targets, tool_targets})
    for (Target& target : part()) all.push_back(std::move(target));
  return all;
}

}  // namespace

const std::vector<Target>& targets() {
  static const std::vector<Target> all = all_targets();
  return all;
}

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "what was read is wrong: %s\n", what);
  std::abort();
}

const fs::path& folder() {
  static const PrivateFolder folder;
  return folder.path();
}

fs::path put(const std::string& name, std::string_view bytes) {
  fs::path path = folder() / name;
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return path;
}

std::string taken(const std::string& name) {
  return read_bytes(folder() / name);
}

std::string gzipped(std::string_view bytes) {
  const std::unique_ptr<libdeflate_compressor, decltype(&libdeflate_free_compressor)> compressor(
      libdeflate_alloc_compressor(1), libdeflate_free_compressor);
  std::string packed(libdeflate_gzip_compress_bound(compressor.get(), bytes.size()), '\0');
  packed.resize(
      libdeflate_gzip_compress(compressor.get(), bytes.data(), bytes.size(), packed.data(), packed.size()));
  return packed;
}

}  // namespace vox::fuzz
