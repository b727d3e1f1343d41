#include "formats/file_names.h"

#include <fmt/format.h>

#include <string>

namespace vox {

namespace fs = std::filesystem;

fs::path scene_file_name(const fs::path& input) {
  return input.filename().replace_extension(".h5");
}

fs::path picture_file_name(const fs::path& scene) {
  fs::path result = scene;
  return result.replace_filename(scene.stem().string() + "-view.png");
}

fs::path numbered_file_name(const fs::path& file, uint32_t number, uint32_t count) {
  const size_t digits = std::to_string(count - 1).size();
  fs::path result = file;
  return result.replace_filename(
      fmt::format("{}-{:0{}}{}", file.stem().string(), number, digits, file.extension().string()));
}

}  // namespace vox
