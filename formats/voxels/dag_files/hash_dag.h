// The files of HashDAG, the editor of Careil et al. 2020: their layout, a reader and a writer.
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

#include "formats/io/values.h"
#include "formats/voxels/voxel_file.h"
#include "libvox/base/bits.h"
#include "libvox/base/geometry.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/dag/voxel_numbers.h"
#include "libvox/dag/voxel_scene.h"

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

// The next function reads scenes of HashDAG.

// Reads the nodes, and the colors from the file beside them if that has a color for each voxel. Throws Error
// that names the defect.
ScenePlusError read_hash_dag(const std::filesystem::path& path, const VoxelFileOptions& options);

// The next function writes scenes for HashDAG.

// Writes the nodes to `path` and the colors beside it. The grid is the scene's cube; voxels outside the clip
// box are left out. A scene without materials gets a file with a single color, because HashDAG opens no files
// without colors. Throws Error if node indices exceed 32 bits or the number of voxels below a node cannot be
// stored. `memory_limit` limits the process, as in an engine, while materials are removed from the nodes.
void write_hash_dag(const dag::VoxelScene& scene, const std::filesystem::path& path,
                    const std::optional<VoxelBox>& clip, uint64_t memory_limit = 0);

// HashDAG's files have the colors of voxels as one word for each voxel, in the order of a depth-first walk
// through the slots.

// Makes these colors. Cuts the walk into pieces of limited size, which can be made in any order.
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

}  // namespace vox
