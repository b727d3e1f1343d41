#include "libvox/build/build_scene.h"

#include <utility>

#include "libvox/base/log.h"
#include "libvox/base/progress.h"
#include "libvox/base/units.h"
#include "libvox/dag/verify.h"

namespace vox::build {

BuildFigures& BuildFigures::operator+=(const BuildFigures& more) {
  for (const auto seconds :
       {&BuildFigures::voxelize_seconds, &BuildFigures::build_seconds, &BuildFigures::spill_seconds,
        &BuildFigures::keep_seconds, &BuildFigures::merge_seconds, &BuildFigures::order_seconds})
    this->*seconds += more.*seconds;
  for (const auto count : {&BuildFigures::rounds, &BuildFigures::nodes, &BuildFigures::bytes,
                           &BuildFigures::items_kept, &BuildFigures::items_given})
    this->*count += more.*count;
  return *this;
}

void log_share(const SceneShare& share, const ranks::Ranks& ranks, const std::string& device) {
  const BuildFigures& figures = share.figures;
  const ranks::Traffic traffic = ranks.traffic();
  log_debug(
      "rank {} on {}: voxelize {:.2f} s, build {:.2f} s, spill {:.2f} s, keep {:.2f} s, merge {:.2f} s, "
      "order {:.2f} s, of these waiting {:.2f} s; {} items kept, {} given away; {} sent, {} received",
      ranks.rank(), device, figures.voxelize_seconds, figures.build_seconds, figures.spill_seconds,
      figures.keep_seconds, figures.merge_seconds, figures.order_seconds, traffic.waited,
      format_count(figures.items_kept), format_count(figures.items_given), format_bytes(traffic.sent),
      format_bytes(traffic.received));
}

voxelize::BuildResult joined(ranks::Ranks& ranks, SceneShare share) {
  if (!share.part) return std::move(share.whole);
  const Stopwatch watch;
  dag::FrozenDag& dag = share.whole.dag;
  for (size_t level = 0; level < dag.levels.size(); ++level) {
    throw_if_cancelled();
    dag.levels[level].words = brought_to_first(ranks, share.part->levels[level].words);
    share.part->levels[level].words = {};
  }
  if (ranks.rank() == 0) dag::place_nodes(dag);
  share.whole.build_seconds += watch.seconds();
  share.whole.freeze_seconds += watch.seconds();
  return std::move(share.whole);
}

dag::DagPart take_part(SceneShare& share, const ranks::Ranks& ranks) {
  if (share.part) return std::move(*share.part);
  dag::DagPart part;
  for (dag::DagLevel& level : share.whole.dag.levels) {
    const uint64_t first = ranks.rank() == 0 ? 0 : level.nodes;
    part.levels.push_back({std::move(level.words), first, level.nodes - first});
    level.words = {};
    level.places = {};
  }
  return part;
}

}  // namespace vox::build
