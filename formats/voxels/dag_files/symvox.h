// The files of SymVox (Jaspe Villanueva et al. 2016): their layout, a reader and a writer.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "formats/io/values.h"
#include "formats/voxels/voxel_file.h"
#include "libvox/base/geometry.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/dag/voxel_scene.h"

namespace vox {

// The layout of the files of SymVox (Jaspe Villanueva et al. 2016, "SSVDAGs: Symmetry-aware Sparse Voxel
// DAGs"), for the reader and the writer. All words are little-endian.
//
//   f32 × 6 bounding box, f32 side of the root, u32 levels, u32 nodes, u32 first word of the last level, u32 n, n words
//
// The root's cube has the same center as the box. A node is a word whose bits 0–7 are the slots of its
// children, followed by the word at which each child begins, the highest slot first. A node of the last level
// is only the mask of 2³ voxels. In a .ussvdag file a child is mirrored before it is put in its place: along
// x if bit 8 + slot is set, along y if bit 16 + slot is set, along z if bit 24 + slot is set.

inline constexpr uint32_t kSymVoxMirrors = 8;  // the number of ways to mirror a node, including not at all

struct SymVoxHeader {
  float min[3], max[3];  // 24 B
  float root_side;       //  4 B
  uint32_t levels;       //  4 B
  uint32_t nodes;        //  4 B
  uint32_t first_leaf;   //  4 B
  uint32_t words;        //  4 B
};
static_assert(sizeof(SymVoxHeader) == 44);

enum class SymVoxKind { Plain, Mirrored };  // .svdag, .ussvdag

// The mirrored axes are a mask like a slot: 4 for x, 2 for y, 1 for z. Mirroring moves a node's slot s
// to slot s ^ mirrors. mirror_bits() returns the bits of a node's word that mirror the child in
// `slot`; mirrors_of() is its inverse.
inline uint32_t mirror_bits(uint32_t mirrors, uint32_t slot) {
  return ((mirrors >> 2 & 1) << 8 | (mirrors >> 1 & 1) << 16 | (mirrors & 1) << 24) << slot;
}
inline uint32_t mirrors_of(uint32_t word, uint32_t slot) {
  const uint32_t bits = word >> slot;
  return (bits >> 8 & 1) << 2 | (bits >> 16 & 1) << 1 | (bits >> 24 & 1);
}

// The nodes of a .svdag or .ussvdag file for the voxels of a DAG. In a .ussvdag file, nodes that are mirror
// images of each other are stored once: the lexicographically least of the eight images represents all, and
// each pointer to it states how it is mirrored.

// The content of a node's slots: 8 · (the child's number in the level below + 1) + its mirrors, or 0 if
// there is no child.
using SymVoxSlots = std::array<uint32_t, 8>;

struct SymVoxNodes {
  // The levels from the root's down, except the last one, whose nodes are masks of 2³ voxels.
  std::vector<std::vector<SymVoxSlots>> inner;
  std::vector<uint8_t> blocks;

  uint64_t nodes() const;
  uint64_t inner_words() const;
};

// The DAG must have voxels and satisfy check_structure(). Throws Error if a level has 2^29 nodes or more.
SymVoxNodes symvox_nodes(const dag::FrozenDag& dag, const SlotOrder& order, SymVoxKind kind);

// The next function reads scenes of SymVox, .svdag and .ussvdag.

// Such files have no materials. Throws Error that names the defect of the file.
ScenePlusError read_symvox(const std::filesystem::path& path, SymVoxKind kind,
                           const VoxelFileOptions& options);

// The next function writes scenes for SymVox, .svdag and .ussvdag.

// Writes which voxels are filled; the format has no materials. The grid is the scene's cube; voxels outside
// the clip box are left out. Throws Error if word indices exceed 32 bits. `memory_limit` limits the process,
// as in an engine, while materials are removed.
void write_symvox(const dag::VoxelScene& scene, const std::filesystem::path& path,
                  const std::optional<VoxelBox>& clip, SymVoxKind kind, uint64_t memory_limit = 0);

}  // namespace vox
