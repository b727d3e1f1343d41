#include "libvox/measure/scene_overlap.h"

#include "libvox/base/cancel.h"
#include "libvox/base/error.h"
#include "libvox/dag/one_material.h"

namespace vox::measure {
namespace {

// Returns the voxels of `scene` that `other` fills too, with the materials of `scene`. All scenes of a
// session either have materials or have none, so those of `other` are removed or added to match.
dag::FrozenDag intersected(Engine& engine, const dag::FrozenDag& scene, const dag::FrozenDag& other) {
  const std::unique_ptr<edit::EditSession> session = engine.edit(scene);
  edit::CombineEdit combine = {.mode = edit::CombineMode::Intersect};
  if (other.materials == scene.materials)
    combine.scene = session->add_scene(other);
  else
    combine.scene =
        session->add_scene(scene.materials ? dag::with_one_material(other) : engine.without_materials(other));
  const edit::Edit edit = combine;
  session->apply({&edit, 1});
  return session->freeze();
}

DagStats checked_stats(const dag::FrozenDag& dag) {
  throw_if_cancelled();
  DagStats stats = count_dag(dag);
  check_counts(stats, dag);
  return stats;
}

}  // namespace

SceneOverlap overlap_of(Engine& engine, const dag::FrozenDag& first, const dag::FrozenDag& second) {
  if (first.resolution != second.resolution) throw Error("the scenes have different resolutions");
  SceneOverlap overlap;
  overlap.first = checked_stats(first);
  overlap.second = checked_stats(second);
  overlap.both = intersected(engine, first, second);
  overlap.both_of_first = checked_stats(overlap.both);
  if (second.materials) overlap.both_of_second = checked_stats(intersected(engine, second, first));
  return overlap;
}

}  // namespace vox::measure
