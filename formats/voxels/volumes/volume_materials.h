// How the values of a volume become the materials of a scene: bins of the values' range, or labels.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "formats/volume/stored_volume.h"
#include "libvox/scene/palette.h"

namespace vox {

struct VolumeMaterials {
  enum class Kind {
    Bins,    // as many parts of the range, all of one width
    Labels,  // each number is one of its own
    None     // which voxels are filled, and nothing else
  };
  Kind kind = Kind::Bins;
  // Of bins: 16, or as many as the palette has colours. Of labels: where there are more, those of most voxels
  // have an entry each, and all others share the last; without a number that is an error.
  std::optional<uint32_t> count = {};
};

inline constexpr uint8_t kNoEntry = 0xff;  // of a voxel that is empty

// What has been decided from all values of a volume.
struct ValueEntries {
  scene::Palette palette;  // none for Kind::None
  // Writes the entry of each of `count` values.
  std::function<void(const std::byte* values, uint64_t count, uint8_t* entries)> classify;
};

// Which voxels are filled is decided as for bricks: those that are neither below the threshold nor the
// background (libvox/volume/value_rule.h). Colours go from dark blue to yellow. Throws Error for a value that
// is not finite, and where the palette has fewer colours than there are to be bins.
ValueEntries bins_of(const StoredVolume& stored, const VolumeMaterials& materials,
                     const volume::ThresholdOptions& threshold,
                     const std::optional<scene::Palette>& palette = std::nullopt);

// 0 is empty. Where all labels are at most 16, label k becomes entry k - 1; else they become entries in their
// order. Throws Error for a value that is not whole, and for too many labels.
ValueEntries labels_of(const StoredVolume& stored, const VolumeMaterials& materials,
                       const std::optional<scene::Palette>& palette = std::nullopt);

// Whether the values seem to be labels, at most 16 of them (libvox/render/labels.h). Looks at u8 and u16.
bool seem_labels(const StoredVolume& stored);

}  // namespace vox
