// A glTF file as it lies on the disk: JSON text, and the bytes that a GLB carries behind it (glTF 2.0, §4.4).
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

#include "formats/io/mapped_file.h"

namespace vox {

class GltfContainer {
 public:
  // Throws Error, also where a GLB was cut off. The content decides whether it is a GLB or JSON, not the
  // name.
  explicit GltfContainer(const std::filesystem::path& path);

  std::string_view json() const { return json_; }
  std::span<const std::byte> binary() const { return binary_; }  // empty where there is none

 private:
  void split(std::span<const std::byte> file);

  MappedFile file_;
  std::string_view json_;
  std::span<const std::byte> binary_;
};

}  // namespace vox
