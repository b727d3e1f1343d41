// The files of HashDAG, the editor of Careil et al. 2020 (github.com/Phyronnaz/HashDAG): what the reader and
// the writer share. All words are little-endian.
//
//   NAME.basic_dag.dag.bin               6 × f64 bounding box, u32 levels, u64 n, n × u32 words
//     node      bits 0–7 the slots of its children, bits 8–31 how many voxels are below, or for the nodes of the top
//               levels where in enclosedLeaves that number stands; then the word at which each child begins, in the
//               order of slots. The root begins at word 0
//     leaf      4³ voxels, two words: byte s holds those of slot s
//   NAME.basic_dag.uncompressed_colors.bin   u32 top levels, u64 n, n × u64 enclosedLeaves, u64 m, m × u32 colours
//               0xFFBBGGRR, of the voxels in the order of a depth-first walk through the slots
#pragma once

#include <bit>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace vox {

static_assert(std::endian::native == std::endian::little, "words are copied from and to files of HashDAG");

inline constexpr uint64_t kHashDagHeaderBytes = 6 * 8 + 4 + 8;
inline constexpr uint32_t kHashDagLeafLevels = 2;  // a leaf holds the last two levels

// Returns the file of colours that belongs to a file of nodes.
inline std::filesystem::path hash_dag_colors_path(const std::filesystem::path& nodes) {
  constexpr std::string_view kEnding = ".dag.bin";
  const std::string name = nodes.filename().string();
  return nodes.parent_path() / (name.substr(0, name.size() - kEnding.size()) + ".uncompressed_colors.bin");
}

}  // namespace vox
