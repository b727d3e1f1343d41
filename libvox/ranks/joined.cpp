#include "libvox/base/cancel.h"
#include "libvox/base/stopwatch.h"
#include "libvox/dag/structure.h"
#include "libvox/ranks/build_share.h"
#include "libvox/ranks/to_first.h"

namespace vox::ranks {
voxelize::BuildResult joined(Ranks& ranks, SceneShare share) {
  const Stopwatch watch;
  dag::FrozenDag& dag = share.whole.dag;
  for (size_t level = 0; level < dag.levels.size(); ++level) {
    throw_if_cancelled();
    dag.levels[level].words = brought_to_first(ranks, share.part.levels[level].words);
    share.part.levels[level].words = {};
  }
  if (ranks.rank() == 0) dag::place_nodes(dag);
  share.whole.build_seconds += watch.seconds();
  share.whole.freeze_seconds += watch.seconds();
  return std::move(share.whole);
}

}  // namespace vox::ranks
