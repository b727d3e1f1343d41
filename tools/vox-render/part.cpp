#include "tools/vox-render/part.h"

#include <fmt/format.h>

#include <utility>

#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/dag/clip.h"
#include "libvox/dag/filled_box.h"

namespace vox {

dag::VoxelScene clipped_part(dag::VoxelScene scene, const RenderToolOptions& options) {
  if (!options.clip) return scene;
  const VoxelBox box = voxelize::voxels_touched(scene, *options.clip);
  if (!box.empty()) scene.dag = dag::clipped(scene.dag, box);
  if (box.empty() || scene.dag.voxels == 0) throw Error("no voxel of the scene lies in the box of --clip");
  return scene;
}

std::optional<Layer> cut_layer(const dag::VoxelScene& scene, const render::CameraPose& pose,
                               const RenderToolOptions& options) {
  if (options.cut) return options.cut;
  const bool has_choice = options.clip || options.slice || options.from.eye || !options.from.path.empty();
  if (options.rooms == ClosedRooms::Whole || has_choice || !render::is_closed_room(scene.dag))
    return std::nullopt;
  const auto [axis, at] = render::layer_into_room(dag::filled_box(scene.dag), pose);
  if (writes_pictures(options))
    log_info(
        "the scene is a room, closed on all sides: it is cut open at {}={}; --cut off shows it closed, "
        "--eye looks from inside",
        "xyz"[axis], at);
  return Layer{axis, at};
}

std::optional<Cutaway> cut_open(const dag::VoxelScene& scene, Vec3d eye, const std::optional<Layer>& cut) {
  if (!cut) return std::nullopt;
  const auto [axis, layer] = *cut;
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
