// Writes the layers of a scene as pictures for printers and image programs: a folder of PNG files, one for each layer
// of voxels. slices.json states the size and the place of the voxels and the meaning of the pixels.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "formats/io/overwrite.h"
#include "libvox/base/geometry.h"
#include "libvox/dag/voxel_scene.h"

namespace vox {

struct LayerOptions {
  std::optional<uint32_t> axis =
      {};                    // the axis along which layers follow each other; absent: the axis that points up
  bool by_material = false;  // true: a folder for each material, with pictures of one bit a pixel
  Overwrite overwrite = Overwrite::OwnFiles;
};

// The names of pictures: "slices/%05d.png" is slices/00000.png, slices/00001.png, …
class SliceNames {
 public:
  // Throws UsageError if the path has no place for a number, or names no separate folder.
  explicit SliceNames(const std::filesystem::path& pattern);

  const std::filesystem::path& folder() const { return folder_; }
  std::string name(uint32_t number) const;

 private:
  std::filesystem::path folder_;
  std::string before_, behind_;
  uint32_t digits_ = 0;
};

bool is_slices_path(const std::filesystem::path& path);

// True if the file at this path in a folder of slices was written by write_slices().
bool is_slice_of_vox(const std::filesystem::path& folder, const std::filesystem::path& relative);

// Layer n of the region is picture n. Columns and rows of pixels are voxels along the other two axes in order, from low
// to high. A pixel is a palette entry: material + 1 (1 without materials), or 0 for an empty voxel. In a scene with
// 24-bit colors, it is red, green, blue and alpha. The folder appears complete or not at all.
void write_slices(const dag::VoxelScene& scene, const std::filesystem::path& pattern,
                  const std::optional<VoxelBox>& clip, const LayerOptions& options);

}  // namespace vox
