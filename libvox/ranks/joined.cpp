#include <numeric>

#include "libvox/base/cancel.h"
#include "libvox/base/stopwatch.h"
#include "libvox/dag/structure.h"
#include "libvox/ranks/build_share.h"

namespace vox::ranks {
namespace {

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
  const Stopwatch watch;
  dag::FrozenDag& dag = share.whole.dag;
  for (size_t level = 0; level < dag.levels.size(); ++level) {
    throw_if_cancelled();
    dag.levels[level].words = gathered(ranks, share.part.levels[level].words);
    share.part.levels[level].words = {};
  }
  if (ranks.rank() == 0) dag::place_nodes(dag);
  share.whole.build_seconds += watch.seconds();
  share.whole.freeze_seconds += watch.seconds();
  return std::move(share.whole);
}

}  // namespace vox::ranks
