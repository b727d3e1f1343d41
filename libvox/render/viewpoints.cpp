#include "libvox/render/viewpoints.h"

namespace vox::render {

std::vector<CameraPose> poses_from(const Viewpoints& from, std::span<const VoxelBox> boxes,
                                   const Place& place, ImageSize size) {
  if (from.turntable > 0) return turntable(boxes, from.view, from.turntable, from.fov, size);
  CameraPose pose = framing(boxes, from.view, 0, from.fov, size);
  if (from.eye) {
    if (from.target) pose.target = place.to_units(*from.target);
    pose.eye = place.to_units(*from.eye);
  }
  return {pose};
}

}  // namespace vox::render
