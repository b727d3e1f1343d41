#include "libvox/dag/word_offsets.h"

#include <fmt/format.h>
#include <tbb/parallel_scan.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <functional>

#include "libvox/base/error.h"
#include "libvox/dag/each_node.h"
#include "libvox/dag/structure.h"

namespace vox::dag {
namespace {

// Finds the number of the node that starts at a word, with one bit for each word of a level and one count for
// every 64 words.
class NumbersOfWords {
 public:
  explicit NumbersOfWords(const DagLevel& level) : blocks_((level.words.size() + 63) / 64, Block{}) {
    parallel_for_each(level, [&](uint64_t, const uint32_t* node) {
      const auto word = static_cast<uint64_t>(node - level.words.data());
      std::atomic_ref(blocks_[word / 64].starts)
          .fetch_or(uint64_t{1} << word % 64, std::memory_order_relaxed);
    });
    tbb::parallel_scan(
        tbb::blocked_range<size_t>(0, blocks_.size(), 1024), uint64_t{0},
        [&](const tbb::blocked_range<size_t>& range, uint64_t before, bool is_final) {
          for (size_t i = range.begin(); i < range.end(); ++i) {
            if (is_final) blocks_[i].first = before;
            before += static_cast<uint64_t>(std::popcount(blocks_[i].starts));
          }
          return before;
        },
        std::plus<>());
  }

  bool starts_at(uint64_t word) const {
    return word / 64 < blocks_.size() && (blocks_[word / 64].starts >> word % 64 & 1) != 0;
  }
  // Returns the number of the node that starts at this word.
  uint32_t operator[](uint64_t word) const {
    const Block& block = blocks_[word / 64];
    const uint64_t before = block.starts & ((uint64_t{1} << word % 64) - 1);
    return static_cast<uint32_t>(block.first + static_cast<uint64_t>(std::popcount(before)));
  }

 private:
  struct Block {
    uint64_t starts;  // bit i is set if a node starts at word 64 · block + i
    uint64_t first;   // the number of the first node that starts in the block
  };
  std::vector<Block> blocks_;
};

}  // namespace

void offsets_to_numbers(FrozenDag& dag) {
  for (size_t level = 0; level < dag.levels.size(); ++level)
    if (dag.levels[level].words.size() > kMostOffsetWords)
      throw Error("more than 2^32 words").at(fmt::format("level {}", level));
  place_nodes(dag);
  for (uint32_t level = 0; level < dag.depth(); ++level) {
    Words& words = dag.levels[level].words;
    const NumbersOfWords below(dag.levels[level + 1]);
    parallel_for_each(dag.levels[level], [&](uint64_t, const uint32_t* node) {
      const auto begin = static_cast<uint64_t>(node - words.data());
      for (uint64_t i = begin + 1; i < begin + node_words(words[begin]); ++i) {
        if (!below.starts_at(words[i]))
          throw Error(fmt::format("points to word {} of level {}, where no node starts", words[i], level + 1))
              .at(level_place(level, i));
        words[i] = below[words[i]];
      }
    });
  }
}

Words words_with_offsets(const FrozenDag& dag, uint32_t level) {
  Words words = dag.levels[level].words;
  if (level == dag.depth()) return words;
  const DagLevel& below = dag.levels[level + 1];
  parallel_for_each(dag.levels[level], [&](uint64_t, const uint32_t* node) {
    uint32_t* to = words.data() + (node - dag.levels[level].words.data());
    for (uint32_t i = 1; i < node_words(node[0]); ++i) to[i] = static_cast<uint32_t>(below.places[node[i]]);
  });
  return words;
}

}  // namespace vox::dag
