#include "libvox/render/viewpoints.h"

namespace vox::render {
namespace {

std::vector<CameraPose> on_the_way(const Viewpoints& from, const Place& place) {
  std::vector<CameraPose> poses;
  for (const CameraKey& key : pictures_of(from.path, from.fps))
    poses.push_back({.eye = place.to_units(key.eye),
                     .target = place.to_units(key.target),
                     .fov = key.fov.value_or(from.fov)});
  return poses;
}

}  // namespace

std::vector<CameraPose> poses_from(const Viewpoints& from, std::span<const VoxelBox> boxes,
                                   const Place& place, ImageSize size) {
  if (!from.path.empty()) return on_the_way(from, place);
  if (from.turntable > 0) return turntable(boxes, from.view, from.turntable, from.fov, size);
  CameraPose pose = framing(boxes, from.view, 0, from.fov, size);
  if (from.eye) {
    if (from.target) pose.target = place.to_units(*from.target);
    pose.eye = place.to_units(*from.eye);
  }
  return {pose};
}

}  // namespace vox::render
