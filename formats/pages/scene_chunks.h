// Cuts a scene into chunks that can be loaded one by one (docs/formats.md, "Pages that load as you fly"). A chunk holds
// some neighboring nodes of one level, its roots, and everything below them down to the next level at which the scene
// is cut. There, it names the chunks that continue it. In addition to the words of the DAG it has the box and the mean
// color of each node, so that a page can show a node whose chunk it has not loaded, as vox-render shows it from afar.
//
// Each node of the DAG at which the scene is cut is a root of exactly one chunk. So equal parts of a scene are one
// chunk, and the chunks depend only on the scene's content and these limits.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "libvox/attributes/packed_values.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/dag/voxel_scene.h"

namespace vox {

// The limits of a chunk. Only a single root may need more words, with these levels less than 1 MiB.
struct ChunkLimits {
  uint64_t most_words = uint64_t{1} << 16;  // 256 KiB, of which deflate leaves about 100
  uint32_t most_levels = 2;                 // levels of inner nodes, except in the chunk of the scene's root
};

struct ChunkTotals {
  dag::Digest top;  // the name of the chunk of the scene's root
  uint64_t chunks = 0;
  uint64_t words = 0;       // in all chunks, without heads, with a color for each leaf with materials
  uint64_t references = 0;  // all roots except the scene's
};

// A function that takes a finished chunk. Several threads may call it at the same time.
using KeepChunk = std::function<void(const dag::Digest& name, std::span<const uint32_t> words)>;

// Makes the chunks from the leaves up. The DAG must be one that check_structure() accepts; it may be paged. Memory is
// needed for one chunk in each thread, and 32 bytes on the disk for each node of a level at which the scene is cut.
// With `counts_voxels`, each node has the number of voxels below it, modulo 2^32, in place of its color.
ChunkTotals cut_into_chunks(const dag::VoxelScene& scene, const ChunkLimits& limits, bool counts_voxels,
                            const KeepChunk& keep);

struct ColorTotals {
  dag::Digest index;             // the name of the chunk that holds the names of all others
  std::vector<uint64_t> levels;  // the number of chunks of each level
  uint64_t words = 0;            // in all chunks but the index
};

// Makes the chunks of a scene's colors, of which there must be at least one. The colors of voxels follow one another as
// the scene numbers its voxels (libvox/dag/voxel_numbers.h). Each level above has the means of 64 colors of the one
// below, for voxels that are seen from afar. The last level is one chunk. The values may be paged.
ColorTotals cut_into_color_chunks(const attributes::PackedValues& colors, const KeepChunk& keep);

// Returns the name of a chunk with these words, and the words of a name in other chunks.
dag::Digest chunk_name(std::span<const uint32_t> words);
inline std::array<uint32_t, 4> name_words(const dag::Digest& name) {
  return {static_cast<uint32_t>(name.high >> 32), static_cast<uint32_t>(name.high),
          static_cast<uint32_t>(name.low >> 32), static_cast<uint32_t>(name.low)};
}

// The words of a chunk, as docs/formats.md lists them.

inline constexpr uint32_t kChunkMagic = 0x4b435856;  // "VXCK"
inline constexpr uint32_t kChunkVersion = 1;
inline constexpr uint32_t kChunkHeadWords = 8, kChunkNameWords = 5, kChunkNodeHead = 4,
                          kChunkReferenceWords = 6;

// Returns the levels at which a scene is cut, from above: the level of its root, and those of other chunks' roots.
std::vector<uint32_t> chunk_levels(const dag::FrozenDag& dag, const ChunkLimits& limits);

}  // namespace vox
