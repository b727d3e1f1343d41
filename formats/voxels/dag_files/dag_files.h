// Files of other programs that hold a DAG or an octree: those of HashDAG, the editor of Careil et al. 2020, of SymVox (Jaspe
// Villanueva et al. 2016), and of viewers of PlayCanvas.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/io/scan.h"
#include "formats/voxels/voxel_file.h"
#include "libvox/base/bits.h"
#include "libvox/base/geometry.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/dag/voxel_scene.h"
#include "libvox/dag/walk.h"

namespace vox {

// The layout of the files of HashDAG, the editor of Careil et al. 2020 (github.com/Phyronnaz/HashDAG), for
// the reader and the writer. All words are little-endian.
//
//   NAME.basic_dag.dag.bin               6 × f64 bounding box, u32 levels, u64 n, n × u32 words
//     node      bits 0–7 the slots of its children, bits 8–31 how many voxels are below, or for the nodes of the top
//               levels where in enclosedLeaves that number stands; then the word at which each child begins, in the
//               order of slots. The root begins at word 0
//     leaf      4³ voxels, two words: byte s holds those of slot s
//   NAME.basic_dag.uncompressed_colors.bin   u32 top levels, u64 n, n × u64 enclosedLeaves, u64 m, m × u32 colors
//               0xFFBBGGRR, of the voxels in the order of a depth-first walk through the slots

// No node refers to entries of enclosedLeaves after those of the top nodes. In a file of vox two such entries,
// kHashDagPair and sum_of_words() of the nodes' words, tell a reader to which nodes the colors belong.

inline constexpr uint64_t kHashDagHeaderBytes = 6 * 8 + 4 + 8;
inline constexpr uint32_t kHashDagLeafLevels = 2;  // a leaf holds the last two levels

inline constexpr uint64_t kHashDagPair = 0x7269617020786f76;  // "vox pair"

// Returns the sum of a piece of all words; the pieces' sums add up. `first` is the number of the piece's first word.
inline uint64_t sum_of_words(std::span<const std::byte> words, uint64_t first) {
  uint64_t sum = 0;
  for (size_t at = 0; at + sizeof(uint32_t) <= words.size(); at += sizeof(uint32_t))
    sum += mix64(++first) * (value_at<uint32_t>(words.data() + at) | uint64_t{1} << 32);
  return sum;
}

// Returns the file of colors that belongs to a file of nodes.
inline std::filesystem::path hash_dag_colors_path(const std::filesystem::path& nodes) {
  constexpr std::string_view kEnding = ".dag.bin";
  const std::string name = nodes.filename().string();
  return nodes.parent_path() / (name.substr(0, name.size() - kEnding.size()) + ".uncompressed_colors.bin");
}

// Reads the nodes, and the colors from the file beside them if that has a color for each voxel. Throws Error
// that names the defect.
ScenePlusError read_hash_dag(const std::filesystem::path& path, const VoxelFileOptions& options);

// Writes the nodes to `path` and the colors beside it. The grid is the scene's cube; voxels outside the clip
// box are left out. A scene without materials gets a file with a single color, because HashDAG opens no files
// without colors. Throws Error if node indices exceed 32 bits or the number of voxels below a node cannot be
// stored. `memory_limit` limits the process, as in an engine, while materials are removed from the nodes.
void write_hash_dag(const dag::VoxelScene& scene, const std::filesystem::path& path,
                    const std::optional<VoxelBox>& clip, uint64_t memory_limit = 0);

// Makes the colors of a file: one word for each voxel, in the order of a depth-first walk through the slots. The walk
// is cut into pieces of limited size, which can be made in any order.
class HashDagColors {
 public:
  // The scene must have voxels, and materials or colors.
  HashDagColors(const dag::VoxelScene& scene, const SlotOrder& order);

  uint64_t voxels() const { return voxels_.voxels(0, 0); }
  uint64_t pieces() const { return pieces_.size(); }
  std::vector<uint8_t> piece(uint64_t i) const;

 private:
  struct Piece {
    uint32_t level, number;  // the piece's node
    uint64_t first;          // the number of its first voxel
  };
  void cut(Piece node);
  uint8_t* put_node(Piece node, uint8_t* to) const;
  uint8_t* put_leaf(const uint32_t* leaf, uint64_t first, uint8_t* to) const;

  // Calls body(node) for the children of a node in the order of slots.
  template <class Body>
  void for_each_child(Piece node, Body body) const;

  const dag::FrozenDag& dag_;
  const SlotOrder& order_;
  const dag::VoxelNumbers voxels_;
  const attributes::PackedValues* apart_;  // nullptr: voxels have materials
  std::array<uint32_t, 16> colors_ = {};   // the palette's colors
  std::vector<Piece> pieces_;
};

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

// Such files have no materials. Throws Error that names the defect of the file.
ScenePlusError read_symvox(const std::filesystem::path& path, SymVoxKind kind,
                           const VoxelFileOptions& options);

// Writes which voxels are filled; the format has no materials. The grid is the scene's cube; voxels outside
// the clip box are left out. Throws Error if word indices exceed 32 bits. `memory_limit` limits the process,
// as in an engine, while materials are removed.
void write_symvox(const dag::VoxelScene& scene, const std::filesystem::path& path,
                  const std::optional<VoxelBox>& clip, SymVoxKind kind, uint64_t memory_limit = 0);

// Writes an octree of solid and empty voxels, in which viewers of PlayCanvas walk: a header, .voxel.json, and
// .voxel.bin beside it. The format is version 1.1 of that of the program splat-transform.
// https://developer.playcanvas.com/user-manual/splat-transform/voxel-format/

// All filled voxels are solid. Coordinates are those of the scene, y up. With a clip box, voxels keep their places. Throws
// Error if voxels are not cubes, or if the octree has more than the 2^24 nodes that the format allows.
void write_voxel_octree(const dag::VoxelScene& scene, const std::filesystem::path& path,
                        const std::optional<VoxelBox>& clip);

// Returns "a.voxel.bin" for "a.voxel.json".
std::filesystem::path voxel_octree_bin_path(std::filesystem::path path);

bool is_voxel_octree_of_vox(std::string_view file);  // `file`: the header

}  // namespace vox
