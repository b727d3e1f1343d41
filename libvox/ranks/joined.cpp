#include <numeric>

#include "libvox/base/cancel.h"
#include "libvox/ranks/build_share.h"

namespace vox::ranks {
namespace {

// Where the nodes of a level begin.
std::vector<uint32_t> node_offsets(const dag::FrozenDag& dag, uint32_t level) {
  const Words& words = dag.levels[level].words;
  std::vector<uint32_t> offsets;
  offsets.reserve(dag.levels[level].nodes);
  for (uint64_t at = 0; at < words.size();) {
    offsets.push_back(static_cast<uint32_t>(at));
    at += level == dag.depth() ? dag::leaf_words(dag::leaf_mask(&words[at]), dag.materials)
                               : dag::node_words(words[at]);
  }
  return offsets;
}

// Turns numbers of children into the offsets of their words.
void use_offsets(dag::FrozenDag& dag) {
  for (uint32_t level = 0; level < dag.depth(); ++level) {
    const std::vector<uint32_t> offsets = node_offsets(dag, level + 1);
    Words& words = dag.levels[level].words;
    for (uint64_t at = 0; at < words.size();) {
      const uint64_t end = at + dag::node_words(words[at]);
      for (++at; at < end; ++at) words[at] = offsets[words[at]];
    }
  }
}

// Collective. Brings the words of a level to rank 0.
Words gathered(Ranks& ranks, const Words& words) {
  constexpr uint64_t kWord = sizeof(uint32_t);
  const std::vector<uint64_t> counts = ranks.gather(words.size());
  std::vector<uint64_t> send(ranks.count()), receive(ranks.count());
  send[0] = words.size() * kWord;
  Words all;
  if (ranks.rank() == 0) {
    all.resize(std::reduce(counts.begin(), counts.end()));
    for (size_t rank = 0; rank < counts.size(); ++rank) receive[rank] = counts[rank] * kWord;
  }
  ranks.exchange(words.data(), send, all.data(), receive);
  return all;
}

}  // namespace

voxelize::BuildResult joined(Ranks& ranks, SceneShare share) {
  dag::FrozenDag& dag = share.whole.dag;
  for (size_t level = 0; level < dag.levels.size(); ++level) {
    throw_if_cancelled();
    dag.levels[level].words = gathered(ranks, share.part.levels[level].words);
    share.part.levels[level].words = {};
  }
  if (ranks.rank() == 0) use_offsets(dag);
  return std::move(share.whole);
}

}  // namespace vox::ranks
