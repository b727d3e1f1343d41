#include "tools/vox-render/part.h"

#include <fmt/format.h>

#include <utility>

#include "libvox/base/error.h"
#include "libvox/dag/clip.h"

namespace vox {

dag::VoxelScene clipped_part(dag::VoxelScene scene, const RenderToolOptions& options) {
  if (!options.clip) return scene;
  const VoxelBox box = voxelize::voxels_touched(scene, *options.clip);
  if (!box.empty()) scene.dag = dag::clipped(scene.dag, box);
  if (box.empty() || scene.dag.voxels == 0) throw Error("no voxel of the scene lies in the box of --clip");
  return scene;
}

std::optional<Cutaway> cut_open(const dag::VoxelScene& scene, Vec3d eye, const RenderToolOptions& options) {
  if (!options.cut) return std::nullopt;
  const auto [axis, layer] = *options.cut;
  if (layer >= scene.dag.resolution)
    throw Error(fmt::format("there is no plane {}={}", "xyz"[axis], layer))
        .hint(fmt::format("they go from 0 to {}", scene.dag.resolution - 1));
  VoxelBox left = cube_at({0, 0, 0}, scene.dag.side());
  const auto at = static_cast<int32_t>(layer);
  const bool from_above = eye[axis] > layer + 0.5;
  render::CutPlane plane = {.axis = axis, .at = from_above ? at + 1 : at};
  (from_above ? left.max : left.min)[axis] = plane.at;
  Cutaway cutaway = {scene, plane, left};
  cutaway.scene.dag = dag::clipped(scene.dag, left);
  if (cutaway.scene.dag.voxels == 0)
    throw Error(fmt::format("nothing is left behind the plane {}={}", "xyz"[axis], layer));
  return cutaway;
}

}  // namespace vox
