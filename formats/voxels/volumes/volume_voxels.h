// Makes the voxels of a scene from the values of a volume.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "formats/volume/stored_volume.h"
#include "formats/voxels/voxel_file.h"
#include "libvox/scene/palette.h"

namespace vox {

// Converts the values of a volume to the materials of a scene: as bins of their range, or as labels.

struct VolumeMaterials {
  enum class Kind {
    Bins,    // `count` parts of the range, all equally wide
    Labels,  // each number is a material
    None     // voxels are only filled or empty
  };
  Kind kind = Kind::Bins;
  // The number of entries. If absent, it is 16 for bins, or the palette's number of colors. If there are
  // more labels, those with the most voxels have an entry each and all others share the last one; if it
  // is absent, too many labels are an error.
  std::optional<uint32_t> count = {};
};

inline constexpr uint8_t kNoEntry = 0xff;  // the entry of an empty voxel

// The materials for the values of a volume, chosen with all of its values.
struct ValueEntries {
  scene::Palette palette;  // empty for Kind::None
  // Writes the entry of each of `count` values.
  std::function<void(const std::byte* values, uint64_t count, uint8_t* entries)> classify;
};

// The filled voxels are the same as for bricks: those that are neither below the threshold nor equal to the
// background (libvox/volume/volume.h). The colors run from dark blue to yellow. Throws Error if a value
// is not finite or the palette has fewer colors than there are bins.
ValueEntries bins_of(const StoredVolume& stored, const VolumeMaterials& materials,
                     const volume::ThresholdOptions& threshold,
                     const std::optional<scene::Palette>& palette = std::nullopt);

// Label 0 is empty. If no label is above 16, label k becomes entry k - 1; otherwise labels become entries
// in ascending order. Throws Error if a value is not a whole number or there are too many labels.
ValueEntries labels_of(const StoredVolume& stored, const VolumeMaterials& materials,
                       const std::optional<scene::Palette>& palette = std::nullopt);

// True if the values seem to be labels, at most 16 of them (libvox/render/volume_render.h). Only u8 and u16 are
// examined.
bool seem_labels(const StoredVolume& stored);

// Voxels are as wide as the finest spacing of the three axes. Along the other axes each voxel takes the value
// nearest to its center. The grid is at the volume's place in the world. Throws Error if spacings differ by
// more than a factor of 64 or if no grid is large enough.
VoxelFile voxels_of_volume(StoredVolume stored, const ValueEntries& entries);

}  // namespace vox
