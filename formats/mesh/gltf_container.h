// A glTF file as stored on disk: JSON text, and the data that follows it in a GLB (glTF 2.0, §4.4).
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

#include "formats/io/mapped_file.h"

namespace vox {

class GltfContainer {
 public:
  // Throws Error, for example if a GLB is truncated. The content decides if it is a GLB or JSON, not the
  // name.
  explicit GltfContainer(const std::filesystem::path& path);

  std::string_view json() const { return json_; }
  std::span<const std::byte> binary() const { return binary_; }  // empty if there is none

 private:
  void split(std::span<const std::byte> file);

  MappedFile file_;
  std::string_view json_;
  std::span<const std::byte> binary_;
};

}  // namespace vox
