// Cuts a scene's colors into chunks for pages that load as you fly (docs/formats.md, "Chunks of colors"). The colors of
// voxels follow one another as the scene numbers its voxels (libvox/dag/voxel_numbers.h). Each level above has the
// means of 64 colors of the one below, for voxels that are seen from afar. The last level is one chunk.
#pragma once

#include <cstdint>
#include <vector>

#include "formats/pages/scene_chunks.h"
#include "libvox/attributes/packed_values.h"

namespace vox {

struct ColorTotals {
  dag::Digest index;             // the name of the chunk that holds the names of all others
  std::vector<uint64_t> levels;  // the number of chunks of each level
  uint64_t words = 0;            // in all chunks but the index
};

// Makes the chunks, of which there must be at least one. The values may be paged.
ColorTotals cut_into_color_chunks(const attributes::PackedValues& colors, const KeepChunk& keep);

inline constexpr uint32_t kColorMagic = 0x4c435856;  // "VXCL"
inline constexpr uint32_t kColorVersion = 1;
inline constexpr uint32_t kColorHeadWords = 4;
inline constexpr uint64_t kChunkColors = uint64_t{64} * attributes::kGroupValues;

}  // namespace vox
