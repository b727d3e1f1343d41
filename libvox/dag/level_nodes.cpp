#include "libvox/dag/level_nodes.h"

#include <fmt/format.h>

#include <algorithm>

#include "libvox/base/error.h"

namespace vox::dag {
namespace {

constexpr uint32_t kMaxDepth = 18;  // 2^20 voxels a side

void check_level_count(const FrozenDag& dag) {
  if (dag.resolution == 0 || dag.resolution > kLeafSide << kMaxDepth)
    throw Error(
        fmt::format("the resolution is {}, expected at most {}", dag.resolution, kLeafSide << kMaxDepth));
  size_t expected = depth_for(dag.resolution) + 1;
  if (dag.levels.size() != expected)
    throw Error(
        fmt::format("{} levels at resolution {}, expected {}", dag.levels.size(), dag.resolution, expected));
}

void check_pointers(const FrozenDag& dag, const std::vector<LevelNodes>& nodes, uint32_t level) {
  const Words& words = dag.levels[level].words;
  nodes[level].parallel_for_each([&](uint64_t, uint32_t offset) {
    for (uint64_t i = offset + 1; i < offset + node_words(words[offset]); ++i)
      if (!nodes[level + 1].starts_at(words[i]))
        throw Error(fmt::format("points to word {} of level {}, where no node starts", words[i], level + 1))
            .at(level_place(level, i));
  });
}

}  // namespace

std::string level_place(uint32_t level, uint64_t word) {
  return fmt::format("level {}, word {}", level, word);
}

LevelNodes::LevelNodes(const FrozenDag& dag, uint32_t level) {
  const Words& words = dag.levels[level].words;
  bool leaves = level == dag.depth();
  blocks_.resize((words.size() + 63) / 64);
  for (uint64_t offset = 0; offset < words.size();) {
    blocks_[offset / 64].starts |= uint64_t{1} << offset % 64;
    uint64_t left = words.size() - offset;
    uint64_t size = !leaves    ? node_words(words[offset])
                    : left < 2 ? 2
                               : leaf_words(leaf_mask(&words[offset]), dag.materials);
    if (size > left)
      throw Error(fmt::format("a node of {} words, but only {} are left", size, left))
          .at(level_place(level, offset));
    offset += size;
  }
  for (Block& block : blocks_) {
    block.first = count_;
    count_ += static_cast<uint64_t>(std::popcount(block.starts));
  }
}

std::vector<LevelNodes> check_structure(const FrozenDag& dag) {
  check_level_count(dag);
  for (uint32_t level = 0; level <= dag.depth(); ++level) {
    if (dag.levels[level].words.empty() != dag.empty())
      throw Error(dag.empty() ? "has words, but the scene is empty"
                              : "has no words, but the scene is not empty")
          .at(fmt::format("level {}", level));
    // Child pointers have 32 bits.
    if (dag.levels[level].words.size() > uint64_t{1} << 32)
      throw Error("more than 2^32 words").at(fmt::format("level {}", level));
  }
  std::vector<LevelNodes> nodes(dag.levels.size());
  tbb::parallel_for(uint32_t{0}, dag.depth() + 1, [&](uint32_t i) { nodes[i] = LevelNodes(dag, i); });
  if (nodes[0].count() > 1) throw Error("more than one root").at(level_place(0, 0));
  for (uint32_t level = 0; level < dag.depth(); ++level) check_pointers(dag, nodes, level);
  return nodes;
}

}  // namespace vox::dag
